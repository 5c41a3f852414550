package recognise

import (
	"testing"

	"github.com/sluicehq/sluice/plugins/privacy/rules"
)

// TestBirths holds the ways in which dates of birth are written, and the dates of other things.
func TestBirths(t *testing.T) {
	s := NewScan(New(Options{}))
	for _, c := range []struct {
		reason, text string
		class        rules.Class
		want         string
	}{
		{"digits", "born 1984-05-21 ok", 0, "1984-05-21"},
		{"in one piece", "DOB: 19840521", 0, "19840521"},
		{"year of two digits", "DOB: 05/21/84", 0, "05/21/84"},
		{"year first, of two digits", "生年月日: 84/05/21", 0, "84/05/21"},
		{"month by name", "born on 19 December 1984 in", 0, "19 December 1984"},
		{"month first", "born on September 8th, 1984", 0, "September 8th, 1984"},
		{"few digits", "born 5 May '84", 0, "5 May '84"},
		{"with of", "born on the 3rd of May, 1984", 0, "3rd of May, 1984"},
		{"German", "geb. am 3. März 1984", 0, "3. März 1984"},
		{"Spanish", "Fecha de nacimiento: 5 de mayo de 1984", 0, "5 de mayo de 1984"},
		{"French", "Née le 1er août 1984", 0, "1er août 1984"},
		{"Japanese", "1984年5月21日生まれ", 0, "1984年5月21日"},
		{"Hindi", "जन्म 5 मई 1984 को हुआ", 0, "5 मई 1984"},
		{"the next line", "Date of birth:\n21.05.1984", 0, "21.05.1984"},
		{"the next line, behind words", "Date of birth unknown\n21.05.1984", 0, ""},
		{"another number between", "born in room 12 on 21.05.1984", 0, ""},
		{"key", "5 May 84", rules.BirthKey, "5 May 84"},
		{"another word", "airborne 21.05.1984", 0, ""},
		{"of a place", "birthplace 21.05.1984", 0, ""},
		{"no date", "born 12.30.456", 0, ""},
		{"no word", "see 21.05.1984", 0, ""},
		{"no year", "born 5 May, 8 of them", 0, ""},
		{"no month", "born 5 Mandate 1984", 0, ""},
	} {
		have := ""
		for _, m := range s.Find(c.text, c.class, nil) {
			if m.Entity == rules.DateOfBirth {
				have += c.text[m.Start:m.End]
			}
		}
		if have != c.want {
			t.Errorf("%s: want %q of %q, have %q", c.reason, c.want, c.text, have)
		}
		if have != "" && c.class == 0 && !s.Hot(c.text, 0, len(c.text)) {
			t.Errorf("%s: want %q hot, have it passed by", c.reason, c.text)
		}
	}
}

// TestMonths holds that every name of a month, and every word after a date, makes a date of birth.
func TestMonths(t *testing.T) {
	s := NewScan(New(Options{}))
	for _, month := range rules.Dates().Months {
		if found := s.Find("born 5 "+month+" 1984", 0, nil); len(found) != 1 {
			t.Errorf("want a date with %q, have %v", month, found)
		}
	}
	for _, word := range rules.Dates().BirthBehind {
		if found := s.Find("1984年5月21"+map[bool]string{true: "", false: "日"}[word[0] == "日"[0] && word == "日生"]+word, 0, nil); len(found) != 1 {
			t.Errorf("want a date before %q, have %v", word, found)
		}
	}
}
