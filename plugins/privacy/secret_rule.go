package privacy

import (
	"math"
	"strings"
)

// A secretRule is the format of one kind of secret, as data. A match begins where one of the anchors stands, or up
// to leadMax bytes of lead before it, and does not continue a word on either side.
type secretRule struct {
	name    string
	entity  string
	anchors []string
	lead    string // bytes that may stand before the anchor
	leadMax int
	prev    string  // bytes right before a short anchor
	next    string  // bytes right behind a short anchor
	pattern string  // from the beginning of the match; of a group, only the group is taken out
	entropy float64 // bits per byte that what is taken out has at least
	mixed   bool    // has digits, or letters of both cases, or no hyphen
	open    bool    // may be followed by a word byte
	general bool    // a rule of a longer prefix says better what it is
	example string
	source  string // whose format it is
}

// maxToken is how much of a text a pattern reads. A token that is longer goes on as long as bytes of tokens do.
const maxToken = 1024

// recogniser compiles a rule.
func (r *secretRule) recogniser() recogniser {
	re := compiled(`^(?:` + r.pattern + `)`)
	found := &rule{name: r.name, entity: r.entity}
	return func(s *scan, at int) {
		start := at
		for start > 0 && at-start < r.leadMax && strings.IndexByte(r.lead, s.s[start-1]) >= 0 {
			start--
		}
		if isWordByte(s.before(start)) || s.foundAround(found, start) {
			return
		}
		text := s.s[start:]
		if r.entity != privateKey && len(text) > maxToken {
			text = text[:maxToken]
		}
		loc := re().FindStringSubmatchIndex(text)
		if loc == nil || start+loc[1] <= at {
			return
		}
		from, to := start+loc[0], start+loc[1]
		if loc[1] == maxToken {
			for to < len(s.s) && strings.IndexByte(tokenBytes+".", s.s[to]) >= 0 {
				to++
			}
		}
		if !r.open && isWordByte(s.after(to)) {
			return
		}
		if len(loc) > 2 {
			from, to = start+loc[2], start+loc[3]
		}
		value := s.s[from:to]
		if r.entropy > 0 && entropy(value) < r.entropy || r.mixed && !isMixed(value) {
			s.refused.rule, s.refused.start, s.refused.end = found, from, to
			return
		}
		rank := rankProvider
		if r.general {
			rank = rankChecked
		}
		s.add(found, rank, from, to)
	}
}

// foundAround tells whether one of the last matches is of the rule and goes over at, or what it last refused. It keeps a text that repeats an
// anchor from being read to its end from each of them.
func (s *scan) foundAround(r *rule, at int) bool {
	if s.refused.rule == r && s.refused.start <= at && at < s.refused.end {
		return true
	}
	for i := len(s.matches) - 1; i >= max(0, len(s.matches)-16); i-- {
		if m := &s.matches[i]; m.rule == r && m.start <= at && at < m.end {
			return true
		}
	}
	return false
}

// entropy is Shannon's, in bits per byte.
func entropy(s string) float64 {
	var counts [256]int
	for i := range len(s) {
		counts[s[i]]++
	}
	sum := 0.0
	for _, n := range counts {
		if n > 0 {
			p := float64(n) / float64(len(s))
			sum -= p * math.Log2(p)
		}
	}
	return sum
}

// isMixed tells a key from words with hyphens: it has a digit, or letters of both cases, or no hyphen in its body.
func isMixed(s string) bool {
	_, body, _ := strings.Cut(s, "-")
	return strings.ContainsAny(body, "0123456789") || !strings.ContainsAny(body, "-") ||
		body != strings.ToLower(body) && body != strings.ToUpper(body)
}
