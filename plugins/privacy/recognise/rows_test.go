package recognise

import (
	"strings"
	"testing"
	"time"
)

// rowCases are tables with the values that are found in them, in order.
var rowCases = []struct {
	reason, text string
	want         []string
}{
	{"a cell of two lines", "id,note,dob\n1,a,1985-04-12\n2,\"b\nc\",1986-05-13\n3,d,1987-06-14\n", []string{"1985-04-12", "1986-05-13", "1987-06-14"}},
	{"a cell of two lines in the first row", "id,note,dob\n2,\"b\nc\",1986-05-13\n", []string{"1986-05-13"}},
	{"marks and commas in a cell", "id,note,dob\n1,\"b, it\nc \"\"x\"\"\",1985-04-12\n3,\"d \"\"e\"\", f\",1987-06-14\n", []string{"1985-04-12", "1987-06-14"}},
	{"a mark that does not close", "id,note,dob\n1,\"b,1985-04-12\n2,c,1986-05-13\n", []string{"1985-04-12", "1986-05-13"}},
	{"dots in place of rows", "id,dob,phone\n1,1985-04-12,4155552671\n...\n99,1990-11-02,2125553344\n", []string{"1985-04-12", "4155552671", "1990-11-02", "2125553344"}},
	{"dots before all rows", "id,dob\n...\n1,1985-04-12\n", []string{"1985-04-12"}},
	{"a count in place of rows", "id,dob,phone\n1,1985-04-12,4155552671\n[... 97 rows ...]\n99,1990-11-02,2125553344\n", []string{"1985-04-12", "4155552671", "1990-11-02", "2125553344"}},
	{"a comment", "id,dob\n# of 2024\n1,1985-04-12\n# of 2025\n2,1990-11-02\n", []string{"1985-04-12", "1990-11-02"}},
	{"a sum in Markdown", "| id | dob |\n|---|---|\n| 1 | 1985-04-12 |\n| **Total** |\n| 2 | 1990-11-02 |\n", []string{"1985-04-12", "1990-11-02"}},
	{"a frame of pandas, whose index has no name", "   name       phone         dob\n0   Ann  4155552671  1985-04-12\n1   Bob  2125553344  1990-11-02", []string{"4155552671", "1985-04-12", "2125553344", "1990-11-02"}},
	{"a frame without an index", "name       phone         dob\n Ann  4155552671  1985-04-12\n Bob  2125553344  1990-11-02", []string{"4155552671", "1985-04-12", "2125553344", "1990-11-02"}},
	{"a row that lacks a cell", "NAME   PHONE         BORN\nann                  1985-04-12\nbob    2125553344    1990-11-02\n", []string{"1985-04-12", "2125553344", "1990-11-02"}},
	{"letters beyond ASCII before a cell", "name   phone       dob\nZoë    2125553344  1990-11-02\n", []string{"2125553344", "1990-11-02"}},
	{"a frame of polars", "shape: (1, 2)\n┌──────┬────────────┐\n│ name ┆ dob        │\n│ ---  ┆ ---        │\n│ str  ┆ str        │\n╞══════╪════════════╡\n│ Ann  ┆ 1985-04-12 │\n└──────┴────────────┘\n", []string{"1985-04-12"}},
	{"a box", "rows:\n┌──────┬────────────┐\n│ name │ phone      │\n├──────┼────────────┤\n│ Ann  │ 4155552671 │\n└──────┴────────────┘\n", []string{"4155552671"}},
	{"a block of CSV in a sentence", "Here:\n\n```csv\nid,phone\n1,4155552671\n```\n", []string{"4155552671"}},
	{"a column of births behind other lines", ">>> print(df)\n   name         dob\n0   Ann  1985-04-12\n", []string{"1985-04-12"}},
	{"a password that is a word with a year", "user,password\nbob,Sommer2024\n", []string{"Sommer2024"}},
	{"a word with a number in Markdown", "| user | password |\n|---|---|\n| bob | monkey123 |\n", []string{"monkey123"}},
	{"a word with a digit from psql", " user | password \n------+----------\n bob  | Liverpool4\n", []string{"Liverpool4"}},
	{"a word with a year in SQL", "INSERT INTO u (id,password) VALUES (1,'Berlin1987');", []string{"Berlin1987"}},

	{"words in a column of passwords", "| field | password |\n|---|---|\n| type | string |\n| least | required |\n", nil},
	{"variables in one", "| host | password |\n|---|---|\n| a | DB_PASSWORD_2 |\n| b | ${DB_PASS2} |\n", nil},
	{"versions in one", "| name | password |\n|---|---|\n| pwgen | v2.3.4 |\n", nil},
	{"options in one", "| name | password |\n|---|---|\n| pwgen | --sha256 |\n", nil},
	{"words with a digit in a column of tokens", "| token | count |\n|---|---|\n| Llama3 | 4 |\n| hello2 | 5 |\n", nil},
	{"text behind a table", "id,phone\n1,4155552671\n\nThe run took 2125553344 ns, not 4\n", []string{"4155552671"}},
	{"text behind a block", "```csv\nid,phone\n1,4155552671\n```\nIt ran, 2125553344 ns\n", []string{"4155552671"}},
	{"a sentence behind a line that is no row", "id,phone\n1,4155552671\nDone.\nIt ran, 2125553344\n", []string{"4155552671"}},
	{"many lines behind a table", "id,phone\n1,4155552671\na\nb\nc\nd\n2,2125553344\n", []string{"4155552671"}},
	{"numbers below other names", "   name    duration  count\n0   Ann  4155552671  21255\n", nil},
	{"numbers beside a column of telephones", "   name       phone    duration\n0   Ann           -  4155552671\n", nil},
	{"a sentence with words of columns", "name, phone, and others\nwere read in 4155552671 ns\n", nil},
}

