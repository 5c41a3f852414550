package eval

import (
	"encoding/base64"
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"github.com/brianvoe/gofakeit/v7"
)

// A maker returns a new value.
type maker func(*gofakeit.Faker) string

// spelled returns a maker of values that match one of the regular expressions.
func spelled(expressions ...string) maker {
	return func(f *gofakeit.Faker) string { return f.Regex(f.RandomString(expressions)) }
}

// Names is the list of names that the filter gets.
var Names = []string{"Maria Lopez", "Jörg Müller", "Aiko Tanaka", "Samuel Okafor", "Priya Nair", "Liam O'Brien", "Chen Wei", "Fatima Zahra"}

var hosts = []string{"example.com", "mail.acme.io", "corp.internal.net", "uni-koeln.de", "firma.co.uk", "shop.example.org"}

const (
	coordinate = `-?[1-7]\d\.\d{4,5}`
	degrees    = `[1-7]?\d°[1-5]?\d'[1-5]?\d\.\d`
	day        = `(0[1-9]|1[0-2])-(0[1-9]|1\d|2[0-8])`
)

// personal are the makers of values that a filter should find, by slot.
var personal = map[string]maker{
	"API_KEY": spelled(
		`sk-[A-Za-z0-9]{48}`, `sk-proj-[A-Za-z0-9]{40}T3BlbkFJ[A-Za-z0-9]{40}`, `sk-ant-api03-[A-Za-z0-9_-]{92}-[A-Za-z0-9]{6}AA`,
		`AIza[A-Za-z0-9_-]{34}[A-Za-z0-9]`, `AKIA[A-Z2-7]{16}`, `gsk_[A-Za-z0-9]{52}`, `xai-[A-Za-z0-9]{80}`, `[sr]k_live_[A-Za-z0-9]{24}`,
		`SG\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{42}[A-Za-z0-9]`, `key-[0-9a-f]{32}`, `[0-9a-f]{32}-us(1?[1-9]|20)`, `SK[0-9a-f]{32}`,
		`PMAK-[0-9a-f]{24}-[0-9a-f]{34}`, `lin_api_[A-Za-z0-9]{40}`, `pplx-[A-Za-z0-9]{48}`),
	"ACCESS_TOKEN": spelled(
		`gh[pousr]_[A-Za-z0-9]{36}`, `github_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59}`, `glpat-[A-Za-z0-9_]{20}`, `hf_[A-Za-z]{34}`,
		`npm_[A-Za-z0-9]{36}`, `xoxb-\d{12}-\d{12}-[A-Za-z0-9]{24}`, `pypi-AgEIcHlwaS5vcmc[A-Za-z0-9_-]{89}[A-Za-z0-9]`,
		`dop_v1_[0-9a-f]{64}`, `shpat_[0-9a-f]{32}`, `dapi[0-9a-f]{32}`, `hvs\.[A-Za-z0-9]{24}`, `1\d{9}:AA[A-Za-z0-9_-]{32}[A-Za-z0-9]`,
		`glsa_[A-Za-z0-9]{32}_[0-9a-f]{8}`, `ya29\.[A-Za-z0-9_-]{80}[A-Za-z0-9]`, `figd_[A-Za-z0-9_-]{39}[A-Za-z0-9]`),
	"EMAIL_ADDRESS": func(f *gofakeit.Faker) string {
		if f.IntN(2) == 0 {
			return f.Email()
		}
		return f.Regex(`(josé|m\.müller|user\d{4}|x_y-z|first\+tag|李雷|o'neil)@`) + f.RandomString(append(hosts, "例子.中国", "münchen.de"))
	},
	"PHONE_NUMBER": spelled( // with exchanges that the plans of their countries allow
		`\((212|415|617|303)\) 555-[1-9]\d{3}`, `(212|415|617|303)-[2-7][2-9]\d-\d{4}`, `\+1 (212|415|617|303) [2-7][2-9]\d \d{4}`, `\+44 20 7946 0\d{3}`,
		`\+4930[1-8]\d{6}`, `\+33 6 [1-8]\d \d\d \d\d \d\d`, `(212|415|617|303)\.[2-7][2-9]\d\.\d{4}`, `(212|415|617|303)[2-7][2-9]\d{5}`),
	"PHONE_EXTENSION": spelled(`\+1 415 [2-7][2-9]\d \d{4} ext [1-9]\d`),
	"CREDIT_CARD": func(f *gofakeit.Faker) string {
		options := gofakeit.CreditCardOptions{Types: []string{"visa", "mastercard", "american-express"}, Gaps: true}
		if f.IntN(4) == 0 {
			options.Types, options.Bins = []string{"visa"}, []string{"6011"} // Discover, with 16 digits
		}
		number := f.CreditCardNumber(&options)
		return strings.ReplaceAll(number, " ", f.RandomString([]string{"", " ", "-"}))
	},
	"IBAN_CODE":     iban,
	"US_SSN":        spelled(`[1-5]\d\d-[1-9]\d-[1-9]\d{3}`),
	"US_ITIN":       spelled(`9\d\d-7\d-\d{4}`),
	"UK_NHS":        nhs,
	"UK_NINO":       spelled(`(AB|CE|JK|TS)\d{6}[A-D]`),
	"US_PASSPORT":   spelled(`[1-8]\d{8}`),
	"IN_AADHAAR":    spelled(`2341 2341 2346`, `499118665246`),
	"DATE_OF_BIRTH": spelled(`19[4-9]\d-` + day),
	"IP_ADDRESS":    spelled(`(10|52|84|172|192|203)(\.(1?[1-9]?\d|2[0-4]\d)){2}\.(1\d\d|[4-9]\d)`),
	"IPV6":          (*gofakeit.Faker).IPv6Address,
	"MAC_ADDRESS": func(f *gofakeit.Faker) string {
		return strings.ReplaceAll(f.MacAddress(), ":", f.RandomString([]string{":", ":", "-"}))
	},
	"URL_CREDENTIALS": spelled(`(admin|svc_app|bob):[A-Za-z0-9]{14}`),
	"PASSWORD":        spelled(`(hunter2!|Tr0ub4dor&3|S3cure#Pass9|qwe123RTY!)\d\d`),
	"GENERIC":         spelled(`[A-Za-z0-9]{30}7a`),
	"BASIC": func(f *gofakeit.Faker) string {
		return base64.StdEncoding.EncodeToString([]byte(f.Regex(`user\d{3}:[A-Za-z0-9]{11}`)))
	},
	"BEARER":         spelled(`[A-Za-z0-9_-]{38}9x`),
	"JWT":            spelled(`eyJ[A-Za-z0-9]{33}\.eyJ[A-Za-z0-9]{60}\.[A-Za-z0-9_-]{42}Q`),
	"PRIVATE_KEY":    privateKey,
	"WEBHOOK_URL":    spelled(`https://hooks\.slack\.com/services/T[A-Z2-7]{8}/B[A-Z2-7]{8}/[A-Za-z0-9]{24}`),
	"GEO":            spelled(coordinate + ", " + coordinate),
	"LAT":            spelled(coordinate),
	"LNG":            spelled(coordinate),
	"DMS":            spelled(degrees + `"N ` + degrees + `"W`),
	"SOCIAL_HANDLE":  spelled(`@(alice_smith|bobthebuilder|dev\.jane|tanaka99|the_real_max)`),
	"STREET_ADDRESS": spelled(`[1-9]\d{0,3} (Main Street|Oak Avenue|N\. Elm St|Sunset Blvd|Park Lane), (Springfield, IL 62704|Portland, OR 97205|New York, NY 10001)`),
	"PERSON":         func(f *gofakeit.Faker) string { return f.RandomString(Names) },
	"CRYPTO":         spelled(`1BoatSLRHtKNngkdXEeobR76b53LETtpyT`, `3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy`, `bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq`),
	"ETH":            spelled(`0x[0-9a-f]{40}`),
	"SEED_PHRASE":    spelled(`((abandon|ability|about|absorb|cabin|dinosaur|eagle|fabric|garden|ocean|puzzle) ){11}zebra`),

	"SPELLED":         spelled(`alice at example dot com`), // which no rule reads
	"UNLISTED":        spelled(`Tomasz Wójcik`, `Emily Carter`),
	"PLAIN_PASSWORD":  spelled(`\d{4}`),
	"FOREIGN_ADDRESS": spelled(`Hauptstraße [1-9]\d{0,2}, 50667 Köln`),
}

