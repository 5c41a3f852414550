package recognise

import (
	"strings"
	"testing"
)

// TestTypes holds which values are names of types and of their kind, and which secrets are not.
func TestTypes(t *testing.T) {
	for _, c := range []struct {
		reason, text string
		camel, kind  bool
	}{
		{"a class of a version", "T5Gemma2PreTrainedModel", true, true},
		{"short forms and versions", "AbstractOAuth2TokenStoreV3Impl", true, true},
		{"a number behind a sign", "Qwen2_5OmniToken2WavBigVGANModel", true, true},
		{"a version at the end", "PBKDF2PasswordHasherV2", true, true},
		{"a small letter first", "oauth2TokenProvider", true, true},
		{"words that end no type", "BlueHorse42Valley", true, false},
		{"a type of numbers", "uint16", false, true},
		{"a pointer to one", "*uint16", false, true},
		{"a type of C", "char16_t", false, true},
		{"an array of JavaScript", "Uint8ClampedArray", true, true},
		{"a string of ASN.1", "Utf8String", false, true},

		{"a drawn token", "Gh7KpLm2QwErTy9uIo", false, false},
		{"another one", "xK9mQ2vL8pR4tY7wZ3nB", false, false},
		{"a drawn one that ends in a word", "Xk9Qm2Lv8Rp4Model", false, false},
		{"a long number", "BlueHorse20241105Model", false, false},
		{"a password of a word and a year", "Sommer2024", false, false},
		{"a password that begins as a type", "int2024", false, false},
		{"a password with a sign", "BlueHorse42!Model", false, false},
	} {
		if camel, kind := isCamel(c.text), isType(c.text); camel != c.camel || kind != c.kind {
			t.Errorf("%s: want %q as words %t and as a type %t, have %t and %t", c.reason, c.text, c.camel, c.kind, camel, kind)
		}
	}
}

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
