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
