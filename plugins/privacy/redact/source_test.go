package redact

import (
	"encoding/json"
	"go/build"
	"io/fs"
	"net/mail"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sluicehq/sluice/plugins/privacy/recognise"
	"github.com/sluicehq/sluice/plugins/privacy/rules"
)

// inSource is what Go's standard library really holds, by entity and directory.
var inSource = []struct {
	reason, entity, below string
	holds                 func(value string) bool
}{
	{"authors, and examples of addresses", rules.EmailAddress, "", isAddress},
	{"addresses of hosts in tests and documentation", rules.IPAddress, "", isIP},
	{"network cards in tests and documentation", rules.MACAddress, "net/", nil},
	{"credentials of the tests of clients and proxies", rules.URLCredentials, "net/", nil},
	{"headers of the tests of clients and proxies", rules.AuthHeader, "net/http/", nil},
	{"the keys and secrets of test vectors", rules.GenericSecret, "crypto/", nil},
	{"the password of an encrypted key", rules.Password, "crypto/x509/", func(v string) bool { return v == "kremvax1" }},
	{"the shared key of a test vector", rules.Password, "crypto/tls/", func(v string) bool { return len(v) == 64 }},
	{"keys of certificates in tests and documentation", rules.PrivateKey, "crypto/", nil},
	{"keys of certificates in tests and documentation", rules.PrivateKey, "net/", nil},
	{"a number that is valid as a card's", rules.CreditCard, "math/", func(v string) bool { return v == "2251799813685251" }},
}

func isAddress(v string) bool {
	a, err := mail.ParseAddress(strings.NewReplacer("..", ".", "%40", "@").Replace(v)) // which some have
	return err == nil && a.Name == ""
}

func isIP(v string) bool {
	_, err := netip.ParseAddr(v)
	return err == nil
}

// TestSourceCode holds that nothing is found in 20 MB of source code but what is there.
func TestSourceCode(t *testing.T) {
	f := &Filter{Engine: recognise.New(recognise.Options{Regions: []string{"US", "GB", "DE", "FR", "ES", "IT", "NL", "IN", "AU", "BR", "JP"}})}
	root := filepath.Join(build.Default.GOROOT, "src")
	size := 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		name, _ := filepath.Rel(root, path)
		switch name = filepath.ToSlash(name); {
		case err != nil:
			return err
		case name == "cmd": // generated for the most part
			return filepath.SkipDir
		case size > 20e6:
			return filepath.SkipAll
		case !d.Type().IsRegular() || !strings.HasSuffix(name, ".go"):
			return nil
		}
		source, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		size += len(source)
		doc, err := json.Marshal(map[string]string{"text": string(source)})
		if err != nil {
			return err
		}
		found, err := f.Find(string(doc), nil)
		for _, have := range found.Findings {
			if !isInSource(name, have) {
				t.Errorf("%s: want nothing by rule %s, have %q", name, have.Rule, have.Value)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if size < 20e6 {
		t.Errorf("want 20 MB of source code, have %d bytes", size)
	}
}

func isInSource(file string, f Finding) bool {
	for _, known := range inSource {
		if known.entity == f.Entity && strings.HasPrefix(file, known.below) && (known.holds == nil || known.holds(f.Value)) {
			return true
		}
	}
	return false
}
