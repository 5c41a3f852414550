package rules

import (
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// partial are the classes of keys whose names may be a part of a longer key, as in customer_date_of_birth.
const partial = PhoneKey | CardKey | BirthKey | MACKey | NINOKey | PassportKey

// mostKeyWords is the most words of a key that are compared, and mostNameWords the most of them that are one name.
const mostKeyWords, mostNameWords = 12, 8

// PartialKeys returns the classes of the names that may be a part of a key, by KeyForm: the keys of keys.json with these classes,
// and the words that announce births and telephones in text.
var PartialKeys = sync.OnceValue(func() map[string]Class {
	all := map[string]Class{}
	for key, class := range Keys() {
		if class&partial != 0 && len(key) > 2 {
			all[key] |= class & partial
		}
	}
	add := func(names []string, class Class) {
		for _, name := range names {
			if form := KeyForm(name); form != "" { // the sign ℡ has no letter
				all[form] |= class
			}
		}
	}
	add(Dates().Birth, BirthKey)
	add(Cues().PhoneNames, PhoneKey)
	for _, region := range Regions() {
		add(region.Names, PhoneKey)
	}
	return all
})

// KeyForm returns a key as one word of letters, in lower case and without accents.
func KeyForm(key string) string { return strings.Join(keyWords(key), "") }

// keyWords returns the words of a key, in lower case and without accents.
func keyWords(key string) []string {
	for i := range len(key) {
		if key[i] >= utf8.RuneSelf {
			key = strings.Map(func(r rune) rune {
				if unicode.Is(unicode.Mn, r) {
					return -1
				}
				return r
			}, norm.NFD.String(key))
			break
		}
	}
	return nameWords(key)
}

// KeyClass returns the class of a key by the names in it: of all runs of its words that classes has, and that only a word such as
// number follows. Scripts without spaces have names within words.
func KeyClass(key string, classes map[string]Class) (class Class) {
	words := keyWords(key)
	if len(words) > mostKeyWords {
		return 0
	}
	for i := range words {
		name := ""
		for j := i; j < min(len(words), i+mostNameWords); j++ {
			name += words[j]
			c := classes[name]
			if c == 0 && j == i {
				c = classes[withoutNumber(name)]
			}
			if c != 0 && !slices.ContainsFunc(words[j+1:], func(w string) bool { return !slices.Contains(Cues().KeyBehind, w) }) {
				class |= c
			}
		}
		if words[i][0] >= utf8.RuneSelf {
			class |= within(words[i], classes)
		}
	}
	return class
}

// within returns the classes of the names of scripts without spaces that a word contains.
func within(word string, classes map[string]Class) (class Class) {
	for name, c := range classes {
		if first, _ := utf8.DecodeRuneInString(name); first >= 0x0900 && strings.Contains(word, name) {
			class |= c
		}
	}
	return class
}

// withoutNumber returns a compound such as telefonnummer without the word for a number at its end.
func withoutNumber(word string) string {
	for _, number := range Cues().KeyBehind {
		if rest, ok := strings.CutSuffix(word, number); ok && len(rest) >= 3 && len(number) > 1 {
			return rest
		}
	}
	return word
}
