package checkdigit

import (
	"strings"
	"testing"

	"github.com/sluicehq/sluice/plugins/privacy/ascii"
)

// TestNationalChecks holds each check to a number that is right, and to all that differ from it in one place.
func TestNationalChecks(t *testing.T) {
	for _, c := range []struct{ name, value string }{
		{"nir", "184057512345625"}, {"nir", "184052A12345682"}, {"fiscal-code", "RSSMRA85T10A562S"}, {"pesel", "44051401359"},
		{"cpf", "11144477735"}, {"cnpj", "11222333000181"}, {"cnpj", "12ABC34501DE35"}, {"resident-id", "11010519491231002X"},
		{"dni", "12345678Z"}, {"dni", "X1234567L"}, {"bsn", "111222333"}, {"tfn", "123456782"}, {"verhoeff", "234123412346"},
		{"tax-id", "36574261809"}, {"luhn", "130692544"},
	} {
		holds := ByName[c.name].Holds
		if !holds(c.value) || !holds(strings.ToLower(c.value)) {
			t.Errorf("%s: want %s right, have it wrong", c.name, c.value)
		}
		wrong, all := 0, 0
		for i := range c.value {
			for d := byte('0'); d <= '9'; d++ {
				if ascii.IsDigit(c.value[i]) && d != c.value[i] {
					if all++; !holds(c.value[:i] + string(d) + c.value[i+1:]) {
						wrong++
					}
				}
			}
		}
		if wrong*10 < all*9 {
			t.Errorf("%s: want most of %d with another digit wrong, have %d", c.name, all, wrong)
		}
		for _, bad := range []string{"", c.value[1:], c.value + "0", strings.Repeat("é", len(c.value)/2), strings.Repeat("-", len(c.value))} {
			if c.name != "luhn" && c.name != "verhoeff" && holds(bad) {
				t.Errorf("%s: want %q wrong, have it right", c.name, bad)
			}
		}
	}
}

// TestChecks holds each check to a number that has the right digit and one that has not.
func TestChecks(t *testing.T) {
	for name, c := range map[string][2]string{
		"itin": {"912701234", "912401234"}, "luhn": {"4111111111111111", "4111111111111112"}, "mod97": {"GB82WEST12345698765432", "GB82WEST12345698765431"},
		"nhs": {"9434765919", "9434765918"}, "ssn": {"078051120", "000051120"}, "verhoeff": {"234123412346", "234123412347"},
	} {
		holds := ByName[name].Holds
		if right, wrong := holds(c[0]), holds(c[1]); !right || wrong {
			t.Errorf("%s: want true for %s and false for %s, have %t and %t", name, c[0], c[1], right, wrong)
		}
		if name != "luhn" && name != "verhoeff" && holds("") {
			t.Errorf("%s: want false for an empty number, have true", name)
		}
	}
}
