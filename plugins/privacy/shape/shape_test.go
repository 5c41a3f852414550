package shape

import "testing"

// TestMixed holds which values that are short or have signs are secrets behind the name of one.
func TestMixed(t *testing.T) {
	for _, c := range []struct {
		reason, value string
		want          bool
	}{
		{"signs among letters and digits", "k8$hVz!2mQ@7rTw9", true},
		{"one sign", "Kx9#mT4vqLz8Wp2", true},
		{"a word that a person changed", "S3cret!Horse", true},
		{"a word, a year and a sign", "Summer2024!", true},
		{"short, of both cases and digits", "Ab3kL9zQ7w", true},
		{"no digit", "hKqLmZxWvBnT", true},
		{"signs and no digit", "hK#qLm!ZxWv", true},
		{"a sign first", "#kL9z!Q7wAb", true},
		{"brackets, as keys of Django have", "n8$vsh9(3bj0vh8o&8w7r_@dp", true},
		{"a hash of a password", "$2a$10$N9qo8uLOickgx2ZMRZoMye", true},
		{"a name", "getUserToken", false},
		{"a name with a number", "sha256Token2", false},
		{"a name of a type", "*ed25519.PrivateKey", false},
		{"a path of names", "config.secretKey2", false},
		{"a variable", "$apiKey2", false},
		{"a pointer", "&token2", false},
		{"a handle", "@kim_2024", false},
		{"a rule of a grammar", "1*tchar", false},
		{"a product", "2*maxConcurrency", false},
		{"keys to press", "Alt+F4", false},
		{"a colour", "#f8f8f2", false},
		{"a number of code", "0x000C", false},
		{"a choice", "true|false2", false},
		{"a sum in a call", "foo(bar2,x)", false},
		{"the size of a model's window", "~128k", false},
		{"a version", "lib-core-1.2.3", false},
		{"a part that stands for the rest", "AQoDY....=", false},
		{"a call of HTML", "&nbsp;", false},
		{"an address", "https://a.example/x?y=2!", false},
		{"one byte again and again", "aaaa#11111", false},
	} {
		if have := LooksMixed(c.value, true, false); have != c.want {
			t.Errorf("%s: want %t of %q, have %t", c.reason, c.want, c.value, have)
		}
	}
}

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
		if camel, kind := IsCamel(c.text), IsType(c.text); camel != c.camel || kind != c.kind {
			t.Errorf("%s: want %q as words %t and as a type %t, have %t and %t", c.reason, c.text, c.camel, c.kind, camel, kind)
		}
	}
}
