package recognise

import (
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/sluicehq/sluice/plugins/privacy/ascii"
	"github.com/sluicehq/sluice/plugins/privacy/prefilter"
	"github.com/sluicehq/sluice/plugins/privacy/rules"
)

// A name is the place of a variable, key or option in a text.
type name struct {
	start, end int
	option     bool // of a command line
	loose      bool // nothing says that the value is assigned to it
	said       bool // it is a word of prose, so that the value has to look drawn or chosen
	dashed     bool // only a dash is between it and its value, as in a list
	tail       int  // the bytes behind its word for a secret
}

// maxName is the most bytes of a name on either side of the word that it was found by.
const maxName = 64

// addSecretNames adds the words of names.json as anchors, in each way in which names join words.
func (e *Engine) addSecretNames() {
	names := rules.Names()
	var free []string
	for _, word := range slices.Concat(names.Password, names.Secret) {
		switch inside := func(other string) bool { return strings.Contains(word, other) }; {
		case slices.ContainsFunc(free, inside):
		case strings.Contains(word, " ") && isLatin(word):
			e.addJoined(word)
		default:
			free = append(free, word)
			e.addWord(word)
		}
	}
	for _, word := range slices.Concat(names.PasswordWord, names.SecretWord, names.Vague) {
		if word == "key" || word == "keys" || strings.Contains(word, " ") || slices.ContainsFunc(free, func(other string) bool { return strings.Contains(word, other) }) {
			continue
		}
		prev := noLetters
		if len(word) > 5 { // which may be the end of a word
			prev = ""
		}
		e.addName(prefilter.Anchor{Text: word, Fold: true, Prev: prev}, 0)
	}
	for _, sign := range []string{" ", "_", "-"} {
		e.addName(prefilter.Anchor{Text: sign + "key", Fold: true}, 1)
	}
	e.addName(prefilter.Anchor{Text: "Key", Prev: ascii.Bytes("A-Za-z")}, 0)
}

func isLatin(word string) bool {
	return strings.IndexFunc(word, func(r rune) bool { return r >= utf8.RuneSelf && !unicode.Is(unicode.Latin, r) }) < 0
}

// addJoined adds a noun of several words, which names join with a blank, a sign or nothing. Its longest word is the anchor.
func (e *Engine) addJoined(noun string) {
	word := ""
	for part := range strings.FieldsSeq(noun) {
		if len(part) > len(word) {
			word = part
		}
	}
	place := func(text string, at int) (start, size int) {
		for _, sign := range []string{" ", "_", "-", ""} {
			whole := strings.ReplaceAll(noun, " ", sign)
			if start = at - strings.Index(whole, word); start >= 0 && start+len(whole) <= len(text) && strings.EqualFold(text[start:start+len(whole)], whole) {
				return start, len(whole)
			}
		}
		return 0, 0
	}
	for _, text := range cases(word) {
		h := handler{try: func(s *Scan, at int) {
			if start, size := place(s.s, at); size > 0 {
				s.assignment(start, size)
			}
		}}
		if len(text) == utf8.RuneCountInString(text) {
			h.counts = func(raw string, at int) bool {
				_, size := place(raw, at)
				return size > 0 || strings.IndexByte(raw[max(0, at-len(noun)*6):min(len(raw), at+len(noun)*6)], '\\') >= 0
			}
		}
		e.add(prefilter.Anchor{Text: text, Fold: true}, h)
	}
}

// cases returns the ways in which a word is written whose letters are not all ASCII, since an anchor folds only those.
func cases(word string) []string {
	first, size := utf8.DecodeRuneInString(word)
	if first >= noSpaces || utf8.RuneCountInString(word) == len(word) {
		return []string{word}
	}
	upper := func(r rune) rune {
		if r < utf8.RuneSelf {
			return r
		}
		return unicode.ToUpper(r)
	}
	all := []string{word}
	for _, other := range []string{string(upper(first)) + word[size:], strings.Map(upper, word)} {
		if !slices.Contains(all, other) {
			all = append(all, other)
		}
	}
	return all
}

// addWord adds a word that names a secret.
func (e *Engine) addWord(word string) {
	for _, word := range cases(word) {
		e.add(prefilter.Anchor{Text: word, Fold: true}, handler{try: func(s *Scan, at int) { s.assignment(at, len(word)) }})
	}
}

// addName adds a word that is the end of a name. It counts only where an operator, a sign of a call or a word of prose follows;
// skip is the number of its bytes that are not of the name.
func (e *Engine) addName(a prefilter.Anchor, skip int) {
	size, prev := len(a.Text), a.Prev
	a.Next = behindNames + " ,;|/().\t\r\n" + ascii.Bytes("\x80-\xff")
	if strings.HasSuffix(a.Text, "key") {
		a.Next += "sS" // the plural
	}
	if prev == noLetters {
		a.Prev += escapeLetters
	}
	named := func(s *Scan, at int) {
		if nameFollows(s.s, at, size, prev) {
			s.assignment(at+skip, size-skip)
		}
	}
	e.add(a, handler{try: named, counts: func(raw string, at int) bool { return nameFollows(raw, at, size, prev) }})
}

