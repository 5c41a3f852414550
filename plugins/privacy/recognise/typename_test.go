package recognise

import (
	"strings"
	"testing"
)

// TestTypesBehindNames holds that the name of a type behind a name for a secret is none, for the rules and for the look behind them.
func TestTypesBehindNames(t *testing.T) {
	s := NewScan(New(Options{}))
	for _, c := range []struct {
		reason, text string
		found        bool
	}{
		{"a class and the one that it extends", "class T5Gemma2ForTokenClassification(T5Gemma2PreTrainedModel):", false},
		{"another one", "class OAuth2TokenProvider(OAuth2V3BaseProvider): pass", false},
		{"a class of Java", "public class JwtTokenServiceImplV2 extends AbstractOAuth2TokenStoreV3Impl {", false},
		{"parameters of Go", "func LogonUser(username *uint16, domain *uint16, password *uint16, logonType uint32)", false},
		{"a field of ASN.1", "password: Utf8String", false},
		{"a field of an array", "password: Uint8Array", false},
		{"a list of classes", `["Qwen2_5OmniToken2WavDiTModel", "Qwen2_5OmniToken2WavBigVGANModel"]`, false},
		{"a class that hashes", "password: PBKDF2PasswordHasherV2", false},
		{"a token", "token: Gh7KpLm2QwErTy9uIo", true},
		{"a password of words", "password: BlueHorse42Valley", true},
	} {
		var found Suspects
		doc := `"` + strings.ReplaceAll(c.text, `"`, `\"`) + `"`
		var m Map
		m.Read(s.Engine, doc)
		s.Look(&m, 0, len(doc), func(string) bool { return false }, &found)
		if have := len(s.Find(c.text, 0, nil)) > 0; have != c.found {
			t.Errorf("%s: want a secret in %q %t, have %t", c.reason, c.text, c.found, have)
		}
		if have := len(found.Sure) > 0; have && !c.found {
			t.Errorf("%s: want nothing suspected in %q, have %v", c.reason, c.text, found.Sure)
		}
	}
}
