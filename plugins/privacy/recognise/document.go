package recognise

import (
	"strings"

	"github.com/sluicehq/sluice/plugins/privacy/ascii"
	"github.com/sluicehq/sluice/plugins/privacy/shape"
)

// identified finds the password of a user of a database: IDENTIFIED WITH plugin BY 'password'.
func (s *Scan) identified(at int) {
	near := s.s[at:min(len(s.s), at+80)]
	by := strings.Index(strings.ToLower(near), " by ")
	if by < 0 || !s.cueWithin(at, 80, []string{"user", "role", "grant", "login"}, true) {
		return
	}
	start := s.spaces(at + by + len(" by "))
	v := s.valueAt(name{start: at, end: start}, start)
	text := s.s[v.start:v.end]
	if shape.LooksLikePassword(text, true) && !shape.IsPlaceholder(text) && (v.quoted || !isWordy(text) && ascii.HasDigit(text)) && text[0] != ':' {
		s.add(rulePassword, rankContext, v.start, v.end)
	}
}

// query finds the value of the parameter key of a URL.
func (s *Scan) query(at int) {
	start := at + len("key=")
	end := s.bareEnd(start)
	if v := s.s[start:end]; looksDrawn(v) && !shape.IsPlaceholder(v) {
		s.add(ruleSecret, rankContext, start, end)
	}
}

// maxManifest is the most bytes between the kind and the data of a Kubernetes secret.
const maxManifest = 1 << 16

// manifest finds the values of a Kubernetes secret in YAML, before and after the line with its kind.
func (s *Scan) manifest(at int) {
	if at > 0 && s.s[at-1] != '\n' && !ascii.IsQuote(s.s[at-1]) && s.s[at-1] != ' ' {
		return
	}
	if at < s.manifested {
		return // the document was read before
	}
	from, to := s.documentAround(at)
	s.manifested = to
	data, folded := -1, -1 // the indent of data:, and of a member whose value is in the lines below it
	for line := range strings.SplitSeq(s.s[from:to], "\n") {
		body := strings.TrimLeft(line, " \t")
		indent := len(line) - len(body)
		switch {
		case body == "" || body[0] == '#' && folded < 0:
		case folded >= 0 && indent > folded:
			s.packed(from+indent, from+len(line))
		case data < 0 || indent <= data:
			data, folded = -1, -1
			if word := strings.TrimRight(body, " \r"); word == "data:" || word == "stringData:" {
				data = indent
			}
		default:
			if folded = -1; opensBlock(body) {
				folded = indent
				break
			}
			s.member(from, from+len(line))
		}
		from += len(line) + 1
	}
}

// opensBlock reports whether the value of a line of YAML is in the lines below it: "name: |-".
func opensBlock(line string) bool {
	_, value, _ := strings.Cut(strings.TrimRight(line, " \t\r"), ": ")
	return value != "" && strings.Trim(value, "|>+-0123456789 ") == "" && strings.IndexByte("|>", strings.TrimLeft(value, " ")[0]) >= 0
}

// packed adds a line of a block when it is in base64, or what in it looks drawn.
func (s *Scan) packed(from, to int) {
	text := strings.TrimRight(s.s[from:to], " \t\r")
	if len(text) >= 6 && ascii.Forward(text, 0, len(text), base64Set) == len(text) && !shape.IsTemplate(text) {
		s.add(ruleSecret, rankContext, from, from+len(text))
	}
}

// documentAround returns the YAML document around at, between lines of ---.
func (s *Scan) documentAround(at int) (from, to int) {
	from, to = max(0, at-maxManifest), min(len(s.s), at+maxManifest)
	if i := strings.LastIndex(s.s[from:at], "\n---"); i >= 0 {
		from += i + 1
	}
	if i := strings.Index(s.s[at:to], "\n---"); i >= 0 {
		to = at + i
	}
	return from, to
}

// member takes the value of a line: "name: value".
func (s *Scan) member(from, to int) {
	_, value, _ := strings.Cut(s.s[from:to], ": ")
	value = strings.TrimLeft(strings.TrimLeft(value, " \t"), "\"'`")
	start := to - len(value)
	if value = strings.TrimRight(value, " \t\n\r\"'`"); len(value) >= 6 && !shape.IsTemplate(value) && !strings.Contains(value, " ") {
		s.add(ruleSecret, rankContext, start, start+len(value))
	}
}

// pgpassLine is a line of a file of passwords for Postgres: host:port:database:user:password.
var pgpassLine = shape.Compiled(`^:[0-9*]+:[^:\s]{1,64}:[^:\s]{1,64}:([^:\s]{6,200})(?:\s|$)`)

// pgpass finds the password of a line whose port is at at.
func (s *Scan) pgpass(at int) {
	host := ascii.Back(s.s, at, maxName, userSet)
	if host > 0 && s.s[host-1] != '\n' && s.s[host-1] != '*' && s.s[host-1] != '\'' && s.s[host-1] != '"' {
		return
	}
	loc := pgpassLine().FindStringSubmatchIndex(s.s[at:min(len(s.s), at+400)])
	if loc == nil {
		return
	}
	if text := s.s[at+loc[2] : at+loc[3]]; shape.LooksLikePassword(text, true) && !shape.IsPlaceholder(text) {
		s.add(rulePassword, rankContext, at+loc[2], at+loc[3])
	}
}
