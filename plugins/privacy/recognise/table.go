package recognise

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/sluicehq/sluice/plugins/privacy/ascii"
	"github.com/sluicehq/sluice/plugins/privacy/rules"
)

const (
	maxHeader  = 1000    // the most bytes of the line that names the columns of a table
	maxQuoted  = 1 << 12 // the most bytes of a cell between quotation marks
	maxSkipped = 3       // the most lines in a row that are no rows of the table that they are in
)

// A table is rows below a line that names their columns.
type table struct {
	sign    string // what separates cells; a blank means two blanks and more
	names   []span
	columns []span // where the names are in their line, in letters, for cells that two blanks separate
	classes []rules.Class
	spaced  bool // a blank follows each comma, as in a sentence
}

// header reads the line around at as the names of columns, and the lines behind it as their cells: CSV, tables of Markdown and of
// databases, and what programs print in columns.
func (s *Scan) header(at int) {
	if at < s.tabled {
		return // read before, or a row itself
	}
	low := max(0, at-maxHeader)
	from := low + strings.LastIndexByte(s.s[low:at], '\n') + 1
	if from == low && low > 0 {
		from = at
	}
	next := strings.IndexByte(s.s[at:min(len(s.s), at+maxHeader)], '\n')
	if next < 0 || next == 0 && from == at {
		s.tabled = min(len(s.s), at+maxHeader)
		return
	}
	to := at + next
	s.tabled = to
	t := table{sign: separator(s.s[from:to])}
	t.names = s.cells(from, to, t.sign)
	if len(t.names) > 0 {
		first := &t.names[0]
		first.start += strings.LastIndexByte(s.s[first.start:first.end], '"') + 1 // of the text that the table is in
	}
	if len(t.names) < 2 || slices.ContainsFunc(t.names, func(c span) bool { return !s.isTitle(c) }) {
		return
	}
	if t.classes = s.columns(t.names); t.classes == nil {
		return
	}
	if last := t.names[len(t.names)-1]; last.start == last.end || isOfSigns(t.sign) && s.isRowBelow(from, &t) {
		return // of a list, whose lines end in commas, or a row of a table
	}
	t.spaced = t.sign == "," && strings.Contains(s.s[from:to], ", ")
	if t.sign == " " {
		t.columns = s.places(from, t.names)
	}
	s.rows(&t, to+1)
}

// rows reads the rows of a table from the line at at on. Comments, sums and marks for rows that were
// left out do not end the table.
func (s *Scan) rows(t *table, at int) {
	rows, skipped := 0, 0
	for line := at; line < len(s.s); {
		cells, end := s.row(t, line)
		text := s.s[line:end]
		switch {
		case isRuled(text):
			if rows > 0 && strings.TrimRight(text, " \r") == "" {
				return
			}
			s.tabled = min(end+1, len(s.s))
		case s.belongs(t, line, cells, rows > 0 && skipped == 0) && (skipped == 0 || t.goesOn(text)):
			s.rowOf(t, line, cells)
			rows, skipped = rows+1, 0
			s.tabled = min(end+1, len(s.s))
		case rows == 0 && text[0] != '#' || skipped == maxSkipped || strings.HasPrefix(text, "```"):
			return
		default:
			skipped++
		}
		line = end + 1
	}
}

// row returns the cells of the row that begins at line, and where it ends: a cell between quotation marks may have several lines.
func (s *Scan) row(t *table, line int) (cells []span, end int) {
	end = until(s.s, line, "\n")
	if long := s.rowEnd(line, end, t.sign); long > end {
		if cells = s.cells(line, long, t.sign); len(cells) == len(t.names) {
			return cells, long
		}
	}
	return s.cells(line, end, t.sign), end
}

// rowEnd returns the end of a row whose first line ends at end.
func (s *Scan) rowEnd(at, end int, sign string) int {
	if !isQuotable(sign) {
		return end
	}
	for strings.IndexByte(s.s[at:end], '"') >= 0 {
		if start := ascii.Forward(s.s, at, end-at, onlyBlanks); s.after(start) == '"' {
			if at = max(at, s.quotedEnd(start, sign)); at > end {
				end = until(s.s, at, "\n")
			}
		}
		next := strings.Index(s.s[at:end], sign)
		if next < 0 {
			break
		}
		at += next + len(sign)
	}
	return end
}

