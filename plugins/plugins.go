// Package plugins lists the plugins that ship inside the sluice binary.
package plugins

import (
	"github.com/sluicehq/sluice/plugins/alias"
	"github.com/sluicehq/sluice/plugins/chatml"
	"github.com/sluicehq/sluice/plugins/messages"
	"github.com/sluicehq/sluice/plugins/modelspec"
	modelspeccheck "github.com/sluicehq/sluice/plugins/modelspec-check"
	modelspecdocument "github.com/sluicehq/sluice/plugins/modelspec-document"
	"github.com/sluicehq/sluice/plugins/native"
	"github.com/sluicehq/sluice/plugins/noop"
	"github.com/sluicehq/sluice/plugins/pair"
	"github.com/sluicehq/sluice/plugins/privacy"
	"github.com/sluicehq/sluice/sdk"
)

// All are the built-in plugins, by name.
var All = []sdk.Plugin{
	alias.Plugin,
	chatml.Plugin,
	messages.Plugin,
	modelspec.Plugin,
	modelspeccheck.Plugin,
	modelspecdocument.Plugin,
	native.Plugin,
	noop.Plugin,
	pair.Plugin,
	privacy.Plugin,
}
