package coarse

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sluicehq/sluice/plugins/privacy/prefilter"
	"github.com/sluicehq/sluice/plugins/privacy/recognise"
)

const drawnToken = "q7Rk2ZpX9mWc4TbY8nVf3LsH6dJg5QaN"

// detector returns one that passes over an entity and a value.
func detector(entity, value string) *Detector {
	return &Detector{IsOff: func(e string) bool { return e == entity }, MayStay: func(v string) bool { return v == value }}
}

func mapOf(doc string) *prefilter.Map {
	var m prefilter.Map
	m.Read(nil, doc)
	return &m
}

// TestLook holds what the coarse detector finds by itself, and where it is sure.
func TestLook(t *testing.T) {
	e := detector("", "")
	off := detector("SECRET", "")
	for _, c := range []struct {
		reason string
		engine *Detector
		doc    string
		want   string
	}{
		{"words", e, `{"a":"please read the calendar-of-events and draft_a_reply_to_everybody_in_it"}`, "[] 0 0"},
		{"a random token without a word", e, `{"a":"see ` + drawnToken + ` there"}`, "[] 0 0"},
		{"hashes and ids", e, `{"a":"3fa9c07e1b5d82f46ae3fa9c07e1b5d82f46ae3f 7f3a9c07-1b5d-82f4-6ae3-fa9c07e1b5d8"}`, "[] 0 0"},
		{"a card's number", e, `{"id":"x-4111-1111-1111-1111","n":4012888888881881}`, "[] 0 1"},
		{"a token under a secret's key", e, `{"api_token":"` + drawnToken + `"}`, "[token token] 0 0"},
		{"the same in JSON in a string", e, `{"a":"{\"api_token\": \"` + drawnToken + `\"}"}`, "[token token] 0 0"},
		{"the same where secrets are not looked for", off, `{"api_token":"` + drawnToken + `"}`, "[] 0 0"},
		{"a word that denies it", e, `{"token_id":"` + drawnToken + `","next_page_token":"` + drawnToken + `","token hash":"` + drawnToken + `"}`, "[] 3 0"},
		{"prose", e, `"the token for the staging server is ` + drawnToken + `"`, "[token token] 0 0"},
		{"far away", e, `"the token is what the people of the staging server and of production use: ` + drawnToken + `"`, "[] 0 0"},
		{"another member", e, `{"token":"none","revision":"` + drawnToken + `"}`, "[] 0 0"},
		{"a member beside its name", e, `{"name":"api key","value":"` + drawnToken + `"}`, "[token apikey] 0 0"},
		{"colours", e, `"\u001b[1mPassword:\u001b[0m \u001b[36mhunter2!x\u001b[0m"`, "[password password] 0 0"},
		{"Markdown", e, `"**Password**: ` + "`hunter2`" + `"`, "[password password] 0 0"},
		{"a table", e, `"| Passwort | hunter2!x |"`, "[password passwort] 0 0"},
		{"lines that are text", e, `"stdout='password:\\nhunter2!x\\n'"`, "[password password] 0 0"},
		{"letters of another script, as JSON escapes them", e, `"\u5bc6\u7801\uff1aKq9xwPz3"`, "[password 密码] 0 0"},
		{"code", e, `"func login(user, password string, n int32) { return password2 == x.password16 }"`, "[] 0 0"},
		{"names of types", e, `"PrivateKey: testRSA2048PrivateKey, Ed448PrivateKey, Ed448PublicKey"`, "[] 0 0"},
		{"a card with points", e, `"card number 4111.1111.1111.1111"`, "[card number cardnumber] 0 0"},
		{"an account in groups", e, `"IBAN: DE89 3704 0044 0532 0130 00"`, "[bank account iban] 0 0"},
		{"no account", e, `"IBAN: DE88 3704 0044 0532 0130 00"`, "[] 0 0"},
		{"a social security number", e, `"SSN **078.05.1129**"`, "[social security number ssn] 0 0"},
		{"a telephone number", e, `"Phone: 0171 / 2345678"`, "[telephone number phone] 0 0"},
		{"a passport", e, `"passport no. A12803456"`, "[passport number passport] 0 0"},
		{"a birth", e, `"born on 12.03.1987"`, "[date of birth born] 0 0"},
		{"a date and a time", e, `"airborne 2024-03-12 10:11:12, dobler 12.03.1987"`, "[] 0 0"},
		{"births that show how to write one", e, `"- facts: short statements (\"the user's birthday is 1990-03-05\"), and {\"example\":{\"dob\":\"1987-03-05\"}}"`, "[] 2 0"},
		{"a number of a citizen", e, `"CPF 111.444.777-35, PESEL 44051401359"`, "[national number cpf national number pesel] 0 0"},
	} {
		var found Suspects
		c.engine.Look(mapOf(c.doc), 0, len(c.doc), &found)
		var sure []string
		for _, s := range found.Sure {
			sure = append(sure, s.Kind+" "+s.Word)
		}
		if have := fmt.Sprint(sure, len(found.Denied), found.Numbers); have != c.want {
			t.Errorf("%s: want %s, have %s in %s", c.reason, c.want, have, c.doc)
		}
	}
	var have Suspects
	doc := `{"api_token":"` + drawnToken + `"}`
	if detector("", drawnToken).Look(mapOf(doc), 0, len(doc), &have); len(have.Sure)+len(have.Denied) > 0 {
		t.Errorf("want what is allowed to pass, have %v", have)
	}
}

// TestTypesBehindNames holds that the name of a type behind a name for a secret is none, for the rules and for the look behind them.
func TestTypesBehindNames(t *testing.T) {
	s := recognise.NewScan(recognise.New(recognise.Options{}))
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
		detector("", "").Look(mapOf(doc), 0, len(doc), &found)
		if have := len(s.Find(c.text, 0, nil)) > 0; have != c.found {
			t.Errorf("%s: want a secret in %q %t, have %t", c.reason, c.text, c.found, have)
		}
		if have := len(found.Sure) > 0; have && !c.found {
			t.Errorf("%s: want nothing suspected in %q, have %v", c.reason, c.text, found.Sure)
		}
	}
}