// entities are the entities of slots with another name.
var entities = map[string]string{
	"PHONE_EXTENSION": "PHONE_NUMBER", "IPV6": "IP_ADDRESS", "GENERIC": "SECRET", "BASIC": "AUTH_HEADER", "BEARER": "AUTH_HEADER",
	"GEO": "GEO_COORDINATES", "LAT": "GEO_COORDINATES", "LNG": "GEO_COORDINATES", "DMS": "GEO_COORDINATES", "ETH": "CRYPTO",
	"SPELLED": "EMAIL_ADDRESS written out", "UNLISTED": "PERSON not listed", "PLAIN_PASSWORD": "PASSWORD of digits", "FOREIGN_ADDRESS": "STREET_ADDRESS abroad",
}

// fillers are the makers of text that is not personal, by slot.
var fillers = map[string]maker{
	".small":   spelled(`[1-5]?[1-9]`),
	".order":   spelled(`[1-9]\d{4}`, `[1-8]\d{5}`),
	".port":    spelled(`[1-5]\d{4}`),
	".hex":     spelled(`[0-9a-f]{40}`),
	".uuid":    (*gofakeit.Faker).UUID,
	".version": spelled(`1?\d\.[1-3]?\d\.[1-9]?\d`),
	".date":    spelled(`202\d-` + day),
	".time":    spelled(`([01]\d|2[0-3]):[0-5]\d:[0-5]\d`),
	".host":    func(f *gofakeit.Faker) string { return f.RandomString(hosts) },
}

