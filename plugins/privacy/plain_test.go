package privacy

import (
	"io/fs"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/sluicehq/sluice/plugins/privacy/redact"
)

// wordsOfRules returns the words of the rules and of the recognisers, sorted.
func wordsOfRules(t *testing.T) []string {
	words := map[string]bool{}
	isPart := func(c rune) bool { return strings.ContainsRune("abcdefghijklmnopqrstuvwxyz0123456789_-./", c) }
	for folder, files := range deciding() {
		if folder == "phone" || folder == "redact" {
			continue
		}
		names, err := fs.Glob(files, "*")
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			text, err := fs.ReadFile(files, name)
			if err != nil {
				t.Fatal(err)
			}
			for word := range strings.FieldsFuncSeq(string(text), func(c rune) bool { return !isPart(c) }) {
				words[word] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(words))
}

// TestPlain holds that nothing is found in plain texts, by all words of the rules and of the recognisers, each joined in many ways
// with other words and with what may be the rest of a token.
func TestPlain(t *testing.T) {
	plain, filter := 0, &redact.Filter{Engine: maskEngine()}
	hold := func(text string) {
		json := `"` + text + `"`
		if !isPlain([]byte(json)) {
			return
		}
		plain++
		if found, err := filter.Find(json, nil); err != nil || len(found.Findings) > 0 {
			t.Errorf("want nothing found in the plain text %s, have %v, %v", json, found.Findings, err)
		}
	}
	others := []string{"alice", "hunter", "mo1rnj0g", "1234", "deadbeef", "zyx-wv", "zyxwvutsrqpo"}
	all := wordsOfRules(t)
	enough := 50_000
	if testing.Short() {
		enough /= 8
	}
	for i, word := range all {
		if testing.Short() && i%8 > 0 {
			continue
		}
		for _, apart := range []int{1, 101, 1009, 7919} {
			for _, between := range []string{"/", ".", "-", "_"} {
				hold(word + between + all[(i+apart)%len(all)] + "/" + all[(i*apart)%len(all)])
			}
		}
		for _, other := range others {
			for _, between := range []string{"", "/", ".", "-", "_"} {
				hold(word + between + other)
				hold(other + between + word)
				hold("home/" + other + "/" + word + between + other)
				hold(word + between + other + "/" + other + "/" + other + ".jsonl")
			}
		}
		for _, fill := range []string{"zyxwvutsrqpo", "zqx-wvu-tsr-q", "z1x0wvu2tsr.q", "zyxwvut.srqponm.zyqxwvuts.rqxzponl", "zqx_wvu.tsr2qpo_zyxwvuts", "mtnsgrhq/vwxyzklp/qrstuvwx/ghjklmno/pqrstuvw"} {
			for n := range fill {
				hold(word + fill[:n])
				hold(word + "/" + fill[:n])
			}
		}
	}
	if plain < enough {
		t.Errorf("want %d plain texts that have words of the rules, have %d", enough, plain)
	}
	for _, text := range []string{"", `"`, `a`, `"a"b"`, `"a`, `"A"`, `"a b"`, `"a@b.co"`, `"12345"`, `"dead-beef"`, `"x/y_z"`, `"home/ghijk-ghij-ghijk"`, `"ghijklmnopqrs"`, `"\u0061"`, `{"a":1}`} {
		if isPlain([]byte(text)) {
			t.Errorf("want %s not to be plain", text)
		}
	}
}

func FuzzPlain(f *testing.F) {
	f.Add("data/eliza/train-0001.jsonl")
	f.Fuzz(func(t *testing.T, drawn string) {
		const letters = "abcdefghijklmnopqrstuvwxyz0123456789/.-_ghijklmnopqrstuvwxyz////"
		text := make([]byte, len(drawn))
		for i := range text {
			text[i] = letters[drawn[i]%byte(len(letters))]
		}
		json := `"` + string(text) + `"`
		if !isPlain([]byte(json)) {
			return
		}
		if found := Find([]byte(json)); len(found) > 0 {
			t.Errorf("want nothing found in the plain text %s, have %v", json, found)
		}
	})
}
