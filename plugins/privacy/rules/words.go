package rules

import (
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// Cues returns the words, in lower case, that announce a value, by what that is.
var Cues = sync.OnceValue(func() (cues struct {
	NINO        []string `hcl:"nino"`
	MAC         []string `hcl:"mac"` // right before twelve hexadecimal digits
	Passport    []string `hcl:"passport"`
	IBAN        []string `hcl:"iban"`
	Card        []string `hcl:"card"`
	Host        []string `hcl:"host"`
	HostName    []string `hcl:"host_name"` // end the name of an address
	HostAt      []string `hcl:"host_at"`   // prepositions before one
	Version     []string `hcl:"version"`
	NoAddress   []string `hcl:"no_address"` // deny that four numbers are an address
	Handle      []string `hcl:"handle"`
	Phone       []string `hcl:"phone"`
	PhoneNames  []string `hcl:"phone_names"`  // as Names of a Region, in the languages of countries that are none
	PhoneBehind []string `hcl:"phone_behind"` // right behind a number
	NoPhone     []string `hcl:"no_phone"`     // deny that groups of digits are a telephone number
	Place       []string `hcl:"place"`
	NamesPlace  []string `hcl:"names_place"` // are in names of calls and variables that are about places
	NoPlace     []string `hcl:"no_place"`    // deny that two decimals are coordinates
	Yours       []string `hcl:"yours"`       // are before what a question asks for
	Request     []string `hcl:"request"`     // begin a request for it
	CardSaid    []string `hcl:"card_said"`   // make any digits with the right last one a card's
	NoCard      []string `hcl:"no_card"`     // deny that digits without a word for a card are one's
	Seed        []string `hcl:"seed"`
	Basic       []string `hcl:"basic"`
	Ethereum    []string `hcl:"ethereum"`
	HexKey      []string `hcl:"hex_key"`
	KeyBehind   []string `hcl:"key_behind"` // of a key, behind the name of what it holds
}) {
	decode("", "cues.json", "", &cues)
	return cues
})

// Words returns the words that distinguish values in text and code.
var Words = sync.OnceValue(func() (words struct {
	FileTypes         []string `hcl:"file_types"`          // endings of files that look like domains, as in logo@2x.png
	CodeHosts         []string `hcl:"code_hosts"`          // behind an @ in code, before a dot
	CommonDomains     []string `hcl:"common_domains"`      // end addresses of mail, whatever else looks like code
	NoSeeds           []string `hcl:"no_seeds"`            // that the list of words for wallets lacks
	CodeWords         []string `hcl:"code_words"`          // behind an @ in code: decorators, tags of documentation, rules of style sheets
	Placeholders      []string `hcl:"placeholders"`        // words in a value to fill in
	PlaceholderPaths  []string `hcl:"placeholder_paths"`   // begin a value that is read from somewhere
	PlaceholderValues []string `hcl:"placeholder_values"`  // are such a value as a whole
	Commands          []string `hcl:"commands"`            // a program, with _ for blanks, and its options whose value is a password: see commands
	Piped             []string `hcl:"piped"`               // behind a password that echo writes
	Calls             []string `hcl:"calls"`               // a call and the index of the argument that is a password, or user:password with a colon
	Types             []string `hcl:"types"`               // end the names of types
	SecretKeysInText  []string `hcl:"secret_keys_in_text"` // begin keys whose values are secrets, for JSON in strings
}) {
	decode("", "words.json", "", &words)
	return words
})

// Class is what the value of a key is by the key's name.
type Class uint64

// Classes of the keys in keys.json. Classes from FirstOwn on are for keys that rules name.
const (
	PasswordKey Class = 1 << iota
	SecretKey
	PhoneKey
	CardKey
	BirthKey
	HandleKey
	LatitudeKey
	LongitudeKey
	CoordinatesKey
	SchemaKey   // holds a JSON Schema or the properties of one
	VagueKey    // may be a secret's, when its value looks drawn
	PairNameKey // its value names what the value of a PairValueKey of its object is
	PairValueKey
	JWKTypeKey // makes its object a JSON Web Key, whose members under a JWKPartKey are secret
	JWKPartKey
	MACKey
	NINOKey
	PassportKey
	DatePartKey  // the year, month or day of a date, or the whole
	BirthPartKey // the same of a date of birth; by the key around it
	SelectorKey  // its value names the part of a form that the value of a TypedKey or PairValueKey of its object is typed into
	TypedKey
	ExampleKey // holds what only shows how values are written
	MediaKey   // may say that the record holds an image, a sound, a video or a file
	SeedKey    // holds the words of a wallet
	KindKey    // may say that its object is a Kubernetes secret
	DataKey    // may hold the values of one
	FirstOwn
)

var classNames = map[string]Class{"password": PasswordKey, "secret": SecretKey, "phone": PhoneKey, "card": CardKey,
	"birth": BirthKey, "handle": HandleKey, "latitude": LatitudeKey, "longitude": LongitudeKey, "coordinates": CoordinatesKey,
	"schema": SchemaKey, "pair_name": PairNameKey, "pair_value": PairValueKey, "selector": SelectorKey | PairNameKey, "typed": TypedKey, "jwk_type": JWKTypeKey, "jwk_part": JWKPartKey,
	"mac": MACKey, "nino": NINOKey, "passport": PassportKey, "date_part": DatePartKey, "example": ExampleKey, "seed": SeedKey}

// Keys returns the classes of keys by PlainKey.
var Keys = sync.OnceValue(func() map[string]Class {
	all := make(map[string]Class, 1<<10)
	for name, keys := range value[map[string][]string]("keys.json") {
		for _, key := range keys {
			all[key] |= classNames[name]
		}
	}
	return all
})

// PlainKey returns a key in lower case, with letters and digits of ASCII only.
func PlainKey(key string) string { return string(AppendPlainKey(nil, key)) }

// AppendPlainKey appends the PlainKey of a key.
func AppendPlainKey(dst []byte, key string) []byte {
	for i := range len(key) {
		if key[i] >= utf8.RuneSelf {
			key = strings.ToLower(key) // some of whose small letters are of ASCII
			break
		}
	}
	for i := range len(key) {
		c := key[i]
		if c-'A' < 26 {
			c |= 0x20
		}
		if c-'0' < 10 || c-'a' < 26 {
			dst = append(dst, c)
		}
	}
	return dst
}

// Issuer is a range of the first digits of payment cards with the lengths of its numbers.
type Issuer struct {
	From, To int
	Digits   int // of From and of To
	Lengths  []int
}

// Table holds what numbers are compared with.
type Table struct {
	Issuers       []Issuer
	CardGroups    [][]int        // the sizes of groups in which people write cards
	IBANSizes     map[string]int // by country, of the SWIFT registry
	Documentation []netip.Prefix // of RFC 5737, 3849 and 9637
}

// Tables returns the tables of tables.json.
var Tables = sync.OnceValue(func() (t Table) {
	var file struct {
		Issuers []struct {
			Prefix  string `hcl:"prefix"` // such as 34, or 51-55
			Lengths []int  `hcl:"lengths"`
		} `hcl:"card_issuers"`
		Groups        [][]int        `hcl:"card_groups"`
		IBANSizes     map[string]int `hcl:"iban_sizes"`
		Documentation []string       `hcl:"documentation"`
	}
	decode("", "tables.json", "", &file)
	for _, i := range file.Issuers {
		from, to, ranged := strings.Cut(i.Prefix, "-")
		if !ranged {
			to = from
		}
		first, _ := strconv.Atoi(from)
		last, _ := strconv.Atoi(to)
		t.Issuers = append(t.Issuers, Issuer{first, last, len(from), i.Lengths})
	}
	for _, p := range file.Documentation {
		t.Documentation = append(t.Documentation, netip.MustParsePrefix(p))
	}
	t.CardGroups, t.IBANSizes = file.Groups, file.IBANSizes
	return t
})

// Dates returns the words of dates of birth, in lower case, in the languages of the regions.
var Dates = sync.OnceValue(func() (dates struct {
	Birth       []string `hcl:"birth"`        // precede a date of birth
	BirthBehind []string `hcl:"birth_behind"` // follow a date of birth at once
	NotBirth    []string `hcl:"not_birth"`    // follow a word for a birth, and make it another thing's
	Example     []string `hcl:"example"`      // say that a date only shows how dates are written
	Months      []string `hcl:"months"`
}) {
	decode("", "dates.json", "", &dates)
	return dates
})

// Region holds how people of a country write its telephone numbers, and the words that they write around them.
type Region struct {
	Region string   `hcl:"region"`          // of two letters, as package phone takes it
	Begins string   `hcl:"begins,optional"` // the first digits of a national number without spaces; "" for any
	Names  []string `hcl:"names,optional"`  // of a telephone, in lower case: they precede a number, and are keys of one
	Phone  []string `hcl:"phone"`           // other words, in lower case, that precede a number
	Behind []string `hcl:"behind"`          // words right after a number
	Shapes []string `hcl:"shapes,optional"` // of national numbers that need no word; d is any digit, 0 a zero
}

// Regions returns the countries of regions.json, by their two letters.
var Regions = sync.OnceValue(func() map[string]Region {
	all := map[string]Region{}
	for _, r := range value[[]Region]("regions.json") {
		all[r.Region] = r
	}
	return all
})

// Names returns the words that names of secrets consist of, in lower case. A blank is where a name may have one, a sign or nothing.
var Names = sync.OnceValue(func() (names struct {
	Password     []string `hcl:"password"`       // name a password, also as a part of a longer word
	PasswordWord []string `hcl:"password_word"`  // name a password, but in text only as the end of a name
	Secret       []string `hcl:"secret"`         // name another secret, as Password
	SecretWord   []string `hcl:"secret_word"`    // name another secret, as PasswordWord
	Vague        []string `hcl:"vague"`          // may name one, so that its value has to look drawn
	KeyBefore    []string `hcl:"key_before"`     // make a key a secret
	Vendor       []string `hcl:"vendor"`         // services that issue secrets: they make a key one, and a drawn value right behind them suspect
	Announcing   []string `hcl:"announcing"`     // make a drawn value right behind them suspect
	NotBefore    []string `hcl:"not_before"`     // before a secret's name, make it another
	NotBeforeKey []string `hcl:"not_before_key"` // before "key", make it no secret
	NotBehind    []string `hcl:"not_behind"`     // after a secret's name, make it a property of one
	Property     []string `hcl:"property"`       // in the key of a member, make it no secret that the key of its object names
	Said         []string `hcl:"said"`           // between a name and its value in prose
	Fillers      []string `hcl:"fillers"`        // before or after one of Said
	Joins        []string `hcl:"joins"`          // between a name and what it is for
	As           []string `hcl:"as"`             // between a value and the name after it
	Field        []string `hcl:"field"`          // a part of a form, behind what it is for
}) {
	decode("", "names.json", "", &names)
	return names
})

var nouns = sync.OnceValue(func() map[string]Class {
	all, names := map[string]Class{}, Names()
	add := func(class Class, lists ...[]string) {
		for _, word := range slices.Concat(lists...) {
			all[strings.Join(nameWords(word), "")] = class
		}
	}
	add(PasswordKey, names.Password, names.PasswordWord)
	add(SecretKey, names.Secret, names.SecretWord)
	add(VagueKey, names.Vague)
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
	key := strings.TrimSuffix(noun[len(noun)-1], "s") == "key"
	switch {
	case class != PasswordKey && last != "" && slices.Contains(names.NotBefore, last), class == PasswordKey && last == "no":
		return 0
	case class == SecretKey && last == "key" && len(before) > 1 && before[len(before)-2] == "public":
		return 0 // a hash of a key that everybody may have
	case !key || class != VagueKey:
		return class
	case last == "":
		return 0
	case slices.Contains(names.KeyBefore, last), endsInVendor(before):
		return SecretKey
	case slices.Contains(names.NotBeforeKey, last):
		return 0
	}
	return class
}

// endsInVendor reports whether the last words of a name are a service's, which may have capitals of its own, as GitHub.
func endsInVendor(words []string) bool {
	joined := ""
	for n := 1; n <= min(longestNoun, len(words)); n++ {
		joined = words[len(words)-n] + joined
		if slices.Contains(Names().Vendor, joined) {
			return true
		}
	}
	return false
}

// IsProperty reports whether a key in an object of secrets says something about one.
func IsProperty(key string) bool {
	return slices.ContainsFunc(nameWords(key), func(word string) bool { return slices.Contains(Names().Property, word) })
}

// FieldClass returns the class of what a part of a form takes, by its label or selector, such as "Password field".
func FieldClass(field string) Class {
	words := nameWords(field)
	for len(words) > 1 && slices.Contains(Names().Field, words[len(words)-1]) {
		words = words[:len(words)-1]
	}
	return NameClass(strings.Join(words, " "))
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
		case r < utf8.RuneSelf && (r|0x20 < 'a' || r|0x20 > 'z'), r >= utf8.RuneSelf && !unicode.IsLetter(r) && !unicode.IsMark(r):
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
