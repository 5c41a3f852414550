// Package profile is the attribute with which an adapter does what the Python tooling does, so that teams can compare the
// two before they switch.
package profile

import "github.com/sluicehq/sluice/sdk"

// A Choice is the attribute. The Args of a plugin embed it.
type Choice struct {
	Profile string `hcl:"profile,optional" oneof:"standard reference" doc:"reference gives what the Python tooling gives"`
}

// Standard is the default.
var Standard = Choice{"standard"}

// Or gives a plugin that opens as p does, and in profile "reference" as reference does.
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
