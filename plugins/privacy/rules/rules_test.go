package rules

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the rows of the files into testdata/rows.golden")

// TestRows shows every row that is added, changed or lost as a line of its own. The tests of the recognisers hold what
// each of them does.
func TestRows(t *testing.T) {
	var rows []string
	for _, r := range slices.Concat(Secrets(), Numbers(), Identifiers()) {
		rows = append(rows, fmt.Sprintf("rule %s %s anchors %q pattern %q", r.Name, r.Entity, r.Anchors, r.Pattern))
	}
	for _, key := range slices.Sorted(maps.Keys(Keys())) {
		rows = append(rows, fmt.Sprintf("key %s %b", key, Keys()[key]))
	}
	for _, entity := range slices.Sorted(maps.Keys(Entities())) {
		rows = append(rows, fmt.Sprintf("entity %s %s", entity, Category(entity)))
	}
	tables := Tables()
	for _, i := range tables.Issuers {
		rows = append(rows, fmt.Sprintf("card %d to %d of %v digits", i.From, i.To, i.Lengths))
	}
	for _, country := range slices.Sorted(maps.Keys(tables.IBANSizes)) {
		rows = append(rows, fmt.Sprintf("iban %s %d", country, tables.IBANSizes[country]))
	}
	rows = append(rows, fmt.Sprintf("groups %v", tables.CardGroups), fmt.Sprintf("documentation %v", tables.Documentation))
	for _, cue := range strings.Split(strings.Trim(fmt.Sprintf("%+q", Cues()), "{}"), "] [") {
		rows = append(rows, "cues "+cue)
	}
	for _, words := range strings.Split(strings.Trim(fmt.Sprintf("%+q", Words()), "{}"), "] [") {
		rows = append(rows, "words "+words)
	}
	for _, name := range slices.Sorted(maps.Keys(Regions())) {
		r := Regions()[name]
		rows = append(rows, fmt.Sprintf("region %s begins %q", name, r.Begins), fmt.Sprintf("region %s phone %+q", name, r.Phone),
			fmt.Sprintf("region %s behind %+q", name, r.Behind), fmt.Sprintf("region %s shapes %q", name, r.Shapes))
	}
	rows = append(rows, fmt.Sprintf("birth %+q", Dates().Birth), fmt.Sprintf("birth behind %+q", Dates().BirthBehind), fmt.Sprintf("months %+q", Dates().Months))
	have := strings.Join(rows, "\n") + "\n"
	const golden = "testdata/rows.golden"
	if *update {
		if err := os.WriteFile(golden, []byte(have), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), have); diff != "" {
		t.Errorf("rows (-want +have):\n%s", diff)
	}
}

func TestPlainKey(t *testing.T) {
	for _, c := range []struct{ reason, key, want string }{
		{"plain already", "dob2", "dob2"},
		{"camel case", "clientSecret", "clientsecret"},
		{"what joins words", "Client_Secret-key x", "clientsecretkeyx"},
		{"other scripts", "é中Key", "key"},
	} {
		if have := PlainKey(c.key); have != c.want {
			t.Errorf("%s: want %q, have %q", c.reason, c.want, have)
		}
	}
}

// TestNotLookedFor holds that the README names every kind that no rule looks for, and that its entity is one.
func TestNotLookedFor(t *testing.T) {
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range NotLookedFor() {
		if !strings.Contains(string(readme), "\n- "+kind.Name+"\n") {
			t.Errorf("want %q in a line of the README, have none", kind.Name)
		}
		if kind.Name == "" || kind.Entity != "" && Entities()[kind.Entity] == "" {
			t.Errorf("want a name and an entity of the rules, have %q and %q", kind.Name, kind.Entity)
		}
	}
}
