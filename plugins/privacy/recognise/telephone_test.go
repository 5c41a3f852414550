package recognise

import (
	"testing"

	"github.com/sluicehq/sluice/plugins/privacy/rules"
)

var allRegions = []string{"US", "GB", "DE", "FR", "ES", "IT", "NL", "IN", "AU", "BR", "JP", "PL", "CN"}

// TestPhones holds what says that a number is for a telephone, what goes with it, and what only looks so.
func TestPhones(t *testing.T) {
	s := NewScan(New(Options{Regions: allRegions}))
	for _, c := range []struct{ reason, text, want string }{
		{"extension with x", "Fax: 415-899-3560x4587", "415-899-3560x4587"},
		{"extension with a number sign", "see 415-899-3560 #12 ok", "415-899-3560 #12"},
		{"extension in words", "call +49 30 901820 Durchwahl 12", "+49 30 901820 Durchwahl 12"},
		{"a word behind is no extension", "call 415-899-3560 xylophone", "415-899-3560"},
		{"zero in brackets", "see +41 (0)44 668 18 00 ok", "+41 (0)44 668 18 00"},
		{"zero in brackets behind 00", "Tel. 0041 (0)44 668 18 00", "0041 (0)44 668 18 00"},
		{"cue in the line before", "Telefon:\n030 901820", "030 901820"},
		{"cue two lines before", "Telefon:\n\n030 901820", ""},
		{"cue in a line before with words between", "Telefon:\nRaum 030 901820", ""},
		{"cue behind", "416 600 1234 office", "416 600 1234"},
		{"cue behind a hyphen", "001-748-555-0199-Fax", "001-748-555-0199"},
		{"cue glued by a dot", "Tel.030/901820", "030/901820"},
		{"in a tag", `<a href="tel:+49 30 901820">call</a>`, "+49 30 901820"},
		{"German", "Handy 01512 3456789", "01512 3456789"},
		{"French", "Tél. : 0142685300", "0142685300"},
		{"Spanish", "móvil 612345678", "612345678"},
		{"Italian", "cellulare 3471234567", "3471234567"},
		{"Japanese, with nothing between", "電話番号は0352535600です", "0352535600"},
		{"Hindi", "मोबाइल 9876543210", "9876543210"},
		{"Chinese, behind", "13812345678（手机）", "13812345678"},
		{"written as in France", "le 01 42 68 53 00 ok", "01 42 68 53 00"},
		{"written as in Japan", "see 03-5253-5600 ok", "03-5253-5600"},
		{"written as in Brazil", "see (11) 91234-5678 ok", "(11) 91234-5678"},
		{"a blank in the area's brackets", "phone (00 )000 0000", ""},
		{"a column of a table", "| id | phone | ok |\n|---|---|---|\n| 7 | 0418 526 586 | yes |", "0418 526 586"},
		{"another column of a table", "| id | part | ok |\n|---|---|---|\n| 7 | 0418 526 586 | yes |", ""},
		{"a date behind a named one", "tel. 030 901820 2024-01-01", "030 901820"},
		{"a time behind one in pairs", "le 01 42 68 53 00 10:33", "01 42 68 53 00"},
		{"a house behind brackets", "see (02) 9374 4000, 12 Main St", "(02) 9374 4000"},
		{"an amount behind hyphens", "03-5253-5600 12 yen", "03-5253-5600"},
		{"a long-distance one", "1-800-555-2671 12 people", "1-800-555-2671"},
		{"pairs of a dump", "00000080  30 0e 06 03 55 04 03 13 07 47", ""},
		{"pairs of a dump before a wider blank", "06 08 2b 06 01 05 05 07  03 02 30 0c", ""},
		{"a row of pairs", "see 01 42 68 53 00 12 55 07 ok", ""},
		{"a row of pairs that ends", "see 01 42 68 53 00 12", ""},
		{"bare digits", "see 0142685300 ok", ""},
		{"seconds since 1970", "call at 1698306530", ""},
		{"a call in code", "text.replace(sep, '123456789')", ""},
		{"a hex dump", "0080  01 42 68 53 00 ff 0b\n", ""},
		{"digits of a program", "see 01 01 02 02 01 ok", ""},
		{"counting", "Buffer 01 02 03 04 05 ok", ""},
		{"years", "Mobile Inc, 2017-2022", ""},
		{"not of the plan", "see 00 42 68 53 00 ok", ""},
		{"a longer word than a short cue", "hotel 0142685300", ""},
	} {
		have := ""
		for _, m := range s.Find(c.text, 0, nil) {
			if m.Entity == rules.PhoneNumber {
				have += c.text[m.Start:m.End]
			}
		}
		if have != c.want {
			t.Errorf("%s: want %q of %q, have %q", c.reason, c.want, c.text, have)
		}
	}
}

// TestPhoneWords holds that every word of every region does what it is for.
func TestPhoneWords(t *testing.T) {
	numbers := map[string]string{"GB": "02079460958", "DE": "030901820", "FR": "0142685300", "ES": "612345678", "IT": "3471234567", "NL": "0201234567",
		"IN": "9876543210", "AU": "0412345678", "BR": "11912345678", "JP": "0352535600", "PL": "501831117", "CN": "13812345678"}
	for name, r := range rules.Regions() {
		s := NewScan(New(Options{Regions: []string{name}}))
		number := numbers[name]
		for _, word := range r.Phone {
			if found := s.Find("so "+word+" "+number+" ok", 0, nil); len(found) != 1 {
				t.Errorf("%s: want %s found behind %q, have %v", name, number, word, found)
			}
		}
		for _, word := range r.Behind {
			if found := s.Find("so "+number+" ("+word+")", 0, nil); len(found) != 1 {
				t.Errorf("%s: want %s found before %q, have %v", name, number, word, found)
			}
		}
		if found := s.Find("so zebra "+number+" ok", 0, nil); len(found) != 0 {
			t.Errorf("%s: want nothing without a word, have %v", name, found)
		}
	}
}

// TestShapes holds that every shape of a region is one that some number of its plan has.
func TestShapes(t *testing.T) {
	for name, r := range rules.Regions() {
		s := NewScan(New(Options{Regions: []string{name}}))
		for _, shape := range r.Shapes {
			if !s.hasNumber(name, shape) {
				t.Errorf("%s: want a number as %s, have none", name, shape)
			}
		}
	}
}

// hasNumber tries the first digits that a shape can have.
func (s *Scan) hasNumber(region, shape string) bool {
	for first := range 10000 {
		number, digits := []byte(shape), first
		for i, c := range number {
			if c == 'd' {
				number[i] = byte('0' + digits%10)
				digits = digits/10 + 3*(i%2)
			}
		}
		if s.isShaped(string(number), digitsOf(string(number))) {
			return true
		}
	}
	return false
}
