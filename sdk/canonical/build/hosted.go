package build

import (
	"strings"

	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// taken are the parameters of tools that a vendor defines, by their type: what the calls of these tools hold.
var taken = map[string]jsontext.JSON{
	"custom":           `{"type":"object","properties":{"input":{"type":"string"}},"required":["input"]}`,
	"web_search":       `{"type":"object","properties":{"type":{"type":"string"},"query":{"type":"string"},"url":{"type":"string"},"pattern":{"type":"string"}}}`,
	"file_search":      `{"type":"object","properties":{"queries":{"type":"array","items":{"type":"string"}}},"required":["queries"]}`,
	"code_interpreter": `{"type":"object","properties":{"code":{"type":"string"}},"required":["code"]}`,
	"local_shell":      `{"type":"object","properties":{"type":{"type":"string"},"command":{"type":"array","items":{"type":"string"}}},"required":["command"]}`,
	"shell":            `{"type":"object","properties":{"commands":{"type":"array","items":{"type":"string"}}},"required":["commands"]}`,
	"apply_patch":      `{"type":"object","properties":{"type":{"type":"string"},"path":{"type":"string"},"diff":{"type":"string"}},"required":["type","path"]}`,
	"computer":         `{"type":"object","properties":{"type":{"type":"string"}},"required":["type"]}`,
}

// vendorNames are other names of these types.
var vendorNames = map[string]string{
	"web_search_preview": "web_search", "computer_use": "computer", "computer_use_preview": "computer", "retrieval": "file_search",
}

// kindOf returns the type of a tool that a vendor defines.
func kindOf(function, outer jsontext.JSON) string {
	kind := function.Get("type").Text()
	if outer != "" {
		kind = outer.Get("type").Text()
	}
	if other := vendorNames[kind]; other != "" {
		return other
	}
	return kind
}

// vendors reads a tool without a name: one that the vendor runs and that its type names. One that is no function, such as a server, is
// counted.
func (w *toolWriter) vendors(path string, value jsontext.JSON) error {
	kind := kindOf(value, "")
	if kind == "" || kind == "function" || value.Get("parameters") != "" || value.Get("function") != "" {
		return sdk.Reject("bad_tools", path, "want a name in every tool, have %s", jsontext.Describe(value))
	}
	if _, ok := taken[kind]; ok && kind != "custom" {
		w.tool(kind, value, "", false)
		return nil
	}
	if len(kind) > 30 || strings.Trim(kind, "abcdefghijklmnopqrstuvwxyz_") != "" || len(w.unnamed) >= 20 {
		kind = "other"
	}
	if w.unnamed == nil {
		w.unnamed = map[string]int{}
	}
	w.unnamed[strings.Clone(kind)]++
	return nil
}
