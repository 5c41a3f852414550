// Package plugins lists the plugins that ship inside the sluice binary.
package plugins

import (
	"github.com/sluicehq/sluice/plugins/alias"
	"github.com/sluicehq/sluice/plugins/anthropic"
	"github.com/sluicehq/sluice/plugins/bootstrap"
	chattext "github.com/sluicehq/sluice/plugins/chat-text"
	"github.com/sluicehq/sluice/plugins/chatml"
	elizarecord "github.com/sluicehq/sluice/plugins/eliza-record"
	"github.com/sluicehq/sluice/plugins/gemini"
	"github.com/sluicehq/sluice/plugins/messages"
	"github.com/sluicehq/sluice/plugins/modelspec"
	modelspeccheck "github.com/sluicehq/sluice/plugins/modelspec-check"
	modelspecdocument "github.com/sluicehq/sluice/plugins/modelspec-document"
	modelspecthread "github.com/sluicehq/sluice/plugins/modelspec-thread"
	"github.com/sluicehq/sluice/plugins/native"
	"github.com/sluicehq/sluice/plugins/noop"
	"github.com/sluicehq/sluice/plugins/pair"
	"github.com/sluicehq/sluice/plugins/privacy"
	"github.com/sluicehq/sluice/plugins/trajectory"
	"github.com/sluicehq/sluice/sdk"
)

// All are the built-in plugins, by name.
var All = []sdk.Plugin{
	alias.Plugin,
	anthropic.Plugin,
	bootstrap.Plugin,
	chattext.Plugin,
	chatml.Plugin,
	elizarecord.Plugin,
	gemini.Plugin,
	messages.Plugin,
	modelspec.Plugin,
	modelspeccheck.Plugin,
	modelspecdocument.Plugin,
	modelspecthread.Plugin,
	native.Plugin,
	noop.Plugin,
	pair.Plugin,
	privacy.Plugin,
	trajectory.Plugin,
}

// Adapters are the built-in plugins that give eliza_native_v1 rows, as pipelines should rank them: what declares its
// format, or shows marks that no other format has, comes before what is told by the names of its keys alone.
var Adapters = []string{
	native.Plugin.Name,
	bootstrap.Plugin.Name,
	elizarecord.Plugin.Name,
	modelspecthread.Plugin.Name,
	anthropic.Plugin.Name,
	gemini.Plugin.Name,
	trajectory.Plugin.Name,
	messages.Plugin.Name,
	chattext.Plugin.Name,
	pair.Plugin.Name,
}
