package recognise

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/sluicehq/sluice/plugins/privacy/rules"
)

// A kindCase is a text under a key of a class, with the entity and the value that the rules find in it, or nothing.
type kindCase struct {
	reason, text string
	class        rules.Class
	want         string
}

// checkKinds holds what is found, and that a search does not pass by a text that has it.
func checkKinds(t *testing.T, cases []kindCase) {
	t.Helper()
	s := NewScan(New(Options{Regions: allRegions}))
	for _, c := range cases {
		have := ""
		for _, m := range s.Find(c.text, c.class, nil) {
			if have != "" {
				have += ", "
			}
			have += m.Entity + " " + c.text[m.Start:m.End]
		}
		if have != c.want {
			t.Errorf("%s: want %q of %q, have %q", c.reason, c.want, c.text, have)
		}
		doc, err := json.Marshal(c.text)
		if err != nil {
			t.Fatal(err)
		}
		if have != "" && c.class == 0 && !s.mayHold(string(doc), 1, len(doc)-1) {
			t.Errorf("%s: want %q looked at, have it passed by", c.reason, c.text)
		}
	}
}

// TestMACs holds how addresses of network cards are written, and what has as many digits.
func TestMACs(t *testing.T) {
	checkKinds(t, []kindCase{
		{"behind a word that ends in a hexadecimal letter", "mac: 3c:22:fb:01:9a:7e", 0, "MAC_ADDRESS 3c:22:fb:01:9a:7e"},
		{"behind a number", "node 5: 3c:22:fb:01:9a:7e up", 0, "MAC_ADDRESS 3c:22:fb:01:9a:7e"},
		{"behind a name without a blank", "device:3c:22:fb:01:9a:7e", 0, "MAC_ADDRESS 3c:22:fb:01:9a:7e"},
		{"with hyphens", "Physical Address. . . : 3C-22-FB-01-9A-7E", 0, "MAC_ADDRESS 3C-22-FB-01-9A-7E"},
		{"as Cisco writes it", "Internet 10 0012.7f56.789a ARPA", 0, "MAC_ADDRESS 0012.7f56.789a"},
		{"as Cisco writes it, with few digits", "at 7fab.cdef.abcd now", 0, "MAC_ADDRESS 7fab.cdef.abcd"},
		{"as Cisco writes it, digits alone behind a word", "mac 0012.3456.7890", 0, "MAC_ADDRESS 0012.3456.7890"},
		{"digits alone without one", "see 0012.3456.7890", 0, ""},
		{"bare behind a word", "hwaddr=3c22fb019a7e", 0, "MAC_ADDRESS 3c22fb019a7e"},
		{"bare behind a word and a verb", "The MAC address is 3C22FB019A7E.", 0, "MAC_ADDRESS 3C22FB019A7E"},
		{"bare, of letters with one digit", "bssid: abcdefabcde1", 0, "MAC_ADDRESS abcdefabcde1"},
		{"bare under a key", "3c22fb019a7e", rules.MACKey, "MAC_ADDRESS 3c22fb019a7e"},
		{"bare, as a commit", "mac build 3c22fb019a7e", 0, ""},
		{"a part of a hash", "mac 3c22fb019a7e3c22fb019a7e", 0, ""},
		{"of eight pairs", "EUI-64: 3c:22:fb:ff:fe:01:9a:7e", 0, "MAC_ADDRESS 3c:22:fb:ff:fe:01:9a:7e"},
		{"of eight pairs with hyphens", "eui 3c-22-fb-ff-fe-01-9a-7e", 0, "MAC_ADDRESS 3c-22-fb-ff-fe-01-9a-7e"},
		{"eight pairs of a dump", "see 3c:22:fb:01:9a:7e:11:22", 0, ""},
		{"the second line of a fingerprint", "a1:9a:7e:\n    3c:22:fb:01:9a:7e", 0, ""},
		{"the line behind a name", "mac:\n    3c:22:fb:01:9a:7e", 0, "MAC_ADDRESS 3c:22:fb:01:9a:7e"},
		{"a group of an IPv6 address before", "fe80:3c:22:fb:01:9a:7e:1", 0, "IP_ADDRESS fe80:3c:22:fb:01:9a:7e:1"},
		{"broadcast", "ff:ff:ff:ff:ff:ff and FF-FF-FF-FF-FF-FF", 0, ""},
		{"a UUID", "see 3c22fb01-9a7e-4c22-8b01-3c22fb019a7e", 0, ""},
		{"versions", "from 1.2345.6789 to 0012.3456.78901", 0, ""},
	})
}

