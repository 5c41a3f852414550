// Package plugins lists the plugins that ship inside the sluice binary.
package plugins

import (
	"slices"
	"strings"

	"github.com/sluicehq/sluice/plugins/alias"
	"github.com/sluicehq/sluice/plugins/anthropic"
	"github.com/sluicehq/sluice/plugins/atif"
	"github.com/sluicehq/sluice/plugins/bedrock"
	"github.com/sluicehq/sluice/plugins/bootstrap"
	chattext "github.com/sluicehq/sluice/plugins/chat-text"
	"github.com/sluicehq/sluice/plugins/chatml"
	"github.com/sluicehq/sluice/plugins/check"
	"github.com/sluicehq/sluice/plugins/dedup"
	elizarecord "github.com/sluicehq/sluice/plugins/eliza-record"
	"github.com/sluicehq/sluice/plugins/fingerprint"
	"github.com/sluicehq/sluice/plugins/gemini"
	"github.com/sluicehq/sluice/plugins/messages"
	"github.com/sluicehq/sluice/plugins/mix"
	"github.com/sluicehq/sluice/plugins/modelspec"
	modelspeccheck "github.com/sluicehq/sluice/plugins/modelspec/check"
	modelspecdocument "github.com/sluicehq/sluice/plugins/modelspec/document"
	modelspecnegatives "github.com/sluicehq/sluice/plugins/modelspec/negatives"
	modelspecthread "github.com/sluicehq/sluice/plugins/modelspec/thread"
	modelspectokens "github.com/sluicehq/sluice/plugins/modelspec/tokens"
	"github.com/sluicehq/sluice/plugins/native"
	"github.com/sluicehq/sluice/plugins/noop"
	"github.com/sluicehq/sluice/plugins/oasst"
	"github.com/sluicehq/sluice/plugins/openhands"
	"github.com/sluicehq/sluice/plugins/pair"
	"github.com/sluicehq/sluice/plugins/privacy"
	"github.com/sluicehq/sluice/plugins/quality"
	"github.com/sluicehq/sluice/plugins/react"
	_ "github.com/sluicehq/sluice/plugins/reference" // profile "reference"; without this line and that folder, plugins do without it
	"github.com/sluicehq/sluice/plugins/session"
	"github.com/sluicehq/sluice/plugins/split"
	"github.com/sluicehq/sluice/plugins/stats"
	"github.com/sluicehq/sluice/plugins/trajectory"
	"github.com/sluicehq/sluice/sdk"
)

// ranked are the built-in plugins that write eliza_native_v1 rows, as pipelines should rank them: formats that declare themselves,
// or have marks that no other format has, come before formats that only the names of their keys show.
var ranked = []sdk.Plugin{
	native.Plugin,
	bootstrap.Plugin,
	modelspecthread.Plugin,
	bedrock.Plugin,
	anthropic.Plugin,
	gemini.Plugin,
	openhands.Plugin,
	session.Plugin,
	atif.Plugin,
	oasst.Plugin,
	trajectory.Plugin,
	messages.Plugin,
	react.Plugin,
	elizarecord.Plugin,
	chattext.Plugin,
	pair.Plugin,
}

// All are the built-in plugins, by name.
var All = slices.SortedFunc(slices.Values(slices.Concat(ranked, []sdk.Plugin{
	alias.Plugin,
	chatml.Plugin,
	check.Plugin,
	dedup.Plugin,
	fingerprint.Plugin,
	mix.Plugin,
	modelspec.Plugin,
	modelspeccheck.Plugin,
	modelspecdocument.Plugin,
	modelspecnegatives.Plugin,
	modelspectokens.Plugin,
	noop.Plugin,
	privacy.Plugin,
	quality.Plugin,
	split.Plugin,
	stats.Plugin,
})), func(a, b sdk.Plugin) int { return strings.Compare(a.Name, b.Name) })

// Adapters are the names of the built-in plugins that write eliza_native_v1 rows, as pipelines should rank them.
var Adapters = names(ranked)

// Training are the names of the built-in plugins that only text for training goes through: canonical rows, ChatML, threads and
// their tokens.
var Training = slices.Concat(Adapters, names([]sdk.Plugin{alias.Plugin, quality.Plugin, chatml.Plugin, modelspec.Plugin, modelspecdocument.Plugin, modelspectokens.Plugin}))

// Programs are the attributes that name a program which the built-in plugin starts, by plugin.
var Programs = map[string][]string{
	chatml.Plugin.Name:  {"python"},
	privacy.Plugin.Name: {"backend.command"},
}

// Drawn are the values of attributes of built-in plugins for which a run draws something at random that its rows show, by plugin and attribute.
var Drawn = map[string]map[string]string{
	privacy.Plugin.Name: {"ledger_hash": "run"},
}

// Idle returns why no row depends on a step of a built-in plugin, as TestPrinted of dedup holds, and "" for others.
func Idle(plugin string) string {
	if plugin == fingerprint.Plugin.Name {
		return "fingerprint only saves dedup work"
	}
	return ""
}

func names(plugins []sdk.Plugin) (names []string) {
	for _, p := range plugins {
		names = append(names, p.Name)
	}
	return names
}
