// Package reference registers profile "reference" of the plugins that have it: what the existing Python tooling does, byte for
// byte, so that teams can compare the two before they switch.
package reference

import (
	"github.com/sluicehq/sluice/plugins/internal/profile"
	"github.com/sluicehq/sluice/plugins/privacy"
	"github.com/sluicehq/sluice/plugins/reference/alias"
	elizarecord "github.com/sluicehq/sluice/plugins/reference/eliza-record"
	"github.com/sluicehq/sluice/plugins/reference/messages"
	filter "github.com/sluicehq/sluice/plugins/reference/privacy"
	"github.com/sluicehq/sluice/plugins/reference/render"
)

func init() {
	profile.Register("alias", alias.New)
	profile.Register("chatml", render.New)
	profile.Register("eliza-record", elizarecord.New)
	profile.Register("messages", messages.New)
	profile.Register("native", render.NewCheck)
	profile.Register("privacy", privacy.Reference{New: filter.New, Entities: filter.Entities, Files: filter.Files})
}
