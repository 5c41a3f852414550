// Package profile connects a plugin with the implementation of its profile "reference". The plugin looks the implementation
// up where package plugins/reference registers it, so neither the plugin nor the program needs that package.
package profile

import "github.com/sluicehq/sluice/sdk"

// Choice is the attribute. The Args of a plugin embed it.
type Choice struct {
	Profile string `hcl:"profile,optional" oneof:"standard reference" doc:"reference does what the Python tooling does"`
}

// Standard is the default of Choice.
var Standard = Choice{"standard"}

var references = map[string]any{}

// Register sets the implementation of profile "reference" of a plugin. An init function calls it.
func Register[F any](plugin string, implementation F) { references[plugin] = implementation }

// Lookup returns the registered implementation of profile "reference" of a plugin, of the type that was registered.
func Lookup[F any](plugin string) (implementation F, ok bool) {
	if registered, found := references[plugin]; found {
		return registered.(F), true
	}
	return implementation, false
}

// Reference is Lookup for a step with profile "reference". Without an implementation it returns an error at the attribute.
func Reference[F any](a sdk.Args, plugin string) (F, error) {
	implementation, ok := Lookup[F](plugin)
	if !ok {
		return implementation, a.Errorf("profile", `want standard, have "reference", which this program was built without`)
	}
	return implementation, nil
}

// Open opens a step with profile "reference" whose implementation needs no attributes.
func Open(a sdk.Args, plugin string) (sdk.Processor, error) {
	open, err := Reference[func() sdk.Processor](a, plugin)
	if err != nil {
		return nil, err
	}
	return open(), nil
}

// Or returns a plugin that opens as p does, and in profile "reference" as reference does.
func Or(p sdk.Plugin, reference func(sdk.Args) (sdk.Processor, error)) sdk.Plugin {
	standard := p.New
	p.New = func(a sdk.Args) (sdk.Processor, error) {
		var c Choice
		if err := a.Decode(&c); err != nil {
			return nil, err
		}
		if c.Profile == "reference" {
			return reference(a)
		}
		return standard(a)
	}
	return p
}
