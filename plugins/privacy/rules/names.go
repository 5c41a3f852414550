package rules

import (
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// Names returns the words that names of secrets consist of, in lower case.
var Names = sync.OnceValue(func() (names struct {
	Password     []string `hcl:"password"`       // name a password
	Secret       []string `hcl:"secret"`         // name another secret
	Vague        []string `hcl:"vague"`          // may name one, so that its value has to look drawn
	KeyBefore    []string `hcl:"key_before"`     // make a key a secret
	NotBefore    []string `hcl:"not_before"`     // before a secret's name, make it another
	NotBeforeKey []string `hcl:"not_before_key"` // before "key", make it no secret
	NotBehind    []string `hcl:"not_behind"`     // after a secret's name, make it a property of one
	Said         []string `hcl:"said"`           // between a name and its value in prose
}) {
	decode(read("names.json"), &names)
	return names
})

var nouns = sync.OnceValue(func() map[string]Class {
	all := map[string]Class{}
	for class, words := range map[Class][]string{PasswordKey: Names().Password, SecretKey: Names().Secret, VagueKey: Names().Vague} {
		for _, word := range words {
			all[word] = class
		}
	}
	return all
})

// longestNoun is the most words that a noun is written as, as in mot_de_passe.
const longestNoun = 3

// glued is the size of the shortest noun that may be the end of a word, as in authtoken.
const glued = 5

// NameClass returns the class of the value of a variable, key, header or option by the words of its name, or 0. The last noun
// decides, with the words around it: access_token is a secret, next_token and token_type are none.
func NameClass(name string) Class {
	words := nameWords(name)
	for end := len(words); end > 0; end-- {
		class, begin := noun(words[:end])
		switch {
		case class == 0:
			if slices.Contains(Names().NotBehind, words[end-1]) {
				return 0
			}
			continue
		case class == VagueKey && end < len(words):
			return 0
		}
		return around(words[:begin], words[begin:end], class)
	}
	return 0
}

// noun returns the class of the noun at the end of words, and where it begins.
func noun(words []string) (class Class, begin int) {
	joined := ""
	for n := 1; n <= min(longestNoun, len(words)); n++ {
		joined = words[len(words)-n] + joined
		if c := nouns()[joined]; c != 0 {
			class, begin = c, len(words)-n
		}
	}
	if class != 0 {
		return class, begin
	}
	last := words[len(words)-1]
	for at := 1; at <= len(last)-3; at++ {
		if c := nouns()[last[at:]]; c != 0 && c != VagueKey && (len(last)-at >= glued || last[at:] == "pwd") {
			return c, len(words) - 1
		}
	}
	return 0, 0
}

// around weighs the words before a noun.
func around(before, noun []string, class Class) Class {
	names := Names()
	last := ""
	if len(before) > 0 {
		last = before[len(before)-1]
	}
	key := noun[len(noun)-1] == "key"
	switch {
	case class != PasswordKey && slices.Contains(names.NotBefore, last), class == PasswordKey && last == "no":
		return 0
	case class == SecretKey && last == "key" && len(before) > 1 && before[len(before)-2] == "public":
		return 0 // a hash of a key that everybody may have
	case !key || class != VagueKey:
		return class
	case slices.Contains(names.KeyBefore, last):
		return SecretKey
	case last == "" || slices.Contains(names.NotBeforeKey, last):
		return 0
	}
	return class
}

// nameWords returns the words of a name, which end at a capital, a digit or a sign. It leaves numbers out.
func nameWords(name string) (words []string) {
	start, last := -1, rune(0)
	cut := func(end int) {
		if start >= 0 {
			words = append(words, strings.ToLower(name[start:end]))
			start = -1
		}
	}
	for i, r := range name {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsMark(r):
			cut(i)
		case unicode.IsUpper(r) && start >= 0 && (!unicode.IsUpper(last) || beginsWord(name[i:])):
			cut(i)
			start = i
		case start < 0:
			start = i
		}
		last = r
	}
	cut(len(name))
	return words
}

// beginsWord reports whether a capital that follows another one begins a word, as the K of APIKey does.
func beginsWord(s string) bool {
	_, size := utf8.DecodeRuneInString(s)
	next, _ := utf8.DecodeRuneInString(s[size:])
	return unicode.IsLower(next)
}
