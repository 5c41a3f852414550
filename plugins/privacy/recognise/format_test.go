package recognise

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/sluicehq/sluice/plugins/privacy/rules"
)

// TestRulesFindTheirExamples holds every row of the files to its own example: alone, in text of any kind, and not within
// a word.
func TestRulesFindTheirExamples(t *testing.T) {
	s := NewScan(New(Options{}))
	for _, r := range slices.Concat(rules.Secrets(), rules.Numbers(), rules.Identifiers()) {
		sample := r.Sample()
		if _, err := CheckRule(r); err != nil || r.Source == "" {
			t.Errorf("%s: want a rule that a user could write, with a source, have %v", r.Name, err)
		}
		for _, around := range [][2]string{{"", ""}, {"use ", " now"}, {"密钥", "，请"}, {"(", ")."}, {`"`, `"`}, {"x\n", "\ny"}} {
			text := around[0] + sample + around[1]
			found := s.Find(text, 0, nil)
			if len(found) != 1 || found[0].Rule != r.Name || found[0].Entity != r.Entity || !strings.Contains(sample, text[found[0].Start:found[0].End]) {
				t.Errorf("%s: want it alone in %q, have %v", r.Name, text, spans(found))
			}
		}
		if len(r.Cue) > 0 {
			text := "order " + strings.TrimLeft(sample, "abcdefghijklmnopqrstuvwxyz ")
			if slices.ContainsFunc(s.Find(text, 0, nil), func(m Match) bool { return m.Rule == r.Name }) {
				t.Errorf("%s: want nothing without its word, have it in %q", r.Name, text)
			}
		}
		if r.Open || r.LeadMax > 0 {
			continue
		}
		for _, m := range s.Find("a"+sample, 0, nil) {
			if m.Rule == r.Name && len(r.Cue) == 0 {
				t.Errorf("%s: want nothing inside a word, have a match", r.Name)
			}
		}
	}
}

// TestTelegram holds that a bot's token is found in a path, where a word is right before its digits, and behind no other word.
func TestTelegram(t *testing.T) {
	const token = "6123456789:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw1"
	checkKinds(t, []kindCase{
		{"a method", "POST https://api.telegram.org/bot" + token + "/sendMessage", 0, "ACCESS_TOKEN " + token},
		{"a path alone", "url: /bot" + token + "/getMe", 0, "ACCESS_TOKEN " + token},
		{"a file", "https://api.telegram.org/file/bot" + token + "/a.jpg", 0, "ACCESS_TOKEN " + token},
		{"escaped slashes", `api.telegram.org\/bot` + token + `\/getMe`, 0, "ACCESS_TOKEN " + token},
		{"a percent sign", "u=%2Fbot" + token, 0, "ACCESS_TOKEN " + token},
		{"alone", token, 0, "ACCESS_TOKEN " + token},
		{"a word that ends so", "robot" + token, 0, ""},
		{"a shorter text", "/bot6123456789:AAHdqTcvCH1vGWJ", 0, ""},
		{"numbers of bots", "bot1, bot2:A and bot12345:Alpha", 0, ""},
	})
}

// TestAzure holds that the mark of a key counts only where a key has it.
func TestAzure(t *testing.T) {
	const key = "q5p1Vm8kV6um4yvMpy62O6SQ1IEE1HSa2bB9UoK4tYnzNLeK6kjcJQQJ99ADDTFLEWAABEWUAAAYACOGOcSe"
	checkKinds(t, []kindCase{
		{"a setting", "AZURE_OPENAI_API_KEY=" + key, 0, "API_KEY " + key},
		{"alone", "use " + key + ".", 0, "API_KEY " + key},
		{"as JSON in a text has it", `{"api-key":"` + key + `"}`, 0, "API_KEY " + key},
		{"a longer text", "x" + key, 0, ""},
		{"another text behind it", key + "x", 0, ""},
		{"a shorter text", key[8:], 0, ""},
		{"one sign again and again", strings.Repeat("a", 52) + "JQQJ99" + strings.Repeat("a", 26), 0, ""},
	})
}

// TestBuiltInRulesCanBeCopied holds that a row of the files does the same in the attribute rules of a step.
func TestBuiltInRulesCanBeCopied(t *testing.T) {
	for _, r := range rules.Secrets() {
		r.Name, r.Entity = "copied", "COPIED"
		e := New(Options{})
		e.AddRule(r)
		text := "use " + r.Sample() + " now"
		if found := NewScan(e).Find(text, 0, nil); len(found) != 1 || found[0].Rule != "copied" {
			t.Errorf("%s: want it in %q, have %v", r.Pattern, text, spans(found))
		}
	}
}

