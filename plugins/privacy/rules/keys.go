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
const partial = PhoneKey | CardKey | BirthKey | MACKey | NINOKey | PassportKey | SeedKey | LatitudeKey | LongitudeKey

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

// KeyStarts are the first four letters of keys, to pass over keys that begin otherwise. It has a bit for each hash of them.
type KeyStarts [keyStartBits / 64]uint64

const keyStartBits = 1 << 15

// NewKeyStarts returns how the keys of a map by PlainKey begin.
func NewKeyStarts(keys map[string]Class) *KeyStarts {
	b := new(KeyStarts)
	for key := range keys {
		if len(key) > 3 {
			at := keyStart(uint32(key[0])<<24 | uint32(key[1])<<16 | uint32(key[2])<<8 | uint32(key[3]))
			b[at/64] |= 1 << (at % 64)
		}
	}
	return b
}

// keyStart returns the hash of four letters, of 15 bits.
func keyStart(letters uint32) uint32 { return letters * 0x9e3779b1 >> 17 }

// Begins reports whether one of the keys may begin as key does. It may be true in vain.
func (b *KeyStarts) Begins(key string) bool {
	letters, n := uint32(0), 0
	for i := range len(key) {
		switch c := key[i]; {
		case (c|0x20)-'a' < 26:
			letters = letters<<8 | uint32(c|0x20)
			if n++; n == 4 {
				at := keyStart(letters)
				return b[at/64]>>(at%64)&1 != 0
			}
		case c-'0' < 10, c >= utf8.RuneSelf:
			return true
		}
	}
	return true
}

// NameStarts are how names begin, to pass over keys in which none does. It has a bit for each fourth letter, by the first three, of
// each of which it knows five bits.
type NameStarts [1 << 15]uint32

// NewNameStarts returns the beginnings of names that are a part of a key, and of the nouns of NameClass.
func NewNameStarts(partial map[string]Class) *NameStarts {
	b := new(NameStarts)
	for name := range partial {
		b.add(name)
	}
	for noun := range nouns() {
		b.add(noun)
	}
	return b
}

func (b *NameStarts) add(name string) {
	first := 0
	for i := range min(len(name), 3) {
		first = first<<5 | int(name[i]&31)
	}
	switch len(name) {
	case 1:
		for rest := range 1 << 10 {
			b[first<<10|rest] = ^uint32(0)
		}
	case 2:
		for third := range 1 << 5 {
			b[first<<5|third] = ^uint32(0)
		}
	case 3:
		b[first] = ^uint32(0)
	default:
		b[first] |= 1 << (name[3] & 31)
	}
}

// In reports whether a name may begin in a key. It may be true in vain.
func (b *NameStarts) In(key string) bool {
	letters := 0 // those read so far, the last one lowest
	for i := range len(key) {
		c := key[i]
		if c >= utf8.RuneSelf {
			return true
		}
		if (c|0x20)-'a' >= 26 {
			continue
		}
		letters = letters<<5 | int(c&31)
		if i > 2 && b[letters>>5&(1<<15-1)]>>(letters&31)&1 != 0 {
			return true
		}
	}
	// A name of two or three letters may be at the end, where no fourth follows.
	return b[letters&(1<<15-1)] == ^uint32(0) || b[letters<<5&(1<<15-1)] == ^uint32(0) || b[letters<<10&(1<<15-1)] == ^uint32(0)
}

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
	for _, number := range numberWords()[word[len(word)-1]] {
		if rest, ok := strings.CutSuffix(word, number); ok && len(rest) >= 3 {
			return rest
		}
	}
	return word
}

// numberWords returns the words for a number behind a name, by their last byte.
var numberWords = sync.OnceValue(func() *[256][]string {
	all := new([256][]string)
	for _, word := range Cues().KeyBehind {
		if len(word) > 1 {
			all[word[len(word)-1]] = append(all[word[len(word)-1]], word)
		}
	}
	return all
})
