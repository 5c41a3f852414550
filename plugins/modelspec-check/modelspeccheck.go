// Package modelspeccheck holds threads against the rules of the Modular Model Spec.
package modelspeccheck

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/sluicehq/sluice/plugins/internal/jsontext"
	"github.com/sluicehq/sluice/plugins/internal/modelspec"
	"github.com/sluicehq/sluice/sdk"
)

// Plugin checks rows, bare threads and token text. A record that fails gets the label check with the names of the
// checks, "pass" otherwise; a check in mode "reject" rejects it under its name. Every finding is a row of the side
// output "findings": {"check", "section", "path", "message"}, and a count "check.NAME".
var Plugin = sdk.Plugin{
	Name: "modelspec-check",
	Doc:  "checks threads against the rules of the Modular Model Spec",
	New:  newChecker,
}

// config is the attributes of the step.
type config struct {
	Checks     map[string]string `hcl:"checks,optional"`      // name to "reject", "label" or "off"
	LeakLength int               `hcl:"leak_length,optional"` // in code points; default 48
}

type checker struct {
	checks     []check // those that are not off
	leakLength int
	buf        []byte
}

func newChecker(a sdk.Args) (sdk.Processor, error) {
	cfg := config{LeakLength: 48}
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
		if !slices.Contains(known, name) {
			errs = append(errs, a.Errorf("checks."+name, "want one of %s, have %q", strings.Join(known, ", "), name))
		}
		if mode != "reject" && mode != "label" && mode != "off" {
			errs = append(errs, a.Errorf("checks."+name, "want reject, label or off, have %q", mode))
		}
	}
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
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
	t, err := modelspec.Read(string(r.JSON()))
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
	var failed []string
	var verdict error
	for _, c := range p.checks {
		for i := range v.Messages {
			message := c.find(v, i)
			if message == "" {
				continue
			}
			path := fmt.Sprintf("messages.%d", i)
			p.finding(r, c, path, message)
			if !slices.Contains(failed, c.name) {
				failed = append(failed, c.name)
			}
			if c.mode == "reject" && verdict == nil {
				verdict = sdk.Reject(c.name, path, "%s (%s)", message, c.section)
			}
		}
	}
	label := "pass"
	if len(failed) > 0 {
		label = strings.Join(failed, ",")
	}
	r.SetLabel("check", label)
	return verdict
}

func (p *checker) finding(r *sdk.Record, c check, path, message string) {
	r.Count("check."+c.name, 1)
	p.buf = p.buf[:0]
	for _, member := range [][2]string{{`{"check":`, c.name}, {`,"section":`, c.section}, {`,"path":`, path}, {`,"message":`, message}} {
		p.buf = jsontext.AppendString(append(p.buf, member[0]...), member[1])
	}
	p.buf = append(p.buf, '}')
	r.Side("findings", p.buf)
}
