package modelspec

import (
	"errors"
	"slices"

	"github.com/sluicehq/sluice/plugins/modelspec/notation"
	"github.com/sluicehq/sluice/sdk"
)

// config holds the attributes of the step.
type config struct {
	Shape      string   `hcl:"shape,optional" oneof:"row thread tokens" doc:"what is written"`
	SystemRole string   `hcl:"system_role,optional" oneof:"developer platform" doc:"whose words system text is"`
	ToolSchema string   `hcl:"tool_schema,optional" oneof:"typescript json-schema python prose" doc:"how tools are defined"`
	ToolRole   string   `hcl:"tool_role,optional" oneof:"tool context" doc:"the role of results"`
	Vary       []string `hcl:"vary,optional" oneof:"order wording schema" doc:"what of the developer's text differs from row to row"`
	Seed       string   `hcl:"seed,optional" doc:"another seed makes other variations" example:"\"1\""`
	Calls      string   `hcl:"calls,optional" oneof:"consecutive array jsonl python yaml" doc:"how calls are written"`
	Platform   string   `hcl:"platform,optional" doc:"the words of a platform in rows that have none" example:"\"You are a helpful assistant.\""`
	Names      string   `hcl:"names,optional" oneof:"reject escape" doc:"tool names that a thread cannot hold"`
	Undeclared string   `hcl:"undeclared,optional" oneof:"define reject" doc:"tools that are called and not declared"`
	Reasoning  string   `hcl:"reasoning,optional" oneof:"drop format" doc:"what becomes of reasoning"`
	Envelope   string   `hcl:"envelope,optional" oneof:"calls both" doc:"a text that repeats the calls beside it"`
	Media      string   `hcl:"media,optional" oneof:"reject placeholder" doc:"what becomes of a row with images, files, audio or video"`
	Join       string   `hcl:"join,optional" doc:"between the text parts of one message" example:"\"\\n\""`
	Keep       []string `hcl:"keep,optional" doc:"members of the canonical row that a row or token text keeps" example:"[\"metadata\"]"`
	notation.TokenOptions
}

func readConfig(a sdk.Args) (config, error) {
	var cfg config
	errs := []error{a.Decode(&cfg), cfg.Check(a)}
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