// TestDocuments holds the numbers of documents in each form, with the words and keys for them.
func TestDocuments(t *testing.T) {
	checkKinds(t, []kindCase{
		{"a passport of the United States since 2021", "Passport No: A12803456", 0, "US_PASSPORT A12803456"},
		{"with a blank", "passport: A 12803456", 0, "US_PASSPORT A 12803456"},
		{"before 2021", "my passport is 123456789.", 0, "US_PASSPORT 123456789"},
		{"in groups", "passport no 925 665 416", 0, "US_PASSPORT 925 665 416"},
		{"in camel case", `userPassportNumber = "A12803456"`, 0, `US_PASSPORT A12803456`},
		{"under a key", "a12803456", rules.PassportKey, "US_PASSPORT a12803456"},
		{"German", "Reisepass-Nr.: C01X00T47", 0, "PASSPORT C01X00T47"},
		{"French", "passeport n° 12AB34567", 0, "PASSPORT 12AB34567"},
		{"Italian", "Passaporto: YA1234567", 0, "PASSPORT YA1234567"},
		{"Spanish", "pasaporte ABC123456", 0, "PASSPORT ABC123456"},
		{"Chinese, as American ones", "护照号码：E12345678", 0, "US_PASSPORT E12345678"},
		{"Japanese", "パスポート番号 TK1234567", 0, "PASSPORT TK1234567"},
		{"another number before it", "passport of 2 pages A12803456", 0, ""},
		{"a date", "passport renewed 20240512", 0, ""},
		{"versions", "passport-jwt 4.0.1 and passport@0.4.1234567", 0, ""},
		{"a longer word", "compassport A12803456", 0, ""},
		{"without a word", "see A12803456", 0, ""},
		{"taxpayer's number", "ITIN 912701234", 0, "US_ITIN 912701234"},
		{"taxpayer's number in words", "my taxpayer id is 912 70 1234", 0, "US_ITIN 912 70 1234"},
		{"with dots", "SSN: 078.05.1123", 0, "US_SSN 078.05.1123"},
		{"dots without a word", "see 078.05.1123", 0, ""},
		{"health", "NHS 943.476.5919", 0, "UK_NHS 943.476.5919"},
		{"insurance in lower case", "nino tw987654a", 0, "UK_NINO tw987654a"},
		{"insurance with dots", "NI: TW.98.76.54.A", 0, "UK_NINO TW.98.76.54.A"},
		{"insurance under a key", "TW 98 76 54 A", rules.NINOKey, "UK_NINO TW 98 76 54 A"},
		{"insurance, letters that are not used", "NINO GB987654A", 0, ""},
		{"insurance behind a longer word", "night TW987654A", 0, ""},
		{"columns", "name,nino,passport_no\nJo,TW987654A,A12803456\n", 0, "UK_NINO TW987654A, US_PASSPORT A12803456"},
		{"in a row", "Jo,078-05-1123,x", 0, "US_SSN 078-05-1123"},
		{"a card of a range that is not listed", "card number is 180000000000002", 0, "CREDIT_CARD 180000000000002"},
		{"the same without its word", "see 180000000000002", 0, ""},
		{"a card with dots", "card 4111.1111.1111.1111", 0, "CREDIT_CARD 4111.1111.1111.1111"},
		{"a Spanish document with dots", "see 12.345.678-Z", 0, "ES_DNI 12.345.678-Z"},
		{"a Spanish document of a foreigner in lower case", "nie x1234567l", 0, "ES_NIE x1234567l"},
		{"the same without a word", "see x1234567l", 0, ""},
	})
}

// TestMailgunKeys holds the one format without a prefix or a word: its groups tell it from hashes and UUIDs.
func TestMailgunKeys(t *testing.T) {
	checkKinds(t, []kindCase{
		{"a key", "see 3fa9c07e1b5d82f46ae3fa9c07e1b5d8-3fa9c07e-1b5d82f4 ok", 0, "API_KEY 3fa9c07e1b5d82f46ae3fa9c07e1b5d8-3fa9c07e-1b5d82f4"},
		{"more groups", "see 3fa9c07e1b5d82f46ae3fa9c07e1b5d8-3fa9c07e-1b5d82f4-11", 0, ""},
		{"a longer hash", "see aa3fa9c07e1b5d82f46ae3fa9c07e1b5d8-3fa9c07e-1b5d82f4", 0, ""},
		{"a UUID", "see 3fa9c07e-1b5d-82f4-6ae3-fa9c07e1b5d8", 0, ""},
	})
}

