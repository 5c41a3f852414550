package recognise

import (
	"testing"

	"github.com/sluicehq/sluice/plugins/privacy/rules"
)

// TestIdentifiers holds how national identifiers are written, and what they are without a word or a right digit.
func TestIdentifiers(t *testing.T) {
	s := NewScan(New(Options{}))
	for _, c := range []struct{ reason, text, want string }{
		{"French", "see 184057512345625 ok", "FR_NIR 184057512345625"},
		{"French, in groups", "see 1 84 05 75 123 456 25 ok", "FR_NIR 1 84 05 75 123 456 25"},
		{"French, another digit", "see 184057512345626 ok", ""},
		{"Corsican", "see 184052A12345682 ok", "FR_NIR 184052A12345682"},
		{"Italian", "cf rssmra85t10a562s ok", "IT_FISCAL_CODE rssmra85t10a562s"},
		{"Italian, another letter", "cf RSSMRA85T10A562T ok", ""},
		{"Italian, in a longer word", "xRSSMRA85T10A562S", ""},
		{"Polish", "PESEL: 44051401359", "PL_PESEL 44051401359"},
		{"Polish, without a word", "see 44051401359 ok", ""},
		{"Brazilian", "see 111.444.777-35 ok", "BR_CPF 111.444.777-35"},
		{"Brazilian, bare", "cpf 11144477735", "BR_CPF 11144477735"},
		{"Brazilian, of a company", "see 11.222.333/0001-81 ok", "BR_CNPJ 11.222.333/0001-81"},
		{"Brazilian, another digit", "cpf 111.444.777-36", ""},
		{"Chinese", "see 110105194912310038 ok", "CN_RESIDENT_ID 110105194912310038"},
		{"Chinese, another digit", "see 110105194912310028 ok", ""},
		{"Chinese, with X", "身份证号11010519491231002X。", "CN_RESIDENT_ID 11010519491231002X"},
		{"Spanish", "DNI 12345678-Z", "ES_DNI 12345678-Z"},
		{"Spanish, in lower case", "dni 12345678z", "ES_DNI 12345678z"},
		{"Spanish, in lower case without a word", "see 12345678z", ""},
		{"Spanish, of a foreigner", "see X-1234567-L ok", "ES_NIE X-1234567-L"},
		{"a number with an exponent", "see 12345678E+14 and 3.12345678Z ok", ""},
		{"Dutch", "BSN\n111222333", "NL_BSN 111222333"},
		{"Australian", "tax file number 123 456 782", "AU_TFN 123 456 782"},
		{"Indian", "आधार 2341 2341 2346", "IN_AADHAAR 2341 2341 2346"},
		{"Indian, for taxes", "see ABCPE1234F ok", "IN_PAN ABCPE1234F"},
		{"Indian, of a company", "see ABCCE1234F ok", ""},
		{"Indian, of a company behind its word", "PAN: ABCCE1234F", "IN_PAN ABCCE1234F"},
		{"German", "Steuer-ID 36 574 261 809", "DE_TAX_ID 36 574 261 809"},
		{"Canadian", "SIN: 130-692-544", "CA_SIN 130-692-544"},
		{"Canadian, with dots", "NAS: 130.692.544", "CA_SIN 130.692.544"},
		{"Brazilian, with hyphens", "CPF nº 111-444-777-35", "BR_CPF 111-444-777-35"},
		{"French, with dots", "N° SS : 1.84.05.75.123.456.25", "FR_NIR 1.84.05.75.123.456.25"},
		{"Spanish, of a foreigner, with blanks", "NIE: X 1234567 L", "ES_NIE X 1234567 L"},
		{"German, behind a long word", "Steueridentifikationsnummer: 36574261809", "DE_TAX_ID 36574261809"},
		{"Canadian, behind another word", "since 130692544", ""},
	} {
		have := ""
		for _, m := range s.Find(c.text, 0, nil) {
			have += m.Entity + " " + c.text[m.Start:m.End]
			if !s.mayHold(c.text, 0, len(c.text)) {
				t.Errorf("%s: want %q looked at, have it passed by", c.reason, c.text)
			}
		}
		if have != c.want {
			t.Errorf("%s: want %q of %q, have %q", c.reason, c.want, c.text, have)
		}
	}
}

// TestNumberEntities holds that the entity of every number has a category.
func TestNumberEntities(t *testing.T) {
	for _, r := range append(rules.Numbers(), rules.Identifiers()...) {
		if rules.Entities()[r.Entity] == "" {
			t.Errorf("%s: want a category for %s, have none", r.Name, r.Entity)
		}
	}
}
