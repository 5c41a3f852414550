package recognise

import (
	"math/rand/v2"
	"regexp"
	"strings"
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
		{"in camel case", `dateOfBirth: "1984-05-21"`, 0, "1984-05-21"},
		{"with a time", "birthDate=1984-05-21T00:00:00.000Z", 0, "1984-05-21T00:00:00.000Z"},
		{"Roman month", "ur. 21.V.1984", 0, "21.V.1984"},
		{"an era's years", "生年月日：昭和59年5月21日", 0, "昭和59年5月21日"},
		{"an era's letter", "DOB S59.5.21", 0, "S59.5.21"},
		{"digits of China", "出生于一九八四年五月二十一日。", 0, "一九八四年五月二十一日"},
		{"Korean", "생년월일: 1984년 5월 21일", 0, "1984년 5월 21일"},
		{"Russian", "Дата рождения: 21 мая 1984 г.", 0, "21 мая 1984"},
		{"Vietnamese", "ngày sinh 21 tháng 5 năm 1984", 0, "21 tháng 5 năm 1984"},
		{"words between", "born in the city of Berlin, Germany, on 21 May 1984", 0, "21 May 1984"},
		{"the next sentence", "She was born abroad. Paid on 21 May 1984", 0, ""},
		{"of a certificate", "birth certificate issued 2020-01-01", 0, ""},
		{"of a party", "birthday party on 2024-05-12", 0, ""},
		{"of a file", "birthtime: 2011-10-10T23:24:11Z", 0, ""},
		{"a word behind", "am 21.05.1984 geboren", 0, "21.05.1984"},
		{"in brackets behind", "Jo, 21.05.1984 (DOB)", 0, "21.05.1984"},
		{"vCard", "BDAY;VALUE=date:1984-05-21", 0, "1984-05-21"},
		{"HL7", "PID|1||12345^^^MRN||DOE^JANE||19840521|F|||", 0, "19840521"},
		{"HL7 without one", "PID|1||12345^^^MRN||DOE^JANE\nORC|19840521", 0, ""},
		{"a star", "Jo Muster, *21.05.1984 in Köln, † 4.5.2020", 0, "21.05.1984"},
		{"a list's star", "* 21.05.1984 meeting", 0, ""},
		{"a stress", "see *21.05.1984*", 0, ""},
		{"seconds", "453945600", rules.BirthKey, "453945600"},
		{"milliseconds before 1970", "-453945600000", rules.BirthKey, "-453945600000"},
		{"too few for seconds", "45394", rules.BirthKey, ""},
		{"a part", "May", rules.BirthPartKey, "May"},
		{"an example", "Date of birth, e.g. 1984-05-21", 0, ""},
		{"an example in brackets, before a date", "dob (e.g. 01/02/1990): 21/05/1984", 0, "21/05/1984"},
		{"an example of a form is none", "DOB (YYYY-MM-DD): 1984-05-21", 0, "1984-05-21"},
		{"a quotation as an example", `Use statements such as "my birthday is 1984-05-21".`, 0, ""},
		{"a sentence as an example", "Example: My birthday is 1984-05-21", 0, ""},
		{"an example in German", "Geburtsdatum (z. B. 21.05.1984)", 0, ""},
		{"an example in Japanese", "生年月日（例：1984年5月21日）", 0, ""},
		{"an instruction", `- facts: short statements ("the user's birthday is 1984-05-21"), under 120 characters`, 0, ""},
		{"what somebody said", `- patient said ("I was born 1984-05-21") today`, 0, "1984-05-21"},
		{"an object as an example", `Extract fields. Example: {"name": "Jo", "dob": "1984-05-21"}.`, 0, ""},
		{"a block as an example", "Example:\n```json\n{\"dob\": \"1984-05-21\"}\n```", 0, ""},
		{"a default", `"dob": {"type": "string", "default": "1984-05-21"}`, 0, ""},
		{"an object", `record: {"name": "Jo", "dob": "1984-05-21"}`, 0, "1984-05-21"},
		{"of a file, by stat", "Modify: 1\nChange: 2024-01-01 12:00:00.0 +0100\n Birth: 2024-01-01 12:00:00.0 +0100", 0, ""},
		{"a place before the word", "Ich bin am 21.05.1984 in Köln geboren", 0, "21.05.1984"},
		{"the second date of a sentence", "am 21.05.1984 geboren und hat am 03.05.2019 unterschrieben", 0, "21.05.1984"},
		{"first person", "nací el 21 de mayo de 1984", 0, "21 de mayo de 1984"},
		{"a column", "name\tdob\nJo\t21.05.1984\n", 0, "21.05.1984"},
		{"somebody as an example", "For example, my mother (born 21 May 1984) lives here.", 0, "21 May 1984"},
		{"a domain of examples", "write to jane at example.com, born 1984-05-21", 0, "1984-05-21"},
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
		if have != "" && c.class == 0 && !s.mayHold(c.text, 0, len(c.text)) {
			t.Errorf("%s: want %q looked at, have it passed by", c.reason, c.text)
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

// TestBeginsDate holds beginsDate to a regular expression.
func TestBeginsDate(t *testing.T) {
	form := regexp.MustCompile(`^(?:(?:19|20)[0-9]{2}[-/.](?:0?[1-9]|1[0-2])[-/.](?:3[01]|[12][0-9]|0?[1-9])|[0-3]?[0-9][-/.][0-3]?[0-9][-/.](?:19|20)[0-9]{2})`)
	r := rand.New(rand.NewPCG(5, 6))
	dates := 0
	for range 300_000 {
		var b strings.Builder
		for range 3 + r.IntN(4) {
			b.WriteString([]string{"19", "20", "0", "1", "2", "3", "4", "9", "12", "31", "-", "/", ".", "x", " "}[r.IntN(15)])
			if r.IntN(2) == 0 {
				b.WriteString([]string{"-", "/", "."}[r.IntN(3)])
			}
		}
		text := b.String()
		if want := form.MatchString(text); want != beginsDate(text) {
			t.Fatalf("%q: want %t", text, want)
		} else if want {
			dates++
		}
	}
	if dates < 1000 {
		t.Errorf("want dates, have %d", dates)
	}
}
