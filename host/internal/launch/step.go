package launch

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/sdk/wire"
)

// A Step is one step of a chain.
type Step struct {
	Request
	Location Location
	Info     wire.Info // the plugin's description
	Version  string    // of the program
	Chain    *Chain
	Index    int // in the chain

	// LabelValues lists, by label, the values that a step with these attributes can set; it never sets a label without values.
	LabelValues map[string][]string

	opts     *Options
	problems []Problem
	twin     *Step // see Options.Plain; nil: none
}

func (s *Step) problem(attr, format string, args ...any) {
	s.problems = append(s.problems, Problem{Attr: attr, Message: fmt.Sprintf(format, args...)})
}

// find looks the plugin up. The description of a built-in is known without a process.
func (s *Step) find() error {
	found, err := s.opts.Finder.Find(s.Plugin, &s.opts.BuiltIns)
	if err != nil && isShortage(err) {
		return fmt.Errorf("step %s: %w", s.Name, err)
	}
	if err != nil {
		s.problems = append(s.problems, Problem{Message: err.Error(), Cause: err})
		return nil
	}
	s.Location = found
	if found.BuiltIn {
		s.Info, _ = s.opts.BuiltIns.Plugin(found.Name)
		s.Version = s.opts.BuiltIns.Version
		s.share()
		if s.Untrusted != "" {
			cause := &Untrusted{Plugin: s.Plugin, Attr: s.Untrusted}
			s.problems = append(s.problems, Problem{Message: cause.Error(), Cause: cause})
		}
	} else if s.opts.InProcess {
		s.problem("", "want a built-in plugin to run in process, have %s", found.Path)
	}
	return nil
}

// share adds the attributes that the step shares with others to its own, as far as its plugin, which is described, takes them.
func (s *Step) share() {
	own := gjson.ParseBytes(s.Args)
	gjson.ParseBytes(s.Shared).ForEach(func(name, value gjson.Result) bool {
		if s.Info.Takes(name.Str) && !own.Get(gjson.Escape(name.Str)).Exists() {
			args := strings.TrimSuffix(string(s.Args), "}")
			if args != "{" {
				args += ","
			}
			s.Args = []byte(args + name.Raw + ":" + value.Raw + "}")
		}
		return true
	})
}

// chains divides steps into those that one process can run, as far as that is known before it starts. The members of a
// First join a chain together or not at all.
func chains(steps []*Step, join bool) (all [][]*Step) {
	open := false // the last chain takes more
	for i := 0; i < len(steps); {
		n := 1
		for i+n < len(steps) && steps[i+n].Or {
			n++
		}
		unit := steps[i : i+n]
		i += n
		whole := join && !slices.ContainsFunc(unit, func(s *Step) bool {
			return s.Alone || s.Info.HasOwnChain() || len(s.problems) > 0 || !s.canShare(unit[0])
		})
		switch {
		case !whole:
			for k := range unit {
				all = append(all, unit[k:k+1:k+1])
			}
		case open && unit[0].Follows && unit[0].canShare(all[len(all)-1][0]):
			last := &all[len(all)-1]
			*last = append(*last, unit...)
		default:
			all = append(all, slices.Clip(unit))
		}
		open = whole
	}
	return all
}

// canShare reports whether one process can run both steps: they are of one program, with the same settings.
func (s *Step) canShare(other *Step) bool {
	a, b := s.Location, other.Location
	return a.Path == b.Path && a.pin == b.pin && a.locked == b.locked && a.BuiltIn == b.BuiltIn &&
		s.Workers == other.Workers && s.Batch == other.Batch && s.Restart == other.Restart && s.Restarts == other.Restarts && slices.Equal(s.Env, other.Env)
}
