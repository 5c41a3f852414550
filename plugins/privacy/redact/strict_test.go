package redact

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// missed are texts with a secret or a number that rules can miss, since its word and its value are written in ways of their own.
// #p is a password, #t a token, #h a hexadecimal key; numbers are as they are.
var missed = []string{
	"the password they set for the build account is #p", "pw is #p, change it", "**Passwort** lautet `#p`", "| senha | #p |", "<td>Password</td><td>#p</td>",
	`stdout='password:\n#p\n'`, "\x1b[1mpassword\x1b[0m \x1b[36m#p\x1b[0m", "contraseña → #p", "пароль — #p", "密码是#p", "passwd%3D#p%26x", "{user: bob, passwd: #p}",
	"our api key for the staging side is #t", "API-Key: #t", "use the token `#t` now", "<b>Access token</b> <code>#t</code>", "| secret | #t |", "clé API : #t",
	"der API-Schlüssel ist #t", "トークンは #t です", "signing key\n#h", "credential (prod) #h", `\nclient_secret\n#h`, "authentication key is #h",
	"We got a new signing secret from the vendor today, #t, so use it", `cloudflare: "#t"`, `connect("artifactory", "#t")`, "sourcegraph: #t", `SUMO_ACCESS_ID = "#t"`,
	`setProperty("DISCORD_TOKEN", "490981192956001744")`, "webhook='#t'",
	"card no. 4539.5787.6362.1486", "Karte: Kreditkarte 4539 5787 6362 1486", "IBAN\u00a0DE89 3704 0044 0532 0130 00", "SSN **219.09.9998**", "passport (new) A12803456",
	"mobile – 0151 / 2345 6789", "geboren am 12.03.1987", "PESEL 44051401359",
	"SSN 219-09-9998 2024-01-01", "Telefon 0151 2345 6789 12 Uhr", "card 4539 5787 6362 1486 12/27", "PESEL 44051401359 30", "born 12.03.1987 10 am",
}

// TestStrictRefusesWhatRulesMiss holds the share of such records that the coarse look refuses, had no rule found anything.
func TestStrictRefusesWhatRulesMiss(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	f := &Filter{Engine: testEngine}
	refused, all := 0, 0
	for _, form := range missed {
		for range tries() {
			text := strings.NewReplacer("#p", drawn(r, "ABCDEFGHabcdefgh23456789!#%*", 10), "#t", drawn(r, base64URL[:62], 32), "#h", drawn(r, "0123456789abcdef", 32)).Replace(form)
			doc, _ := json.Marshal(map[string]any{"messages": []string{"hello", text}})
			all++
			found := f.Look(string(doc), nil)
			if len(found.Sure) == 0 {
				t.Logf("passed by: %s", form)
				continue
			}
			refused++
			if have := f.PathOf(found.Sure[0], string(doc), nil); have != "messages.1" {
				t.Errorf("%s: want the path messages.1, have %s", form, have)
			}
		}
	}
	if refused*10 < all*9 {
		t.Errorf("want 9 of 10 records refused, have %d of %d", refused, all)
	}
}

// TestStrictSaysTheSameInAllPlaces holds that what other members say does not excuse a value.
func TestStrictSaysTheSameInAllPlaces(t *testing.T) {
	places := []string{`{"q":#}`, `{"format":"eliza_native_v1","request":{"messages":[{"role":"user","content":#}]}}`, `{"input":#}`, `{"prompt":#}`, `{"output":[#]}`,
		`{"format":"x","input":{"q":#}}`, `{"arguments":"{\"format\":1,\"input\":$}"}`}
	f := &Filter{Engine: testEngine}
	for _, text := range []string{"PESEL 44051401358", "passport 12345A678", "nhs 943 476 5918"} {
		for _, place := range places {
			body, _ := json.Marshal(text)
			inner, _ := json.Marshal(string(body))
			doc := strings.NewReplacer("#", string(body), "$", string(inner[1:len(inner)-1])).Replace(place)
			if found := f.Look(doc, nil); len(found.Sure) != 1 {
				t.Errorf("%s: want it refused, have %v", doc, found)
			}
		}
	}
}

// TestStrictPassesCleanText holds that of records of 4 kB of code and documents less than 1 in 200 is refused: some of Go's
// standard library, and with -long more of it, of the manuals and Python's library of this machine, and the shared records.
func TestStrictPassesCleanText(t *testing.T) {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Skip("want a go command")
	}
	source := filepath.Join(strings.TrimSpace(string(root)), "src")
	folders := []string{source + "/net/http", source + "/encoding/json", source + "/crypto/x509"}
	if *long {
		folders = []string{source, "/usr/share/man", "/usr/share/doc", "/usr/lib/python3", "../../../../shared/corpus"}
	}
	f := &Filter{Engine: testEngine}
	for _, folder := range folders {
		refused, all := 0, 0
		filepath.WalkDir(folder, func(name string, d fs.DirEntry, err error) error {
			if all > 10_000 { // a machine may have manuals without end
				return filepath.SkipAll
			}
			if err != nil || d.IsDir() || strings.HasSuffix(name, ".zip") {
				return nil
			}
			for text := textOf(name); len(text) > 0; {
				part := text[:min(len(text), 4000)]
				text = text[len(part):]
				body, _ := json.Marshal(strings.ToValidUTF8(part, ""))
				doc := `{"text":` + string(body) + `}`
				found, _ := f.Find(doc, nil)
				all++
				if sure := f.Look(doc, found.Edits).Sure; len(sure) > 0 {
					refused++
					t.Logf("%s: %s behind %s", name, sure[0].Kind, sure[0].Word)
				}
			}
			return nil
		})
		if t.Logf("%s: %d of %d refused", folder, refused, all); refused*200 > all {
			t.Errorf("%s: want less than 1 in 200 refused, have %d of %d", folder, refused, all)
		}
	}
}

// textOf returns the text of a file, or "" of one that is none.
func textOf(name string) string {
	data, err := os.ReadFile(name)
	if err == nil && strings.HasSuffix(name, ".gz") {
		var r *gzip.Reader
		if r, err = gzip.NewReader(bytes.NewReader(data)); err == nil {
			data, err = io.ReadAll(r)
		}
	}
	if err != nil || bytes.IndexByte(data, 0) >= 0 {
		return ""
	}
	return string(data)
}