// TestRows holds which cells of a table are judged by the name of their column.
func TestRows(t *testing.T) {
	s := NewScan(New(Options{Regions: allRegions}))
	for _, c := range rowCases {
		var have []string
		for _, m := range s.Find(c.text, 0, nil) {
			have = append(have, c.text[m.Start:m.End])
		}
		if strings.Join(have, " ") != strings.Join(c.want, " ") {
			t.Errorf("%s: want %q of %q, have %q", c.reason, c.want, c.text, have)
		}
	}
}

// TestRowsGrow holds that eight times as many lines take about eight times as long.
func TestRowsGrow(t *testing.T) {
	s := NewScan(New(Options{Regions: allRegions}))
	for _, c := range []struct{ reason, head, line string }{
		{"rows", "id,dob\n", "1,1985-04-12\n"},
		{"marks that do not close", "id,dob\n", "\"1,\"1985-04-12\n"},
		{"cells of marks", "id,dob\n", `"",""` + "\n"},
		{"a row of many cells", "id   dob\n", "a  "},
		{"names of columns", "", "id,dob\n"},
		{"names and what is no row", "", "id,dob\n1,1985-04-12\na\n"},
		{"blocks", "", "```\nid,dob\n"},
		{"boxes", "", "┌──┬──┐\n│ id │ dob │\n"},
	} {
		if !grows(s, c.head, c.line) {
			t.Errorf("%s: want time in proportion to size, have more", c.reason)
		}
	}
}

// grows reports whether a search of eight times as many lines takes about eight times as long, and not sixty-four times.
func grows(s *Scan, head, line string) bool {
	search := func(size int) time.Duration {
		text := head + strings.Repeat(line, size/len(line)) + "\n"
		start := time.Now()
		s.Find(text, 0, nil)
		return time.Since(start)
	}
	least, have := time.Hour, time.Hour
	for range 8 {
		least, have = min(least, search(16<<10)), min(have, search(128<<10))
		if have <= 24*least+20*time.Millisecond {
			return true
		}
	}
	return false
}