func privateKey(f *gofakeit.Faker) string {
	kind := f.RandomString([]string{"RSA ", "EC ", "", "OPENSSH "})
	return "-----BEGIN " + kind + "PRIVATE KEY-----\n" + f.Regex(`[A-Za-z0-9+/]{64}\n[A-Za-z0-9+/]{44}==`) + "\n-----END " + kind + "PRIVATE KEY-----"
}

// iban returns an account number with its check digits, in one piece or in groups of four.
func iban(f *gofakeit.Faker) string {
	account := f.Regex(f.RandomString([]string{`DE\d{18}`, `GB[A-HK-N]{4}\d{14}`, `FR\d{10}[0-9A-C]{11}\d\d`, `NLABNA\d{10}`, `NO\d{11}`}))
	country, body := account[:2], account[2:]
	var digits strings.Builder
	for _, c := range body + country + "00" {
		if c >= 'A' {
			digits.WriteString(strconv.Itoa(int(c-'A') + 10))
			continue
		}
		digits.WriteRune(c)
	}
	n, _ := new(big.Int).SetString(digits.String(), 10)
	whole := fmt.Sprintf("%s%02d%s", country, 98-n.Mod(n, big.NewInt(97)).Int64(), body)
	if f.IntN(2) == 0 {
		return whole
	}
	var groups []string
	for ; len(whole) > 4; whole = whole[4:] {
		groups = append(groups, whole[:4])
	}
	return strings.Join(append(groups, whole), " ")
}

func nhs(f *gofakeit.Faker) string {
	for {
		d, sum := f.Regex(`\d{9}`), 0
		for i := range d {
			sum += int(d[i]-'0') * (10 - i)
		}
		if check := (11 - sum%11) % 11; check < 10 {
			return d[:3] + " " + d[3:6] + " " + d[6:] + strconv.Itoa(check)
		}
	}
}