// quotedEnd returns the end of the cell between quotation marks that begins at at, behind its last mark, or -1. Two marks in it are one.
func (s *Scan) quotedEnd(at int, sign string) int {
	limit := min(len(s.s), at+maxQuoted)
	for i := at + 1; i < limit; i++ {
		n := strings.IndexByte(s.s[i:limit], '"')
		if n < 0 {
			return -1
		}
		i += n
		rest := s.s[ascii.Forward(s.s, i+1, 8, onlyBlanks):]
		switch {
		case rest == "" || rest[0] == '\n' || rest[0] == '\r' || strings.HasPrefix(rest, sign):
			return i + 1
		case s.after(i+1) == '"':
			i++
		case s.s[i-1] != '\\':
			if strings.IndexByte(s.s[at:i], '\n') >= 0 {
				return -1
			}
			return i + 1
		}
	}
	return -1
}

var onlyBlanks = ascii.Set(" ")

// isQuotable reports whether cells with that sign between them may be in quotation marks, so that they may hold the sign.
func isQuotable(sign string) bool { return sign == "," || sign == ";" || sign == "\t" }

// isOfSigns reports whether a sign is one that texts without tables have too.
func isOfSigns(sign string) bool { return sign == " " || isQuotable(sign) }

// isRuled reports whether a line is blank, a rule between rows, or dots in place of rows.
func isRuled(line string) bool {
	return strings.TrimLeftFunc(line, func(r rune) bool {
		return r >= 0x2500 && r <= 0x257f || r < utf8.RuneSelf && strings.IndexByte("-+|:=. \r", byte(r)) >= 0 || r == '…'
	}) == ""
}

// belongs reports whether cells are those of a row, which follows another one or not.
func (s *Scan) belongs(t *table, line int, cells []span, follows bool) bool {
	switch {
	case len(cells) == len(t.names):
		return true
	case t.sign == " ":
		return s.isAligned(t, line, cells)
	}
	return follows && len(cells) > 1
}

// goesOn reports whether a line behind some that are no rows is no sentence behind the table.
func (t *table) goesOn(line string) bool {
	return t.sign != "," || t.spaced || !strings.Contains(line, ", ")
}

// rowOf adds what the cells of a row are by the names of their columns.
func (s *Scan) rowOf(t *table, line int, cells []span) {
	for i, column := range s.columnsOf(t, line, cells) {
		if column >= 0 && column < len(t.classes) {
			s.cell(cells[i], t.classes[column], t.spaced)
		}
	}
}

// columnsOf returns the number of the column of each cell of a row, or -1. Where blanks separate cells, it is that of the name which is
// in the same place: the row may have a number before it that no column is for, and lack cells.
func (s *Scan) columnsOf(t *table, line int, cells []span) []int {
	all := make([]int, len(cells))
	for i := range all {
		all[i] = i
	}
	if t.sign != " " {
		return all
	}
	places := s.places(line, cells)
	aligned := make([]int, len(cells))
	for i, p := range places {
		if aligned[i] = t.aligned(p); aligned[i] < 0 && len(cells) == len(t.names) {
			return all
		} else if aligned[i] < 0 {
			aligned[i] = t.overlapping(p)
		}
	}
	return aligned
}

// isAligned reports whether a row with more or fewer cells than there are names has them below these.
func (s *Scan) isAligned(t *table, line int, cells []span) bool {
	if len(cells) < 2 || len(cells) > len(t.names)+3 {
		return false
	}
	aligned := 0
	for i, p := range s.places(line, cells) {
		switch {
		case t.aligned(p) >= 0:
			aligned++
		case i > 0 && t.overlapping(p) < 0:
			return false
		}
	}
	return aligned > 1
}

