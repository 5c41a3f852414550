package modelspec

import (
	"errors"

	"github.com/sluicehq/sluice/plugins/internal/choice"
	"github.com/sluicehq/sluice/sdk"
)

// config is the attributes of the step.
type config struct {
	Shape         string   `hcl:"shape,optional"`          // "row", "thread" or "tokens"
	SystemRole    string   `hcl:"system_role,optional"`    // "developer" or "platform"
	ToolSchema    string   `hcl:"tool_schema,optional"`    // "typescript" or "json-schema"
	ToolRole      string   `hcl:"tool_role,optional"`      // "tool" or "context"
	Calls         string   `hcl:"calls,optional"`          // "json", "jsonl" or "python"
	Names         string   `hcl:"names,optional"`          // "reject" or "escape"
	Undeclared    string   `hcl:"undeclared,optional"`     // "define" or "reject"
	Reasoning     string   `hcl:"reasoning,optional"`      // "drop" or "format"
	Envelope      string   `hcl:"envelope,optional"`       // "calls" or "both"
	Media         string   `hcl:"media,optional"`          // "reject" or "placeholder"
	Join          string   `hcl:"join,optional"`           // between the text parts of one message
	SpecialTokens string   `hcl:"special_tokens,optional"` // "escape" or "reject"; of token text
	Keep          []string `hcl:"keep,optional"`           // members of the canonical row that a row keeps
}

func readConfig(a sdk.Args) (config, error) {
	cfg := config{
		Shape: "row", SystemRole: "developer", ToolSchema: "typescript", ToolRole: "tool", Calls: "json", Names: "reject",
		Undeclared: "define", Reasoning: "drop", Envelope: "calls", Media: "reject", SpecialTokens: "escape",
	}
	if err := a.Decode(&cfg); err != nil {
		return cfg, err
	}
	var errs []error
	for _, o := range []struct {
		name, have string
		want       []string
	}{
		{"shape", cfg.Shape, []string{"row", "thread", "tokens"}},
		{"system_role", cfg.SystemRole, []string{"developer", "platform"}},
		{"tool_schema", cfg.ToolSchema, []string{"typescript", "json-schema"}},
		{"tool_role", cfg.ToolRole, []string{"tool", "context"}},
		{"calls", cfg.Calls, []string{"json", "jsonl", "python"}},
		{"names", cfg.Names, []string{"reject", "escape"}},
		{"undeclared", cfg.Undeclared, []string{"define", "reject"}},
		{"reasoning", cfg.Reasoning, []string{"drop", "format"}},
		{"envelope", cfg.Envelope, []string{"calls", "both"}},
		{"media", cfg.Media, []string{"reject", "placeholder"}},
		{"special_tokens", cfg.SpecialTokens, []string{"escape", "reject"}},
	} {
		errs = append(errs, choice.Of(a, o.name, o.have, o.want...))
	}
	if len(cfg.Keep) > 0 && cfg.Shape != "row" {
		errs = append(errs, a.Errorf("keep", `want shape "row", which alone has room, have %q`, cfg.Shape))
	}
	for _, name := range cfg.Keep {
		if name == "messages" || name == "system_settings" {
			errs = append(errs, a.Errorf("keep", "want members that a row does not have itself, have %q", name))
		}
	}
	return cfg, errors.Join(errs...)
}
