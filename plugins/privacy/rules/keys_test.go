package rules

import (
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// TestKeyClass holds which keys hold dates of birth and telephone numbers, by their words in any language and spelling.
func TestKeyClass(t *testing.T) {
	for _, c := range []struct {
		reason string
		class  Class
		keys   []string
	}{
		{"a birth", BirthKey, []string{"dob", "DOB", "dateOfBirth", "date-of-birth", "Date of Birth", "d.o.b.", "birth_date", "bornOn", "patientBirthDate", "customer_dob", "birthDateIso"}},
		{"a birth in other languages", BirthKey, []string{"Geburtsdatum", "geburts_datum", "fecha_nacimiento", "FechaDeNacimiento", "date_naissance", "dataNascita",
			"data_nascimento", "geboortedatum", "dataUrodzenia", "дата_рождения", "doğum_tarihi", "dogumTarihi", "生年月日", "出生日期", "客户生日", "생년월일", "जन्मतिथि"}},
		{"a telephone", PhoneKey, []string{"phone", "phone1", "homePhone", "phone_number_home", "Telefonnummer", "kontakt_telefon", "telefone", "celular_cliente", "móvil",
			"movil", "numéro_de_téléphone", "numeroTelefono", "手机号", "联系人手机号码", "電話", "전화번호", "номер_телефона"}},
		{"a latitude", LatitudeKey, []string{"lat", "pickup_latitude", "originLat", "destination_lat"}},
		{"a longitude", LongitudeKey, []string{"lng", "pickup_longitude", "originLng", "destination_lon", "homeLong"}},
		{"something about a latitude", 0, []string{"lat_offset", "latency", "flat", "long_name", "longest", "along"}},
		{"the words of a wallet", SeedKey, []string{"mnemonic", "walletSeedPhrase", "user_recovery_phrase"}},
		{"something about them", 0, []string{"seed_count", "mnemonics_file", "seedling"}},
		{"something about a birth", 0, []string{"birthplace", "birth_certificate_issued", "birthday_updated_at", "birthtime", "birth_rate"}},
		{"something about a telephone", 0, []string{"phone_number_id_hash", "phone_model", "mobile_views", "telephone_count", "headphones", "microphone_level"}},
		{"a longer word", 0, []string{"reborn", "stubborn_since", "telefonica", "dobby"}},
		{"nothing", 0, []string{"", "_", "a_b_c_d_e_f_g_h_i_j_k_l_m_n_o_p"}},
	} {
		for _, key := range c.keys {
			if have := KeyClass(key, PartialKeys()); have != c.class {
				t.Errorf("%s: want class %b for %s, have %b", c.reason, c.class, key, have)
			}
		}
	}
}

// TestKeyForm holds that a key has one form, whatever joins its words.
func TestKeyForm(t *testing.T) {
	for _, key := range []string{"fecha_de_nacimiento", "fechaDeNacimiento", "FECHA-DE-NACIMIENTO", "Fecha de nacimiento", "fécha.de.nacimiento2"} {
		if have := KeyForm(key); have != "fechadenacimiento" {
			t.Errorf("want one form of %s, have %s", key, have)
		}
	}
}

// TestNameStarts holds that no key with a class is passed over, whatever joins its words.
func TestNameStarts(t *testing.T) {
	r, starts := rand.New(rand.NewPCG(1, 2)), NewNameStarts(PartialKeys())
	names := slices.Concat(slices.Sorted(maps.Keys(PartialKeys())), slices.Sorted(maps.Keys(nouns())), strings.Fields("user my id the x public no telefonnummer nr 7 größe"))
	seen := 0
	for range 100_000 {
		key := ""
		for range 1 + r.IntN(3) {
			word := names[r.IntN(len(names))]
			switch r.IntN(4) {
			case 0:
				word = strings.ToUpper(word)
			case 1: // words that a name is made of
				cut := r.IntN(len(word))
				word = word[:cut] + "_" + word[cut:]
			}
			key += word + []string{"", "_", "-", "1", " "}[r.IntN(5)]
		}
		if NameClass(key)|KeyClass(key, PartialKeys()) == 0 {
			continue
		}
		if seen++; !starts.In(key) {
			t.Fatalf("want a name seen in %s", key)
		}
	}
	if passed := !starts.In("calendar_events_1") && !starts.In("n17") && !starts.In(""); seen < 1000 || !passed {
		t.Errorf("want many keys with a class, have %d, and none seen in others, have %t", seen, passed)
	}
}

// TestKeyStarts holds that no known key is passed over, however it is written.
func TestKeyStarts(t *testing.T) {
	starts := NewKeyStarts(Keys())
	for key := range Keys() {
		for _, sign := range []string{"", "_", "-", " ", "é"} {
			for at := range min(len(key), 6) {
				written := key[:at] + sign + key[at:]
				for _, written := range []string{written, strings.ToUpper(written)} {
					if Keys()[PlainKey(written)] != 0 && !starts.Begins(written) {
						t.Errorf("want %s seen, which is %s", written, key)
					}
				}
			}
		}
	}
	for _, other := range []string{"calendar_1", "step_17", "widget", "__zebra"} {
		if starts.Begins(other) {
			t.Errorf("want %s passed over", other)
		}
	}
}
