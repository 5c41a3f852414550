package privacy

import (
	"slices"
	"strings"
	"testing"
)

// TestSetup holds that what a receipt and an attestation say of a step is what its attributes make it do.
func TestSetup(t *testing.T) {
	for _, c := range []struct {
		reason, attributes     string
		looked, not, off, kept string // one of each that must be there; with - in front, that must not
		more                   func(Setup) bool
	}{
		{"the defaults", `{}`, "PASSWORD", "user names and names of machines", "-SOCIAL_HANDLE", "-", func(s Setup) bool {
			return s.Strict && s.Profile == "standard" && s.LedgerHash == "none" && s.Recogniser == ""
		}},
		{"names need a list", `{}`, "-PERSON", "names of people that are in no list", "-PERSON", "-", nil},
		{"a list of names", `{"names_file":"people.txt"}`, "PERSON", "names of people that are in no list", "-", "-", func(s Setup) bool { return s.NamesFile == "people.txt" && s.Scope.NamesFile }},
		{"addresses need an action", `{}`, "-STREET_ADDRESS", "postal addresses, but for those in English when STREET_ADDRESS is on", "-STREET_ADDRESS", "-", nil},
		{"addresses with one", `{"entities":{"STREET_ADDRESS":"mask"}}`, "STREET_ADDRESS", "-", "-", "-", nil},
		{"switched off", `{"entities":{"IP_ADDRESS":"off","US_SSN":"reject"}}`, "-IP_ADDRESS", "-", "IP_ADDRESS", "-", nil},
		{"handles off", `{"handles":"off"}`, "-SOCIAL_HANDLE", "-", "SOCIAL_HANDLE", "-", nil},
		{"a rule of one's own", `{"rules":[{"name":"n","entity":"PERSON","pattern":"Bo"},{"name":"t","entity":"TICKET","pattern":"T-[0-9]"}]}`, "PERSON", "-", "-", "-", func(s Setup) bool { return slices.Contains(s.LookedFor, "TICKET") }},
		{"values are counted, not shown", `{"allow":{"exact":["ann@example.org","b"],"patterns":["c"]}}`, "PASSWORD", "-", "-", "2 allowed values", func(s Setup) bool {
			return slices.Equal(s.Kept, []string{"2 allowed values", "1 allowed pattern"})
		}},
		{"what is reserved", `{"keep_reserved":true,"keep_documentation_addresses":true}`, "IP_ADDRESS", "-", "-", "what is reserved for documents and tests", nil},
		{"a recogniser in Python", `{"backend":{"command":["/venv/bin/python","/a/names.py","--key","x"]}}`, "-PERSON", "-", "-", "-", func(s Setup) bool { return s.Recogniser == "names.py" }},
		{"a recogniser that is a program", `{"backend":{"command":["/opt/ner","small"]}}`, "PASSWORD", "-", "-", "-", func(s Setup) bool { return s.Recogniser == "ner" }},
		{"a key for hashes", `{"hash_key":"0123456789abcdef"}`, "PASSWORD", "-", "-", "-", func(s Setup) bool { return s.LedgerHash == "key" }},
		{"not strict", `{"strict":false}`, "PASSWORD", "-", "-", "-", func(s Setup) bool { return !s.Strict }},
		{"the renderer's filter", `{"profile":"standard","structured":false}`, "PASSWORD", "-", "-", "-", func(s Setup) bool { return !s.Strict }},
	} {
		s, err := SetupOf([]byte(c.attributes))
		if err != nil {
			t.Errorf("%s: %v", c.reason, err)
			continue
		}
		for i, all := range [][]string{s.LookedFor, s.NotLookedFor, s.Off, s.Kept} {
			want := []string{c.looked, c.not, c.off, c.kept}[i]
			name, absent := strings.CutPrefix(want, "-")
			if slices.Contains(all, name) == absent {
				t.Errorf("%s: want %q in list %d, have %q", c.reason, want, i, all)
			}
		}
		if c.more != nil && !c.more(s) {
			t.Errorf("%s: have %+v", c.reason, s)
		}
	}
	if _, err := SetupOf([]byte(`{"unknown":1}`)); err == nil {
		t.Error("want an error for an attribute that is none, have none")
	}
}
