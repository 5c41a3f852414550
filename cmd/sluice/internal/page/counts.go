package page

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/sluicehq/sluice/cmd/sluice/internal/attest"
	"github.com/sluicehq/sluice/cmd/sluice/internal/chart"
	"github.com/sluicehq/sluice/cmd/sluice/internal/format"
	"github.com/sluicehq/sluice/cmd/sluice/internal/mask"
	"github.com/sluicehq/sluice/host/receipt"
	attestation "github.com/sluicehq/sluice/plugins/privacy/report"
)

// A reason is a name that a step counts by.
type reason struct {
	Step, Name string
	N          int64
	Share      string
	Bar        chart.Bar
}

// reasons returns the reasons of all steps, the highest count first.
func reasons(fill string, steps []receipt.StepAccount, of func(receipt.StepAccount) map[string]int64) list[reason] {
	var all []reason
	var most, sum int64
	for _, s := range steps {
		for name, n := range mask.Counts(of(s)) {
			all = append(all, reason{Step: s.Name, Name: name, N: n})
			most, sum = max(most, n), sum+n
		}
	}
	slices.SortFunc(all, func(a, b reason) int {
		return cmp.Or(cmp.Compare(b.N, a.N), cmp.Compare(a.Step, b.Step), cmp.Compare(a.Name, b.Name))
	})
	for i := range all {
		all[i].Bar, all[i].Share = chart.BarOf(most, fill, all[i].N), format.Share(all[i].N, sum)
	}
	return listOf(all)
}

// ofStep returns the reasons of one step.
func ofStep(fill string, s receipt.StepAccount, by map[string]int64) list[reason] {
	return reasons(fill, []receipt.StepAccount{s}, func(receipt.StepAccount) map[string]int64 { return by })
}

// beginning returns the counts whose names begin with a prefix, without it.
func beginning(counts map[string]int64, word string) map[string]int64 {
	some := map[string]int64{}
	for name, n := range counts {
		if rest, ok := strings.CutPrefix(name, word+"."); ok {
			some[rest] = n
		}
	}
	return some
}

func (m *maker) losses() list[reason] {
	return reasons("warn", m.run.Steps, func(s receipt.StepAccount) map[string]int64 { return beginning(s.Counts, "loss") })
}

// counts returns the counts that no other part of the page shows.
func (m *maker) counts() list[reason] {
	return reasons("quiet", m.run.Steps, func(s receipt.StepAccount) map[string]int64 {
		shown := []string{"loss"}
		if found(s) {
			shown = append(shown, "entity", "category", "rule", "residue", "suspect")
		}
		if divided(s) {
			shown = append(shown, "split", "by")
		}
		some := map[string]int64{}
		for name, n := range s.Counts {
			if word, _, _ := strings.Cut(name, "."); !slices.Contains(shown, word) {
				some[name] = n
			}
		}
		return some
	})
}

type privacyView struct {
	Step       string
	Strict     string // whether it looked once more at what it let through: true, false or ""
	Found      int64
	Entities   list[reason]
	Categories list[reason]
	Left       int64 // findings behind the filter
	LeftBy     list[reason]
	Suspects   list[reason]
	Standard   bool // the profile is the one whose rules find most
	Scope      []attestation.Statement
	Facts      []pair
	In, Out    int64
}

func found(s receipt.StepAccount) bool {
	return s.Plugin == "privacy" || len(beginning(s.Counts, "entity")) > 0
}

func (m *maker) privacy() (all []privacyView) {
	for _, s := range m.run.Steps {
		if !found(s) || s.In == 0 {
			continue
		}
		by := func(word, fill string) list[reason] { return ofStep(fill, s, beginning(s.Counts, word)) }
		p := privacyView{
			Step: s.Name, Strict: s.Facts["strict"], Left: s.Counts["residue"], In: s.In, Out: s.Out,
			Entities: by("entity", "main"), Categories: by("category", "main"), LeftBy: by("residue", "bad"), Suspects: by("suspect", "warn"),
		}
		for _, n := range beginning(s.Counts, "entity") {
			p.Found += n
		}
		if scope := attest.Scope(s.Facts); scope.Profile != "" {
			p.Standard, p.Scope = scope.Standard(), scope.Statements(nil) // the page has the suspects by kind
		}
		for _, name := range factsInOrder(s.Facts) {
			if !slices.Contains(attest.ScopeFacts, name) {
				p.Facts = append(p.Facts, pair{strings.ReplaceAll(strings.TrimSuffix(name, "_sha256"), "_", " "), s.Facts[name]})
			}
		}
		if s.Facts[receipt.FactRules] == "" {
			for _, rules := range s.Rules() {
				p.Facts = append(p.Facts, pair{"rules", mask.Word(rules)})
			}
		}
		all = append(all, p)
	}
	return all
}

func factsInOrder(facts map[string]string) []string {
	no := func(name string) int {
		if strings.HasSuffix(name, "_sha256") {
			return 0
		}
		return 1
	}
	return slices.SortedFunc(maps.Keys(facts), func(a, b string) int { return cmp.Or(cmp.Compare(no(a), no(b)), cmp.Compare(a, b)) })
}

type splitView struct {
	Step   string
	Splits list[reason]
	By     list[reason] // what decided
}

// ofWhole sets the bars and shares of a list to parts of a whole.
func ofWhole(l list[reason], whole int64) list[reason] {
	for i := range l.Rows {
		l.Rows[i].Bar, l.Rows[i].Share = chart.BarOf(whole, "main", l.Rows[i].N), format.Share(l.Rows[i].N, whole)
	}
	return l
}

func divided(s receipt.StepAccount) bool { return len(beginning(s.Counts, "split")) > 0 }

func (m *maker) splits() (all []splitView) {
	for _, s := range m.run.Steps {
		if divided(s) {
			by := func(word string) list[reason] { return ofWhole(ofStep("main", s, beginning(s.Counts, word)), s.Out) }
			all = append(all, splitView{s.Name, by("split"), by("by")})
		}
	}
	return all
}