// TestChecksOfOwnRules holds that a rule of the user can ask for what built-in ones ask for.
func TestChecksOfOwnRules(t *testing.T) {
	key := New(Options{}).own << 1 // behind those of the built-in rules
	for _, c := range []struct {
		reason string
		rule   rules.Rule
		class  rules.Class
		text   string
		want   string
	}{
		{"digits behind a word, with a check digit", rules.Rule{Pattern: `[0-9]{9}`, Cue: []string{"CUSTOMER"}, Check: "luhn"}, 0, "Customer no. 123456782", "123456782"},
		{"another digit", rules.Rule{Pattern: `[0-9]{9}`, Cue: []string{"CUSTOMER"}, Check: "luhn"}, 0, "Customer no. 123456783", ""},
		{"no word", rules.Rule{Pattern: `[0-9]{9}`, Cue: []string{"CUSTOMER"}, Check: "luhn"}, 0, "order 123456782", ""},
		{"the key in place of the word", rules.Rule{Pattern: `[0-9]{9}`, Cue: []string{"customer"}, Key: []string{"customer_id"}}, key, "123456782", "123456782"},
		{"another key", rules.Rule{Pattern: `[0-9]{9}`, Key: []string{"customer_id"}}, 0, "123456782", ""},
		{"remainder 1 by 97", rules.Rule{Pattern: `ACC ([A-Z0-9]+)`, Check: "mod97"}, 0, "ACC DE89370400440532013000", "DE89370400440532013000"},
		{"another remainder", rules.Rule{Pattern: `ACC ([A-Z0-9]+)`, Check: "mod97"}, 0, "ACC DE89370400440532013001", ""},
		{"enough entropy", rules.Rule{Pattern: `T-[a-z0-9]{8}`, Entropy: 3}, 0, "T-a8f5k2q9", "T-a8f5k2q9"},
		{"too little", rules.Rule{Pattern: `T-[a-z0-9]{8}`, Entropy: 3}, 0, "T-aaaaaaaa", ""},
		{"a marker in it is taken out with it", rules.Rule{Pattern: `CASE .*`}, 0, "CASE <EMAIL_ADDRESS> of Bob", "CASE <EMAIL_ADDRESS> of Bob"},
		{"a marker at its end stays", rules.Rule{Pattern: `CASE .*`}, 0, "CASE of Bob <EMAIL_ADDRESS>", "CASE of Bob"},
		{"a marker alone stays", rules.Rule{Pattern: `CASE (.*)`}, 0, "CASE <EMAIL_ADDRESS> <OWN>", ""},
	} {
		c.rule.Name, c.rule.Entity = "own", "OWN"
		e := New(Options{})
		e.AddRule(c.rule)
		have := ""
		for _, m := range NewScan(e).Find(c.text, c.class, nil) {
			have += c.text[m.Start:m.End]
		}
		if have != c.want {
			t.Errorf("%s: want %q, have %q", c.reason, c.want, have)
		}
	}
}

// TestKeysOfOwnRules holds that a key which a rule of the user names is known, though no built-in key begins so.
func TestKeysOfOwnRules(t *testing.T) {
	e := New(Options{})
	e.AddRule(rules.Rule{Name: "own", Entity: "OWN", Pattern: `[0-9]{9}`, Key: []string{"zebra_id"}})
	for _, key := range []string{"zebra_id", "zebraId", "ZEBRA-ID"} {
		if e.Class(key)&e.own == 0 {
			t.Errorf("want the class of the rule for %s, have %b", key, e.Class(key))
		}
	}
}

// TestSecretsWithMarkersInside holds that a marker inside of a key does not keep the rest of the key from being found.
func TestSecretsWithMarkersInside(t *testing.T) {
	s := NewScan(New(Options{}))
	body := strings.Repeat("q7Rk2ZpX9mWc4TbY8nVf3LsH6dJg5QaN1\n", 4)
	for _, marker := range []string{"<EMAIL_ADDRESS>", "<EMAIL_ADDRESS_2>", "<API_KEY:0123456789abcdef>", "<REDACTED:contact-email>", "[REDACTED_GEO]"} {
		for _, kind := range []string{"RSA PRIVATE KEY", "OPENSSH PRIVATE KEY", "PGP PRIVATE KEY BLOCK"} {
			text := fmt.Sprintf("-----BEGIN %s-----\nComment: %s\n%s-----END %s-----", kind, marker, body, kind)
			if found := s.Find(text, 0, nil); len(found) != 1 || found[0].Start != 0 || found[0].End != len(text) {
				t.Errorf("%s with %s: want all of it, have %v", kind, marker, spans(found))
			}
		}
		if found := s.Find("see "+marker+" there", 0, nil); len(found) > 0 {
			t.Errorf("%s: want it to stay, have %v", marker, spans(found))
		}
	}
}

// TestChoose holds which of two matches that overlap stays.
func TestChoose(t *testing.T) {
	a, b := &Label{"a", "A"}, &Label{"b", "B"}
	for _, c := range []struct {
		reason  string
		matches []match
		want    string
	}{
		{"the higher rank", []match{{0, 5, a, rankContext}, {3, 6, b, rankFormat}}, "[3-6 b]"},
		{"of one rank the first", []match{{3, 6, b, rankFormat}, {0, 5, a, rankFormat}}, "[0-5 a]"},
		{"of one place the longer", []match{{0, 3, a, rankFormat}, {0, 5, b, rankFormat}}, "[0-5 b]"},
		{"of one text the first name", []match{{0, 3, b, rankFormat}, {0, 3, a, rankFormat}}, "[0-3 a]"},
		{"both that only touch", []match{{3, 6, b, rankContext}, {0, 3, a, rankFormat}}, "[0-3 a 3-6 b]"},
		{"the lower between two higher", []match{{0, 2, a, rankChecked}, {2, 4, b, rankHint}, {4, 6, a, rankProvider}, {3, 5, b, rankContext}}, "[0-2 a 2-4 b 4-6 a]"},
		{"none over two higher", []match{{0, 2, a, rankChecked}, {1, 5, b, rankHint}, {4, 6, a, rankProvider}}, "[0-2 a 4-6 a]"},
	} {
		s := Scan{matches: c.matches}
		s.choose()
		var have []string
		for _, m := range s.kept {
			have = append(have, fmt.Sprintf("%d-%d %s", m.start, m.end, m.label.Rule))
		}
		if fmt.Sprint(have) != c.want {
			t.Errorf("%s: want %s, have %v", c.reason, c.want, have)
		}
	}
}
