// Package rules holds the data of the recognisers: formats of secrets, numbers with a check, words, keys and tables.
package rules

import (
	"cmp"
	"embed"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/sluicehq/sluice/sdk"
)

// Files is the data and the code of this package, for the hash of the rules.
//
//go:embed *.json *.go
var Files embed.FS

// Rule is a format in the embedded files or in the attribute rules of a step. With Anchors a match begins at one of them, or up to
// LeadMax bytes of Lead before it, and neither continues a word nor goes on into one.
type Rule struct {
	Name    string   `hcl:"name" doc:"what ledger rows call the rule" example:"\"customer\""`
	Entity  string   `hcl:"entity" doc:"what the rule finds" example:"\"CUSTOMER_ID\""`
	Pattern string   `hcl:"pattern" doc:"a regular expression; a group in it is what the step replaces" example:"\"CUST-[0-9]{6}\""`
	Anchor  string   `hcl:"anchor,optional" doc:"a text that every match holds" example:"\"CUST-\""`
	Anchors []string `hcl:"anchors,optional" doc:"texts, one of which begins every match" example:"[\"CUST-\",\"CLIENT-\"]"`
	Lead    string   `hcl:"lead,optional" doc:"bytes that may precede an anchor in a match, such as a-z0-9" example:"\"a-z0-9\""`
	LeadMax int      `hcl:"lead_max,optional" doc:"how many of them"`
	Before  string   `hcl:"before,optional" doc:"bytes, one of which precedes an anchor" example:"\"=: \""`
	After   string   `hcl:"after,optional" doc:"bytes, one of which follows an anchor" example:"\"0-9\""`
	Open    bool     `hcl:"open,optional" doc:"a word may go on after the match"`
	General bool     `hcl:"general,optional" doc:"a rule with a longer anchor is more exact"`
	Check   string   `hcl:"check,optional" doc:"what digits must hold, such as luhn, mod97 or verhoeff" example:"\"luhn\""`
	Entropy float64  `hcl:"entropy,optional" doc:"the least bits of entropy in each byte of a value"`
	Mixed   bool     `hcl:"mixed,optional" doc:"the value has digits, letters of both cases, or no hyphen"`
	Cue     []string `hcl:"cue,optional" doc:"words, one of which precedes the value closely, unless its key is one of key" example:"[\"customer\"]"`
	Key     []string `hcl:"key,optional" doc:"keys, one of which holds the value, unless one of cue precedes it" example:"[\"customer_id\"]"`
	Example string   `hcl:"example,optional" doc:"a text that the rule finds something in" example:"\"CUST-123456\""`
	Source  string   `hcl:"source,optional" doc:"where the format is described" example:"\"https://example.com/ids\""`
}

// Secrets returns the formats of secrets. gitleaks.json holds the formats that gitleaks 8.30 (MIT licence) has and the other files
// lack, with anchors in place of its keywords.
var Secrets = sync.OnceValue(func() []Rule {
	return slices.Concat(load("secrets.json"), load("providers.json"), load("gitleaks.json"))
})

// Numbers returns the formats of digits with separators. A match is a whole run of digits.
var Numbers = sync.OnceValue(func() []Rule { return slices.Concat(load("numbers.json"), load("national.json")) })

// Identifiers returns the formats of digits and letters. national.json has some that may lack letters.
var Identifiers = sync.OnceValue(func() []Rule { return load("identifiers.json") })

func load(name string) []Rule { return value[[]Rule](name) }

// value returns the value of a file that is no object of attributes.
func value[T any](name string) T {
	var file struct {
		Value T `hcl:"value"`
	}
	decode(`{"value":`, name, "}", &file)
	return file.Value
}

// decode reads a file with what is around it like the attributes of a step, so that a rule in a file can be an attribute.
func decode(before, name, behind string, into any) {
	data, err := Files.ReadFile(name)
	if err != nil {
		panic(err) // it is embedded
	}
	if before != "" {
		data = slices.Concat([]byte(before), data, []byte(behind))
	}
	if err := sdk.ParseArgs(data).Decode(into); err != nil {
		panic(err) // a test reads all files
	}
}

