package eval

import (
	"encoding/base64"
	"fmt"
	"math/big"
	"strconv"
	"strings"
)

// A maker returns a new value.
type maker func(drawer) string

// spelled returns a maker of values that match one of the regular expressions.
func spelled(expressions ...string) maker {
	return func(d drawer) string { return d.matching(d.oneOf(expressions...)) }
}

// personNames is the list of names that the filter gets.
var personNames = []string{"Maria Lopez", "Jörg Müller", "Aiko Tanaka", "Samuel Okafor", "Priya Nair", "Liam O'Brien", "Chen Wei", "Fatima Zahra"}

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
	"EMAIL_ADDRESS": func(d drawer) string {
		if d.IntN(2) == 0 {
			return d.matching(`[a-z]{4,9}[._]?[a-z]{3,9}\d?@[a-z]{5,12}\.(biz|com|info|io|net|org)`)
		}
		return d.matching(`(josé|m\.müller|user\d{4}|x_y-z|first\+tag|李雷|o'neil)@`) + d.oneOf(append(hosts, "例子.中国", "münchen.de")...)
	},
	"PHONE_NUMBER": spelled( // with exchanges that the plans of their countries allow
		`\((212|415|617|303)\) 555-[1-9]\d{3}`, `(212|415|617|303)-[2-7][2-9]\d-\d{4}`, `\+1 (212|415|617|303) [2-7][2-9]\d \d{4}`, `\+44 20 7946 0\d{3}`,
		`\+4930[1-8]\d{6}`, `\+33 6 [1-8]\d \d\d \d\d \d\d`, `(212|415|617|303)\.[2-7][2-9]\d\.\d{4}`, `(212|415|617|303)[2-7][2-9]\d{5}`),
	"PHONE_EXTENSION": spelled(`\+1 415 [2-7][2-9]\d \d{4} ext [1-9]\d`),
	"CREDIT_CARD":     card,
	"IBAN_CODE":       iban,
	"US_SSN":          spelled(`[1-5]\d\d-[1-9]\d-[1-9]\d{3}`),
	"US_ITIN":         spelled(`9\d\d-7\d-\d{4}`),
	"UK_NHS":          nhs,
	"UK_NINO":         spelled(`(AB|CE|JK|TS)\d{6}[A-D]`),
	"US_PASSPORT":     spelled(`[1-8]\d{8}`),
	"IN_AADHAAR":      spelled(`2341 2341 2346`, `499118665246`),
	"DATE_OF_BIRTH":   spelled(`19[4-9]\d-` + day),
	"IP_ADDRESS":      spelled(`(10|52|84|172|192|203)(\.(1?[1-9]?\d|2[0-4]\d)){2}\.(1\d\d|[4-9]\d)`),
	"IPV6":            spelled(`(2001:db8|2a02:810|fe80:0)(:[1-9a-f][0-9a-f]{3}){6}`),
	"MAC_ADDRESS":     spelled(`[0-9a-f]{2}(:[0-9a-f]{2}){5}`, `[0-9a-f]{2}(:[0-9a-f]{2}){5}`, `[0-9a-f]{2}(-[0-9a-f]{2}){5}`),
	"URL_CREDENTIALS": spelled(`(admin|svc_app|bob):[A-Za-z0-9]{14}`),
	"PASSWORD":        spelled(`(hunter2!|Tr0ub4dor&3|S3cure#Pass9|qwe123RTY!)\d\d`),
	"GENERIC":         spelled(`[A-Za-z0-9]{30}7a`),
	"BASIC": func(d drawer) string {
		return base64.StdEncoding.EncodeToString([]byte(d.matching(`user\d{3}:[A-Za-z0-9]{11}`)))
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
	"PERSON":         spelled(personNames...),
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
	".uuid":    spelled(`[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}`),
	".version": spelled(`1?\d\.[1-3]?\d\.[1-9]?\d`),
	".date":    spelled(`202\d-` + day),
	".time":    spelled(`([01]\d|2[0-3]):[0-5]\d:[0-5]\d`),
	".host":    func(d drawer) string { return d.oneOf(hosts...) },
}

func privateKey(d drawer) string {
	kind := d.oneOf("RSA ", "EC ", "", "OPENSSH ")
	return "-----BEGIN " + kind + "PRIVATE KEY-----\n" + d.matching(`[A-Za-z0-9+/]{64}\n[A-Za-z0-9+/]{44}==`) + "\n-----END " + kind + "PRIVATE KEY-----"
}

// card returns a number with its check digit, in one piece or in groups.
func card(d drawer) string {
	groups := strings.Fields(d.matching(d.oneOf(`4\d{3} \d{4} \d{4} \d{3}`, `5[1-5]\d\d \d{4} \d{4} \d{3}`, `3[47]\d\d \d{6} \d{4}`, `6011 \d{4} \d{4} \d{3}`)))
	sum := 0
	for i, digits := 0, strings.Join(groups, ""); i < len(digits); i++ {
		n := int(digits[len(digits)-1-i] - '0')
		if i%2 == 0 {
			n = n*2/10 + n*2%10
		}
		sum += n
	}
	return strings.Join(groups, d.oneOf("", " ", "-")) + strconv.Itoa((10-sum%10)%10)
}

// iban returns an account number with its check digits, in one piece or in groups of four.
func iban(d drawer) string {
	account := d.matching(d.oneOf(`DE\d{18}`, `GB[A-HK-N]{4}\d{14}`, `FR\d{10}[0-9A-C]{11}\d\d`, `NLABNA\d{10}`, `NO\d{11}`))
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
	if d.IntN(2) == 0 {
		return whole
	}
	var groups []string
	for ; len(whole) > 4; whole = whole[4:] {
		groups = append(groups, whole[:4])
	}
	return strings.Join(append(groups, whole), " ")
}

func nhs(d drawer) string {
	for {
		n, sum := d.matching(`\d{9}`), 0
		for i := range n {
			sum += int(n[i]-'0') * (10 - i)
		}
		if check := (11 - sum%11) % 11; check < 10 {
			return n[:3] + " " + n[3:6] + " " + n[6:] + strconv.Itoa(check)
		}
	}
}