// aligned returns the number of the name that begins or ends where a cell does, or -1.
func (t *table) aligned(place span) int {
	return slices.IndexFunc(t.columns, func(c span) bool { return c.start == place.start || c.end == place.end })
}

// overlapping returns the number of the name that shares the most letters of its line with a cell, or -1.
func (t *table) overlapping(place span) int {
	best, most := -1, 0
	for i, c := range t.columns {
		if n := min(c.end, place.end) - max(c.start, place.start); n > most {
			best, most = i, n
		}
	}
	return best
}

// places returns where the cells of a line are in it, in letters.
func (s *Scan) places(line int, cells []span) []span {
	all := make([]span, len(cells))
	at, letters := line, 0
	for i, c := range cells {
		letters += utf8.RuneCountInString(s.s[at:c.start])
		size := utf8.RuneCountInString(s.s[c.start:c.end])
		all[i] = span{letters, letters + size}
		at, letters = c.end, letters+size
	}
	return all
}

// isRowBelow reports whether the line before from has as many cells, so that the line at from is no header.
func (s *Scan) isRowBelow(from int, t *table) bool {
	if from == 0 {
		return false
	}
	line := s.s[max(0, from-1-maxHeader) : from-1]
	start := from - 1 - len(line) + strings.LastIndexByte(line, '\n') + 1
	return len(s.cells(start, from-1, t.sign)) == len(t.names)
}

// bars are the signs of boxes that separate cells.
const bars = "│┃┆║"

// separator returns what separates the cells of a line; a blank means two blanks and more, and bars any of these.
func separator(line string) string {
	if strings.IndexByte(line, bars[0]) >= 0 && strings.ContainsAny(line, bars) {
		return bars
	}
	for _, sign := range []string{"|", "\t", ";", ","} {
		if strings.Contains(line, sign) {
			return sign
		}
	}
	return " "
}

// cells returns the cells of a line without the blanks and quotation marks around them.
func (s *Scan) cells(from, to int, sign string) (all []span) {
	for to > from && s.s[to-1] == '\r' {
		to--
	}
	if sign == "|" || sign == bars {
		from, to = s.withinBorders(from, to, sign)
	}
	for at := from; at <= to; {
		end := ascii.Forward(s.s, at, to-at, onlyBlanks)
		if sign == " " && end == to {
			break
		}
		if isQuotable(sign) && end < to && s.s[end] == '"' {
			if closed := s.quotedEnd(end, sign); closed <= to {
				end = max(end, closed)
			}
		}
		end, next := s.cellEnd(end, to, sign)
		c := span{at, end}
		for c.start < c.end && strings.IndexByte(" \"'`", s.s[c.start]) >= 0 {
			c.start++
		}
		for c.end > c.start && strings.IndexByte(" \"'`", s.s[c.end-1]) >= 0 {
			c.end--
		}
		all = append(all, c)
		at = next
	}
	return all
}

// withinBorders returns s.s[from:to] without the blanks and the sign at both ends.
func (s *Scan) withinBorders(from, to int, sign string) (int, int) {
	line := strings.TrimSpace(s.s[from:to])
	from += strings.Index(s.s[from:to], line)
	to = from + len(line)
	if first, size := utf8.DecodeRuneInString(line); strings.ContainsRune(sign, first) {
		from += size
	}
	if last, size := utf8.DecodeLastRuneInString(s.s[from:to]); strings.ContainsRune(sign, last) {
		to -= size
	}
	return from, to
}

// cellEnd returns where the cell ends that at is in, and where the next one begins: behind to for none.
func (s *Scan) cellEnd(at, to int, sign string) (end, next int) {
	n, size := 0, len(sign)
	switch sign {
	case " ":
		n = strings.Index(s.s[at:to], "  ")
	case bars:
		if n = strings.IndexAny(s.s[at:to], bars); n >= 0 {
			_, size = utf8.DecodeRuneInString(s.s[at+n:])
		}
	default:
		n = strings.Index(s.s[at:to], sign)
	}
	if n < 0 {
		return to, to + 1
	}
	return at + n, at + n + size
}