// Sample returns the example with its slots filled, as in sk-{mixed 48}, which keep texts like real keys out of the files.
func (r *Rule) Sample() string {
	var b strings.Builder
	for rest := r.Example; ; {
		before, after, ok := strings.Cut(rest, "{")
		b.WriteString(before)
		if !ok {
			return b.String()
		}
		slot, tail, _ := strings.Cut(after, "}")
		var kind string
		var size int
		if _, err := fmt.Sscan(slot, &kind, &size); err != nil || alphabets[kind] == "" {
			return "" // which fails the test of the rule
		}
		b.WriteString(strings.Repeat(alphabets[kind], size/len(alphabets[kind])+1)[:size])
		rest = tail
	}
}

var alphabets = map[string]string{
	"mixed":  "q7Rk2ZpX9mWc4TbY8nVf3LsH6dJg5QaN1",
	"lower":  "q7rk2zpx9mwc4tby8nvf3lsh6djg5qan1",
	"upper":  "Q7RK2ZPX3MWC4TBY5NVF3LSH6DJG5QAN2",
	"hex":    "3fa9c07e1b5d82f46ae",
	"digits": "7140923865",
}

// The entities that code finds have the names of Presidio where it has one. The entities of formats alone are in the files.
const (
	PrivateKey     = "PRIVATE_KEY"
	AuthHeader     = "AUTH_HEADER"
	URLCredentials = "URL_CREDENTIALS"
	Password       = "PASSWORD"
	GenericSecret  = "SECRET"
	JWT            = "JWT"
	SeedPhrase     = "SEED_PHRASE"
	EmailAddress   = "EMAIL_ADDRESS"
	PhoneNumber    = "PHONE_NUMBER"
	CreditCard     = "CREDIT_CARD"
	IBANCode       = "IBAN_CODE"
	CryptoWallet   = "CRYPTO"
	UKNINO         = "UK_NINO"
	USPassport     = "US_PASSPORT"
	Passport       = "PASSPORT"
	DateOfBirth    = "DATE_OF_BIRTH"
	IPAddress      = "IP_ADDRESS"
	MACAddress     = "MAC_ADDRESS"
	StreetAddress  = "STREET_ADDRESS"
	Person         = "PERSON"
	SocialHandle   = "SOCIAL_HANDLE"
	GeoCoordinates = "GEO_COORDINATES"
)

// Entities returns the entities that the built-in rules find, with their categories.
var Entities = sync.OnceValue(func() map[string]string {
	all := map[string]string{}
	for category, names := range value[map[string][]string]("entities.json") {
		for _, name := range names {
			all[name] = category
		}
	}
	return all
})

// Unsought is a kind of personal data that no built-in rule looks for.
type Unsought struct {
	Name     string `hcl:"name"`              // in words that a page can show after "not looked for:"
	Entity   string `hcl:"entity,optional"`   // of the findings, when a list, a recogniser or an attribute makes the step look for it
	Examples string `hcl:"examples,optional"` // made-up
}

// NotLookedFor returns the kinds of personal data that no built-in rule looks for by default: the one list that the README, the
// attestation and the page about a run show.
var NotLookedFor = sync.OnceValue(func() []Unsought { return value[[]Unsought]("unsought.json") })

// Category returns secret, geo or contact; an entity of the user is a contact.
func Category(entity string) string {
	return cmp.Or(Entities()[entity], "contact")
}

// IsEntityName reports whether a name can be that of an entity, such as CUSTOMER_ID.
func IsEntityName(name string) bool { return entityForm().MatchString(name) }

var entityForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Z][A-Z0-9_]{1,40}$`) })

// WithoutNumber returns an entity without a number at its end, as in EMAIL_ADDRESS_2.
func WithoutNumber(entity string) string {
	if cut := strings.LastIndexByte(entity, '_'); cut > 0 && strings.Trim(entity[cut+1:], "0123456789") == "" {
		return entity[:cut]
	}
	return entity
}
