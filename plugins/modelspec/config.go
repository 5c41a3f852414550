package modelspec

import (
	"errors"
	"slices"

	"github.com/sluicehq/sluice/plugins/internal/modelspec"
	"github.com/sluicehq/sluice/sdk"
)

// config is the attributes of the step.
type config struct {
	Shape      string   `hcl:"shape,optional" doc:"row, thread or tokens"`
	SystemRole string   `hcl:"system_role,optional" doc:"developer or platform: whose words system text is"`
	ToolSchema string   `hcl:"tool_schema,optional" doc:"typescript, json-schema, python or prose: how tools are defined"`
	ToolRole   string   `hcl:"tool_role,optional" doc:"tool or context: the role of results"`
	Vary       []string `hcl:"vary,optional" doc:"order, wording, schema: what of the developer's text differs from row to row"`
	Seed       string   `hcl:"seed,optional" doc:"another seed makes other variations"`
	Calls      string   `hcl:"calls,optional" doc:"consecutive, array, jsonl, python or yaml: how calls are written"`
	Platform   string   `hcl:"platform,optional" doc:"the words of a platform in rows that have none"`
	Names      string   `hcl:"names,optional" doc:"reject or escape: tool names that a thread cannot hold"`
	Undeclared string   `hcl:"undeclared,optional" doc:"define or reject: tools that are called and not declared"`
	Reasoning  string   `hcl:"reasoning,optional" doc:"drop or format"`
	Envelope   string   `hcl:"envelope,optional" doc:"calls or both: a text that repeats the calls beside it"`
	Media      string   `hcl:"media,optional" doc:"reject or placeholder"`
	Join       string   `hcl:"join,optional" doc:"between the text parts of one message"`
	Keep       []string `hcl:"keep,optional" doc:"members of the canonical row that a row or token text keeps"`
	modelspec.TokenOptions
}

func readConfig(a sdk.Args) (config, error) {
	var cfg config
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
		{"tool_schema", cfg.ToolSchema, modelspec.SchemaLanguages},
		{"tool_role", cfg.ToolRole, []string{"tool", "context"}},
		{"calls", cfg.Calls, []string{"consecutive", "array", "jsonl", "python", "yaml"}},
		{"names", cfg.Names, []string{"reject", "escape"}},
		{"undeclared", cfg.Undeclared, []string{"define", "reject"}},
		{"reasoning", cfg.Reasoning, []string{"drop", "format"}},
		{"envelope", cfg.Envelope, []string{"calls", "both"}},
		{"media", cfg.Media, []string{"reject", "placeholder"}},
	} {
		errs = append(errs, a.OneOf(o.name, o.have, o.want...))
	}
	for _, what := range cfg.Vary {
		errs = append(errs, a.OneOf("vary", what, "order", "wording", "schema"))
	}
	errs = append(errs, cfg.Check(a))
	if len(cfg.Keep) > 0 && cfg.Shape == "thread" {
		errs = append(errs, a.Errorf("keep", `want shape "row" or "tokens", which have room, have %q`, cfg.Shape))
	}
	for _, name := range cfg.Keep {
		if slices.Contains([]string{"messages", "system_settings", "text", "segments"}, name) {
			errs = append(errs, a.Errorf("keep", "want members that a row does not have itself, have %q", name))
		}
	}
	return cfg, errors.Join(errs...)
}
