package report

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Scope says what a privacy step looks for, and what it does not look for.
type Scope struct {
	Profile      string   // "standard" or "reference"
	LookedFor    []string // entities, sorted
	NotLookedFor []string // kinds that no rule looks for, in words for people
	Off          []string // entities that the step's attributes switch off
	Kept         []string // what its attributes leave as it is, in words for people
	Recogniser   string   // the program that looks for more, or ""
	NamesFile    bool     // whether it looks for the names in a file
}

// meaning is what an attestation that has passed says, in words for people.
const meaning = "passed says that the rules, run on what they had left, find nothing more. It does not say that the output holds no " +
	"personal data: the rules miss values, do not look for what not_looked_for lists, and did not search what rows.steps_behind made."

// standardProfile is the one profile that passes, since the reference misses most of what the standard rules find.
const standardProfile = "standard"

// Standard reports whether the profile is the one whose rules find most.
func (s *Scope) Standard() bool { return s.Profile == standardProfile }

func (s *Scope) object() object {
	return object{
		"profile": s.Profile, "looked_for": orNone(s.LookedFor), "not_looked_for": orNone(s.NotLookedFor), "switched_off": orNone(s.Off),
		"left_as_is": orNone(s.Kept), "recogniser": orNull(s.Recogniser), "names_file": s.NamesFile, "meaning": meaning,
	}
}

func orNone(names []string) []string { return append([]string{}, names...) }

// NotAbout returns what NotLookedFor is, in words for people: a recogniser may look for more than the rules.
func (s *Scope) NotAbout() string {
	if s.Recogniser != "" {
		return "not looked for by the rules"
	}
	return "not looked for"
}

// A Statement is what a scope says of one thing, in words for people.
type Statement struct{ About, Text string }

// Statements returns what people should know of a scope, with the suspects that the step counted.
func (s *Scope) Statements(suspects map[string]int64) (all []Statement) {
	say := func(about string, parts []string, between string) {
		if len(parts) > 0 {
			all = append(all, Statement{about, strings.Join(parts, between)})
		}
	}
	switch s.Profile {
	case "":
		say("profile", []string{"not known, since the run is of an older sluice"}, "")
	case standardProfile:
		say("profile", []string{s.Profile}, "")
	default:
		say("profile", []string{s.Profile + ", which misses most of what profile standard finds"}, "")
	}
	say("looked for", s.LookedFor, ", ")
	say(s.NotAbout(), s.NotLookedFor, "; ")
	say("switched off", s.Off, ", ")
	say("left as it is", s.Kept, ", ")
	if s.Recogniser != "" {
		say("recogniser", []string{s.Recogniser}, "")
	}
	if text := Suspects(suspects); text != "" {
		say("left, though suspect", []string{text}, "")
	}
	return all
}

// Suspects says how many of each kind of suspects a step counted, "" for none. A suspect is a value that a detector takes for a
// secret or a number of somebody, and that the step let through all the same.
func Suspects(counts map[string]int64) string {
	var all []string
	for _, kind := range slices.Sorted(maps.Keys(counts)) {
		like := "like a " + strings.ReplaceAll(kind, "-", " ")
		switch kind {
		case "number":
			like = "like the number of a card"
		case "rest":
			like = "like the rest of a secret"
		}
		if n := counts[kind]; n > 0 {
			all = append(all, fmt.Sprintf("%d %s", n, like))
		}
	}
	return strings.Join(all, ", ")
}

// Lines returns what an attestation says, for people.
func Lines(doc []byte) ([]string, error) {
	var a attested
	if err := json.Unmarshal(doc, &a); err != nil {
		return nil, fmt.Errorf("want an attestation: %w", err)
	}
	if a.Scope == nil {
		return nil, errors.New("want scope in the attestation, which is missing")
	}
	verdict := "not passed: the reasons are in not_passed"
	if a.Passed {
		verdict = "passed: the rules find nothing more in what the step let through"
	}
	lines := []string{verdict, "output: " + a.Artifacts["redacted_jsonl"].Path}
	if behind := a.Rows.StepsBehind; len(behind) > 0 {
		lines[1] += ", written by steps behind the filter, which nothing searched again: " + strings.Join(behind, ", ")
	}
	for _, x := range a.Scope.scope().Statements(a.Suspects) {
		lines = append(lines, x.About+": "+x.Text)
	}
	return lines, nil
}

// attestedScope is a scope as an attestation has it.
type attestedScope struct {
	Profile      string
	LookedFor    []string `json:"looked_for"`
	NotLookedFor []string `json:"not_looked_for"`
	Off          []string `json:"switched_off"`
	Kept         []string `json:"left_as_is"`
	Recogniser   string
	NamesFile    bool `json:"names_file"`
	Meaning      string
}

func (a *attestedScope) scope() *Scope {
	return &Scope{a.Profile, a.LookedFor, a.NotLookedFor, a.Off, a.Kept, a.Recogniser, a.NamesFile}
}

// scope checks that an attestation says what was looked for, and that its other members agree with that.
func (c *checker) scope(a *attested) {
	s := a.Scope
	if s == nil {
		c.want(false, "want scope, which is missing: the run is of an older sluice; run the pipeline again")
		return
	}
	c.want(s.Profile == standardProfile, "want scope.profile %q, have %q, whose rules miss most of what the standard ones find", standardProfile, s.Profile)
	c.want(len(s.LookedFor) > 0, "want entities in scope.looked_for, have 0")
	c.want(len(s.NotLookedFor) > 0 && s.Meaning != "", "want scope.not_looked_for and scope.meaning, have %d kinds and %d bytes", len(s.NotLookedFor), len(s.Meaning))
	for _, name := range s.Off {
		c.want(!slices.Contains(s.LookedFor, name), "want %s either in scope.looked_for or in scope.switched_off, have it in both", name)
	}
	c.want(s.NamesFile == (a.Bindings.Names != ""), "want scope.names_file true with bindings.names_sha256 only, have %t with %d bytes", s.NamesFile, len(a.Bindings.Names))
	c.want(s.Recogniser == a.BackendName, "want the same program in scope.recogniser and backend_name, have %d and %d bytes", len(s.Recogniser), len(a.BackendName))
}

// entities checks that the ledger holds only what the attestation says was looked for. A recogniser may name what it likes.
func (c *checker) entities(a *attested, ledger *statistics) {
	if a.Scope == nil || !ledger.whole || a.Scope.Recogniser != "" {
		return
	}
	for name := range ledger.entities {
		c.want(slices.Contains(a.Scope.LookedFor, name), "want ledger rows of scope.looked_for only, have one of %q", name)
	}
}
