// Package modelspeccheck holds threads against the rules of the Modular Model Spec.
package modelspeccheck

import (
	"cmp"
	"errors"
	"maps"
	"slices"
	"strconv"

	"github.com/sluicehq/sluice/plugins/internal/modelspec"
	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// Plugin checks rows, bare threads and token text. A record that fails gets the label check with the names of the
// checks, "pass" otherwise; a check in mode "reject" rejects it under its name. Every finding is a row of the side
// output "findings": {"check", "section", "path", "message"}, and a count "check.NAME".
var Plugin = sdk.Plugin{
	Name: "modelspec-check",
	Doc:  "checks threads against the rules of the Modular Model Spec",
	Args: config{LeakLength: 48},
	New:  newChecker,

	Outputs: []string{"findings"},
	Labels:  []string{"check"},
}

// config is the attributes of the step.
type config struct {
	Checks     map[string]string `hcl:"checks,optional" doc:"what each check does: reject, label or off"`
	LeakLength int               `hcl:"leak_length,optional" doc:"how many code points in a row of a platform or developer message a text may not repeat"`
}

type checker struct {
	checks     []check // those that are not off
	leakLength int
	found      []finding
	buf        []byte
}

func newChecker(a sdk.Args) (sdk.Processor, error) {
	var cfg config
	if err := a.Decode(&cfg); err != nil {
		return nil, err
	}
	var errs []error
	if cfg.LeakLength < 1 {
		errs = append(errs, a.Errorf("leak_length", "want at least 1, have %d", cfg.LeakLength))
	}
	known := make([]string, len(checks))
	for i, c := range checks {
		known[i] = c.name
	}
	for _, name := range slices.Sorted(maps.Keys(cfg.Checks)) {
		mode := cfg.Checks[name]
		errs = append(errs, a.OneOf("checks."+name, name, known...), a.OneOf("checks."+name, mode, "reject", "label", "off"))
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	p := &checker{leakLength: cfg.LeakLength}
	for _, c := range checks {
		if mode, ok := cfg.Checks[c.name]; ok {
			c.mode = mode
		}
		if c.mode != "off" {
			p.checks = append(p.checks, c)
		}
	}
	return sdk.Map(p.check), nil
}

func (p *checker) check(r *sdk.Record) error {
	t, err := modelspec.Read(jsontext.Of(r.JSON()))
	if not, ok := errors.AsType[*modelspec.NotThreadError](err); ok {
		return sdk.Decline(not.Reason)
	}
	if fault, ok := errors.AsType[*modelspec.Fault](err); ok {
		return sdk.Reject("bad_thread", fault.Path, "%s", fault.Message)
	}
	if err != nil {
		return err
	}
	v := newView(t, p.leakLength)
	failed := ""
	var verdict error
	for _, c := range p.checks {
		all := p.findings(c, v)
		for _, f := range all {
			p.write(r, c, f)
		}
		if len(all) == 0 {
			continue
		}
		if failed != "" {
			failed += ","
		}
		failed += c.name
		if c.mode == "reject" && verdict == nil {
			verdict = sdk.Keep(sdk.Reject(c.name, all[0].path, "%s (%s)", all[0].message, c.section))
		}
	}
	r.SetLabel("check", cmp.Or(failed, "pass"))
	return verdict
}

// A finding is a mistake and where it is.
type finding struct{ path, message string }

// findings gives what a check finds in a thread: in its messages, then in its settings.
func (p *checker) findings(c check, v *view) []finding {
	p.found = p.found[:0]
	for i := range v.Messages {
		if message := c.find(v, i); message != "" {
			p.found = append(p.found, finding{"messages." + strconv.Itoa(i), message})
		}
	}
	if c.ofName == nil {
		return p.found
	}
	for i, f := range v.Formats {
		if message := c.ofName(f.Name); message != "" {
			p.found = append(p.found, finding{"system_settings.formats." + strconv.Itoa(i), message})
		}
	}
	return p.found
}

func (p *checker) write(r *sdk.Record, c check, f finding) {
	r.Count("check."+c.name, 1)
	p.buf = p.buf[:0]
	for _, member := range [][2]string{{`{"check":`, c.name}, {`,"section":`, c.section}, {`,"path":`, f.path}, {`,"message":`, f.message}} {
		p.buf = jsontext.AppendString(append(p.buf, member[0]...), member[1])
	}
	p.buf = append(p.buf, '}')
	r.Side("findings", p.buf)
}
