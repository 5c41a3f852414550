package phone

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/nyaruka/phonenumbers"
)

var update = flag.Bool("update", false, "write the table of the module that go.mod names")

// TestTable holds the table to the plans of numbers of libphonenumber, in the version of them that go.mod names.
func TestTable(t *testing.T) {
	want := libraryTable(t)
	if *update {
		if err := os.WriteFile("regions.txt", []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(want, table); diff != "" {
		t.Errorf("regions.txt: want the table of the module, which go test ./plugins/privacy/phone -update writes (-want +have):\n%s", diff)
	}
}

// libraryTable has a line for each region, by country code, and of one code in the order in which regions are tried.
func libraryTable(t *testing.T) string {
	t.Helper()
	all, err := phonenumbers.MetadataCollection()
	if err != nil {
		t.Fatal(err)
	}
	byID := map[string]*phonenumbers.PhoneMetadata{}
	for _, m := range all.GetMetadata() {
		byID[fmt.Sprint(m.GetCountryCode(), m.GetId())] = m
	}
	var b strings.Builder
	for _, code := range slices.Sorted(maps.Keys(phonenumbers.GetSupportedCallingCodes())) {
		for _, id := range phonenumbers.GetRegionCodesForCountryCode(code) {
			m := byID[fmt.Sprint(code, id)]
			if m == nil {
				t.Fatalf("no plan of %s with %d", id, code)
			}
			b.WriteString(libraryLine(t, code, m))
		}
	}
	return b.String()
}

func libraryLine(t *testing.T, code int, m *phonenumbers.PhoneMetadata) string {
	t.Helper()
	fields := []string{strconv.Itoa(code), m.GetId(), m.GetInternationalPrefix(), m.GetNationalPrefixForParsing(), m.GetNationalPrefixTransformRule(), m.GetLeadingDigits()}
	kinds := []*phonenumbers.PhoneNumberDesc{m.GetGeneralDesc(), m.GetFixedLine()}
	if !m.GetSameMobileAndFixedLinePattern() {
		kinds = append(kinds, m.GetMobile())
	}
	kinds = append(kinds, m.GetPremiumRate(), m.GetTollFree(), m.GetSharedCost(), m.GetVoip(), m.GetPersonalNumber(), m.GetPager(), m.GetUan(), m.GetVoicemail())
	for i, k := range kinds {
		kind := lengths(k.GetPossibleLength()) + " " + k.GetNationalNumberPattern()
		if i == 0 {
			kind = lengths(k.GetPossibleLengthLocalOnly()) + " " + kind
		}
		if i > 0 && ((k.GetNationalNumberPattern() == "" || k.GetNationalNumberPattern() == "NA") || slices.Contains(fields[6:], kind)) {
			continue // no number has it
		}
		fields = append(fields, kind)
	}
	if strings.ContainsAny(strings.Join(fields, ""), "\t\n ") && strings.Count(strings.Join(fields, ""), " ") != len(fields)-6+1 {
		t.Fatalf("%s: want fields without spaces, have %q", m.GetId(), fields)
	}
	return strings.Join(fields, "\t") + "\n"
}

func lengths(all []int32) string {
	texts := make([]string, len(all))
	for i, n := range all {
		texts[i] = strconv.Itoa(int(n))
	}
	return strings.Join(texts, ",")
}