// nameFollows reports whether a word is the end of a name, by the bytes around it: text[at:at+size].
func nameFollows(text string, at, size int, prev string) bool {
	if prev != "" && at > 0 && strings.IndexByte(prev, text[at-1]) < 0 && !isEscaped(text, at-1) {
		return false
	}
	end := at + size
	if end < len(text) && text[end]|0x20 == 's' {
		end++
	}
	if end >= len(text) {
		return true
	}
	switch c := text[end]; {
	case strings.IndexByte(behindNames, c) >= 0, c == '(', c >= utf8.RuneSelf:
		return true
	case c == ' ':
		return (strings.IndexByte(" _-", text[at]) < 0 || strings.HasPrefix(text[end:], " =") || keyBefore(text, at)) && saysOn(text, end)
	}
	return strings.IndexByte(",;|/)\t\r\n", text[end]) >= 0 || text[end] == '.' && (end+1 == len(text) || text[end+1] <= ' ' || text[end+1] == '\\')
}

// saysOn reports whether an operator, a word of prose or what has a digit follows the blanks at at.
func saysOn(text string, at int) bool {
	at = ascii.Forward(text, at, 40, ascii.SpaceSet)
	end := min(len(text), at+24)
	for i := at; i < end; i++ {
		switch c := text[i]; {
		case ascii.IsDigit(c), strings.IndexByte("=:(|-\"'`", c) >= 0, c >= utf8.RuneSelf, c == '\\':
			return true
		case c <= ' ':
			end = i
		}
	}
	names, word := rules.Names(), strings.ToLower(text[at:end])
	return end == len(text) || end-at > 14 || slices.Contains(names.Said, word) || slices.Contains(names.Fillers, word) || slices.Contains(names.Joins, word) || word == "id"
}

// keyBefore reports whether the word that ends at at makes a key a secret. What an escape hides may do so.
func keyBefore(text string, at int) bool {
	start := at
	for start > 0 && at-start < 24 && ascii.IsWord(text[start-1]) {
		start--
	}
	if start > 0 && text[start-1] == '\\' || at-start < 2 {
		return true
	}
	low := strings.ToLower(text[start:at])
	return slices.ContainsFunc(secretKeys()[ending(low)], func(word string) bool { return strings.HasSuffix(low, word) })
}

// ending returns a number for the last two bytes of a word.
func ending(word string) int {
	return (int(word[len(word)-2])<<3 ^ int(word[len(word)-1])) & (1<<10 - 1)
}

// secretKeys returns the words that make a key a secret, by their last two bytes.
var secretKeys = sync.OnceValue(func() *[1 << 10][]string {
	all, names := new([1 << 10][]string), rules.Names()
	for _, word := range slices.Concat(names.KeyBefore, names.Vendor) {
		p := ending(word)
		all[p] = append(all[p], word)
	}
	return all
})

// nameAt returns the place of the name around the word in s.s[at:at+size], which names a secret.
func (s *Scan) nameAt(at, size int) name {
	n := name{start: at, end: at + size}
	if s.s[at] >= utf8.RuneSelf { // of a script that writes words without blanks
		for _, noun := range slices.Concat(rules.Names().Password, rules.Names().Secret) {
			if strings.HasPrefix(s.s[at:], noun) {
				n.end = max(n.end, at+len(noun))
			}
		}
		return n
	}
	for n.start > 0 && at-n.start < maxName {
		r, size := utf8.DecodeLastRuneInString(s.s[:n.start])
		if !isNameRune(r) {
			break
		}
		n.start -= size
	}
	for n.end < len(s.s) && n.end-at < maxName {
		r, size := utf8.DecodeRuneInString(s.s[n.end:])
		if !isNameRune(r) {
			break
		}
		n.end += size
	}
	for n.start < at && strings.IndexByte("-.", s.s[n.start]) >= 0 {
		n.option = s.s[n.start] == '-'
		n.start++
	}
	word := at + size
	n.end = at + len(strings.TrimRight(s.s[at:n.end], "-."))
	n.tail = n.end - word
	if n.start == at && s.before(at) == ' ' && strings.EqualFold(s.s[at:min(len(s.s), at+3)], "key") {
		s.withWordBefore(&n)
	}
	return n
}

// withWordBefore adds the word before a key to its name, as in: secret access key.
func (s *Scan) withWordBefore(n *name) {
	start := n.start - 1
	for start > 0 && n.start-start < maxName {
		r, size := utf8.DecodeLastRuneInString(s.s[:start])
		if !isNameRune(r) {
			break
		}
		start -= size
	}
	n.start = start + len(s.s[start:n.start]) - len(strings.TrimLeft(s.s[start:n.start], "-."))
	if strings.EqualFold(s.s[n.end:min(len(s.s), n.end+3)], " id") && !ascii.IsWord(s.after(n.end+3)) {
		n.end += 3
	}
}

// isNameRune reports whether names go on with r.
func isNameRune(r rune) bool {
	if r < utf8.RuneSelf {
		return ascii.IsWord(byte(r)) || r == '-' || r == '.'
	}
	return unicode.Is(unicode.Latin, r)
}
