// Package rules holds the data of the recognisers: formats of secrets, numbers with a check, words, keys and tables.
package rules

import (
	"embed"
	"fmt"
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

func load(name string) []Rule {
	var file struct {
		Rules []Rule `hcl:"rules"`
	}
	decode(`{"rules":`+read(name)+`}`, &file)
	return file.Rules
}

func lists(name string) map[string][]string {
	var file struct {
		All map[string][]string `hcl:"all"`
	}
	decode(`{"all":`+read(name)+`}`, &file)
	return file.All
}

func read(name string) string {
	data, err := Files.ReadFile(name)
	if err != nil {
		panic(err) // it is embedded
	}
	return string(data)
}

// decode reads data like the attributes of a step, so that a rule in a file can be an attribute.
func decode(data string, into any) {
	if err := sdk.ParseArgs([]byte(data)).Decode(into); err != nil {
		panic(err) // a test reads all files
	}
}

// Bytes returns the bytes of a set such as A-Za-z0-9_-, where a hyphen at the end is one.
func Bytes(set string) string {
	var b strings.Builder
	for i := 0; i < len(set); i++ {
		if i+2 < len(set) && set[i+1] == '-' {
			for c := int(set[i]); c <= int(set[i+2]); c++ {
				b.WriteByte(byte(c))
			}
			i += 2
			continue
		}
		b.WriteByte(set[i])
	}
	return b.String()
}

// Sample returns the example with its slots filled, as in sk-{mixed 48}. Slots keep texts that look like real keys out of the
// files.
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
