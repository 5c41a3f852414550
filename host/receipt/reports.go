package receipt

import "slices"

// FirstReport counts the records that each member of a first took, which shows the members that can go. A record is a step's
// when the step did not decline it, whatever came of it then.
type FirstReport struct {
	First    string        `json:"first"`
	Records  int64         `json:"records"`           // that came
	Declined int64         `json:"declined"`          // by all of its steps
	Steps    []FirstMember `json:"steps"`             // in the order of the file
	Partial  bool          `json:"partial,omitempty"` // the run did not read everything, so no member is known to be unused
	Path     string        `json:"-"`                 // of the report, empty when there is none
}

// FirstMember is one step of a first, the current one of a shadow.
type FirstMember struct {
	Step       string    `json:"step"`
	Rows       int64     `json:"rows"`     // records it did not decline
	Rejected   int64     `json:"rejected"` // of them
	Share      float64   `json:"share"`    // of the records that came, 0 to 1
	First      *Position `json:"first"`
	Last       *Position `json:"last"`
	Deprecated string    `json:"deprecated,omitempty"`
	CanGo      bool      `json:"can_go"` // no record needed it
}

// RouteReport counts the records that took each branch of a route.
type RouteReport struct {
	Route    string           `json:"route"`
	Branches []Branch         `json:"ways"`             // in the order of the file, the default last
	Rejected int64            `json:"rejected"`         // records that no branch took
	Others   map[string]int64 `json:"others,omitempty"` // records that no case took, by the first values of their label
	Unmet    []UnmetCase      `json:"unmet,omitempty"`
}

// UnmetCase is a case that no record took, though others came, when no plugin has declared that its value may come: then it may be
// misspelt.
type UnmetCase struct {
	Case  string `json:"case"`
	Like  int64  `json:"like,omitempty"`  // records that no case took, whose value is spelt much like this one
	Value string `json:"value,omitempty"` // that value, if the route is on a label
}

// Taken returns how many records took the cases, and how many came in all.
func (r *RouteReport) Taken() (cases, all int64) {
	all = r.Rejected
	for _, b := range r.Branches {
		all += b.Records
		if !b.Default {
			cases += b.Records
		}
	}
	return cases, all
}

// Branch is a case of a route, or its default.
type Branch struct {
	Case    string `json:"case"`
	Default bool   `json:"default,omitempty"`
	Records int64  `json:"records"`
}

// ShadowReport says how the records of the two steps of a shadow differ.
type ShadowReport struct {
	Shadow    string   `json:"shadow"`
	Current   string   `json:"current"`           // step
	Candidate string   `json:"candidate"`         // step
	Ignore    []string `json:"ignore,omitempty"`  // paths whose differences do not count
	Partial   bool     `json:"partial,omitempty"` // the run did not read everything
	Comparison
	Path string `json:"-"` // of the report
}

// A ShadowDifference says how two records differ at one place. Path is a gjson path, empty when the outcomes differ. It has # for
// array indexes, and * for a key that looks like data rather than a name. An element that one record lacks at the beginning of an
// array has the index 0. The path of a label is @ and its name, and that of the rows of a side output begins with / and its name.
type ShadowDifference struct {
	Path      string `json:"path"`
	Current   string `json:"current"`   // what is there: a type, or a verdict with its code
	Candidate string `json:"candidate"` // likewise, or "moved" for an element that it has at another index
}

// A ShadowGroup counts the records with a difference, and holds the first of them.
type ShadowGroup struct {
	ShadowDifference
	Records  int64     `json:"records"`
	Examples []Example `json:"examples,omitempty"` // the first few in the input
}

// An Example is a record with a difference. Current and Candidate are what each step has there: JSON text when the
// shadow shows values, or the message of an outcome. They have at most 200 bytes, and are "(private)" for private steps. Path has
// indexes where that of the difference has #. Side rows from after the last record have no position.
type Example struct {
	Position
	Origins     []Position `json:"origins,omitempty"` // of a record that was made of several: the first of these
	MoreOrigins int64      `json:"more_origins,omitempty"`

	Path      string `json:"path,omitempty"`
	Current   string `json:"current,omitempty"`
	Candidate string `json:"candidate,omitempty"`
}

// A Cutoff says after which record the candidate was left out, and why. After is nil when no record was compared.
type Cutoff struct {
	After *Position `json:"after"`
	Why   string    `json:"why,omitempty"`
}

// A Comparison is what a shadow found so far, the most frequent difference first.
type Comparison struct {
	Records     int64         `json:"records"` // compared, those that the steps emit after the last one included
	Differing   int64         `json:"differing"`
	Ignored     int64         `json:"ignored,omitempty"` // differ at ignored paths alone
	NotCompared int64         `json:"not_compared,omitempty"`
	Stopped     *Cutoff       `json:"stopped,omitempty"`
	Differences []ShadowGroup `json:"differences"`
}

// WithoutValues returns the comparison without text of plugins and records: without examples and failure messages.
func (c Comparison) WithoutValues() Comparison {
	c.Differences = slices.Clone(c.Differences)
	for i := range c.Differences {
		c.Differences[i].Examples = nil
	}
	if c.Stopped != nil {
		c.Stopped = &Cutoff{After: c.Stopped.After}
	}
	return c
}
