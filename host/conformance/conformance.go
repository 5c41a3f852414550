// Package conformance checks that a plugin's program keeps the protocol: it starts the program as a host does, and tries
// what may happen in a run.
package conformance

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/sluicehq/sluice/host"
	"github.com/sluicehq/sluice/host/internal/launch"
	"github.com/sluicehq/sluice/host/internal/plan"
	"github.com/sluicehq/sluice/sdk/wire"
)

// Target is a plugin's program that is checked.
type Target struct {
	Path    string        // of the program
	Name    string        // of the plugin; empty: as the program's file is named
	Args    []byte        // a JSON object, the attributes that it is opened with
	Env     []string      // names of variables that the process gets
	Rows    [][]byte      // records to send; none: made-up ones
	Timeout time.Duration // for each request
	Only    []string      // names of checks; none: all
	Quick   bool          // send few records

	launch launch.Options // without Finder, Inline, Poison and Log
}

// Outcomes of a check.
const (
	Passed        = "passed"
	Failed        = "failed"
	Skipped       = "skipped"        // it could be made with other rows or flags
	NotApplicable = "not applicable" // it is about what the plugin has not
)

// Result is the outcome of one check.
type Result struct {
	Check   string `json:"check"`
	About   string `json:"about"` // what the plugin has to do, a sentence
	Outcome string `json:"outcome"`
	Why     string `json:"why,omitempty"`  // unless it passed
	Note    string `json:"note,omitempty"` // what to expect of the checks that follow
}

// check is one requirement of the protocol. Its error says how the plugin breaks it; a notApplicable says why it does not
// apply, a notTried why it was not made.
type check struct {
	name, about string
	run         func(context.Context, *subject) error
}

var checks = []check{
	{"by hand", "started by a person, it says so, exits with a code that is not 0 and shakes no hands", startedByHand},
	{"handshake", "it prints one line on stdout, as the core protocol has it", afterHandshake(launch.OfferedVersions, checkHandshake)},
	{"version range", "it takes the highest version that both ends know", afterHandshake(launch.OfferedVersions+","+futureVersion, versionRange)},
	{"unknown version", "it answers a host of other versions with the one that it has", afterHandshake(futureVersion, unknownVersion)},
	{"host death", "it exits when the host is gone", afterHandshake(launch.OfferedVersions, hostDeath)},
	{"description", "it says what it is, with names and codes of the right form", description},
	{"unknown attribute", "an attribute that it does not take is a mistake at that attribute", func(ctx context.Context, s *subject) error {
		return s.wantMistake(ctx, `{"no_such_attribute":true}`, "no_such_attribute")
	}},
	{"missing attribute", "a required attribute that is absent is a mistake at that attribute", missingAttribute},
	{"wrong attribute", "an attribute of another type is a mistake at that attribute", wrongAttribute},
	{"no records", "it opens, and closes without having had a record", answersRecords(0, 0, mode{})},
	{"rows", "it answers every record", rows},
	{"again", "the same records give the same answers in another process", sameAnswers(mode{})},
	{"one by one", "a batch of one record gets the same answers as a batch of all", sameAnswers(mode{batch: 1})},
	{"messages", "records in messages get the same answers as records in memory", sameAnswers(mode{inline: true})},
	{"workers", "several workers give the same answers as one", workers},
	{"kept views", "nothing that it keeps of a record changes with the memory that the record lay in", sameAnswers(mode{poison: true, batch: 7})},
	{"state", "a process that goes on in the middle gives the same answers: an ordered plugin from the state that another has saved", state},
	{"slow host", "it waits for memory as long as the host takes", answersRecords(300, 256<<10, mode{slow: true, batch: 50})},
	{"huge batch", "it answers a batch of 100,000 records", hugeBatch},
	{"large record", "it answers a record of 64 MiB", answersRecords(1, large, mode{})},
	{"large record in messages", "it answers a record of 64 MiB that comes in a message", answersRecords(1, large, mode{inline: true})},
	{"odd records", "it answers every JSON value, and stays", oddRecords(mode{})},
	{"odd records in messages", "it answers every JSON value that comes in a message, and stays", oddRecords(mode{inline: true})},
	{"untouched bytes", "what it leaves in a record it leaves as it was written", untouchedBytes},
	{"declared", "it writes outputs, labels with their values and codes that it has declared", declared},
	{"stdout", "it prints nothing on stdout behind the handshake", cleanStdout},
	{"ending", "it exits by itself, with code 0, when it is asked to", ending},
}

// Checks returns the names of all checks, in the order in which they run.
func Checks() (all []string) {
	for _, c := range checks {
		all = append(all, c.name)
	}
	return all
}

// notApplicable says why a check does not apply to a plugin.
type notApplicable string

func (n notApplicable) Error() string { return string(n) }

// notTried says why a check that applies was not made.
type notTried string

func (n notTried) Error() string { return string(n) }

func outcome(err error) string {
	if _, ok := errors.AsType[notApplicable](err); ok {
		return NotApplicable
	}
	if _, ok := errors.AsType[notTried](err); ok {
		return Skipped
	}
	return Failed
}

// Run runs the checks and passes each result to report as it comes. The error is about a program that does not exist, or that of
// ctx.
func Run(ctx context.Context, target Target, opts host.Options, report func(Result)) ([]Result, error) {
	if err := target.resolve(); err != nil {
		return nil, err
	}
	target.launch = opts.WithDefaults().Launch(plan.Unlocked("."))
	s := &subject{Target: target, observed: observed{outputs: map[string]bool{}, labels: map[string]bool{}, codes: map[string]bool{}, values: map[wire.Label]bool{}}}
	var all []Result
	for _, c := range checks {
		if len(target.Only) > 0 && !slices.Contains(target.Only, c.name) {
			continue
		}
		r := Result{Check: c.name, About: c.about, Outcome: Passed}
		err := s.blocked
		if err == nil {
			err = c.run(ctx, s)
		}
		if ctx.Err() != nil {
			return all, context.Cause(ctx)
		}
		if err != nil {
			r.Outcome, r.Why = outcome(err), err.Error()
		}
		if c.name == "rows" {
			r.Note = s.expected()
		}
		all = append(all, r)
		report(r)
	}
	return all, nil
}

func (t *Target) resolve() (err error) {
	if t.Path, err = filepath.Abs(t.Path); err != nil {
		return err
	}
	if err := launch.CheckExecutable(t.Path); err != nil {
		return err
	}
	if t.Name == "" {
		base := strings.TrimSuffix(filepath.Base(t.Path), ".exe")
		name, ok := strings.CutPrefix(base, launch.Prefix)
		if !ok {
			return fmt.Errorf("want a program named %sNAME, or --name with that of the plugin, have %s", launch.Prefix, base)
		}
		t.Name = name
	}
	return nil
}

// A subject is a target with what was observed of it.
type subject struct {
	Target
	observed
	blocked  error         // why the later checks cannot run
	baseline []string      // answers of the first run, for comparison
	took     time.Duration // by the plugin, for the records of the last run
	pace     time.Duration // of a record, in the first run
}

// observed is what the plugin did in all processes.
type observed struct {
	outputs, labels, codes map[string]bool
	values                 map[wire.Label]bool
	declined               bool   // a record
	stdoutLines            int64  // after the handshake
	exits                  int    // processes that were asked to exit
	badExit                string // how one of them exited, if not with code 0
}

func (s *subject) withTimeout(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, s.Timeout, fmt.Errorf("want an answer within %v, have silence", s.Timeout))
}