// TestMails holds which names with an @ between them are addresses, and which are code.
func TestMails(t *testing.T) {
	checkKinds(t, []kindCase{
		{"a product of matrices", "x = (attn@v.transpose(1, 2)).reshape(b, n)", 0, ""},
		{"another one", "q@k.transpose(-2,-1)", 0, ""},
		{"a mean", "W@x.mean() + X.T@X.sum()", 0, ""},
		{"a member", "y = W@self.weight", 0, ""},
		{"a label of Kotlin", "this@MainActivity.finish()", 0, ""},
		{"a label before a property", "super@Outer.name", 0, ""},
		{"a table for the linker", "call 1050 <strlen@plt.sec>", 0, ""},
		{"a formula with a version", "Formula/p/python@3.11.rb", 0, ""},
		{"a formula with a number", "openssl@3.rb", 0, ""},
		{"an address before a name in brackets", "alice@mail.example.com(Alice)", 0, "EMAIL_ADDRESS alice@mail.example.com"},
		{"in a call", "send(alice@web.example, 3)", 0, "EMAIL_ADDRESS alice@web.example"},
		{"a host of digits", "li.wei@163.com", 0, "EMAIL_ADDRESS li.wei@163.com"},
		{"a host below one of digits", "li.wei@vip.163.com", 0, "EMAIL_ADDRESS li.wei@vip.163.com"},
		{"a local part that is a word of code", "this@mail.example", 0, "EMAIL_ADDRESS this@mail.example"},
	})
}

// TestSeeds holds in which syntaxes the words of a wallet are found, and which words are not one's.
func TestSeeds(t *testing.T) {
	const words = "legal winner thank year wave sausage worth useful legal winner thank yellow"
	list, lines := strings.Fields(words), ""
	for i, word := range list {
		lines += fmt.Sprintf("%d. %s\n", i+1, word)
	}
	lines = lines[len("1. ") : len(lines)-1]
	array := strings.Join(list, `", "`)
	checkKinds(t, []kindCase{
		{"a setting", "MNEMONIC=" + words, 0, "SEED_PHRASE " + words},
		{"a setting in quotes", `SEED_PHRASE="` + words + `"`, 0, "SEED_PHRASE " + words},
		{"code", `const mnemonic = "` + words + `";`, 0, "SEED_PHRASE " + words},
		{"no blank", "mnemonic:" + words, 0, "SEED_PHRASE " + words},
		{"a hyphen", "seed phrase - " + words, 0, "SEED_PHRASE " + words},
		{"a block", "seed phrase:\n\n```\n" + words + "\n```", 0, "SEED_PHRASE " + words},
		{"a call", "Wallet.fromMnemonic('" + words + "')", 0, "SEED_PHRASE " + words},
		{"another call", `Wallet.fromPhrase("` + words + `")`, 0, "SEED_PHRASE " + words},
		{"a sentence", "My seed phrase is " + words + " and that is all.", 0, "SEED_PHRASE " + words},
		{"their count", "Recovery phrase (12 words): " + words, 0, "SEED_PHRASE " + words},
		{"a name", `mySeedPhrase: "` + words + `"`, 0, "SEED_PHRASE " + words},
		{"24 words", "recovery phrase: " + words + " " + words, 0, "SEED_PHRASE " + words + " " + words},
		{"15 words", "recovery phrase: " + words + " legal winner thank", 0, "SEED_PHRASE " + words + " legal winner thank"},
		{"two lines", "mnemonic:\n" + words + "\n" + words + "\n", 0, "SEED_PHRASE " + words + "\n" + words},
		{"a paragraph behind them", "mnemonic:\n" + words + "\n\nNever share this", 0, "SEED_PHRASE " + words},
		{"lines with numbers", "seed phrase:\n1. " + lines, 0, "SEED_PHRASE " + lines},
		{"an array", `mnemonic = ["` + array + `"]`, 0, "SEED_PHRASE " + array},
		{"a key", words, rules.SeedKey, "SEED_PHRASE " + words},
		{"eleven words", "mnemonic: " + words[len("legal "):], 0, ""},
		{"a sentence that goes on", "My seed phrase: " + words + " please keep", 0, "SEED_PHRASE " + words},
		{"a name that goes on behind them", "mnemonic: " + words + " wallet2", 0, "SEED_PHRASE " + words},
		{"24 words in a sentence", "My seed phrase is " + words + " " + words + " please keep", 0, "SEED_PHRASE " + words + " " + words},
		{"two lines, and a third", "mnemonic:\n" + words + "\n" + words + "\nKeep", 0, "SEED_PHRASE " + words + "\n" + words},
		{"13 words in an array", `mnemonic = ["` + array + `", "extra"]`, 0, ""},
		{"13 words without a sign", "the mnemonic that most people find handy when learning music theory helps students remember notes", 0, ""},
		{"a sentence about one", "recovery phrase: please write down these twelve words and keep them somewhere safe from others", 0, ""},
		{"another sentence", "seed phrase is a list of words that store all the information needed to recover", 0, ""},
		{"a sentence about another thing", "The mnemonic for the planets helps pupils remember which planet comes after another one when they look up", 0, ""},
		{"instructions of a machine", "mnemonics: add, sub, mul, div, mov, cmp, jmp, call, ret, push, pop, nop, lea", 0, ""},
		{"types", "mnemonic: string; language: string; wallet: Wallet", 0, ""},
		{"another phrase", `const phrase = "` + words + `"`, 0, ""},
	})
}
