package eval

import (
	"encoding/base64"
	"fmt"
	"math/big"
	"math/rand/v2"
	"strconv"
	"strings"
)

type generator struct{ *rand.Rand }

func pick[T any](g *generator, from []T) T { return from[g.IntN(len(from))] }

const (
	decimal = "0123456789"
	lowhex  = "0123456789abcdef"
	upnum   = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
	alnum   = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
)

func (g *generator) chars(from string, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = from[g.IntN(len(from))]
	}
	return string(b)
}

// Names are those of the list that the filter is given.
var Names = []string{"Maria Lopez", "Jörg Müller", "Aiko Tanaka", "Samuel Okafor", "Priya Nair", "Liam O'Brien", "Chen Wei", "Fatima Zahra"}

var hosts = []string{"example.com", "mail.acme.io", "corp.internal.net", "uni-koeln.de", "firma.co.uk", "shop.example.org"}

// A format is a kind of secret that a provider gives out.
type format struct {
	entity string
	make   func(g *generator) string
}

var formats = []format{
	{"API_KEY", func(g *generator) string { return "sk-" + g.chars(alnum, 48) }},
	{"API_KEY", func(g *generator) string { return "sk-proj-" + g.chars(alnum, 40) + "T3BlbkFJ" + g.chars(alnum, 40) }},
	{"API_KEY", func(g *generator) string {
		return "sk-ant-api03-" + g.chars(alnum+"_-", 92) + "-" + g.chars(alnum, 6) + "AA"
	}},
	{"API_KEY", func(g *generator) string { return "AIza" + g.chars(alnum+"_-", 34) + g.chars(alnum, 1) }},
	{"API_KEY", func(g *generator) string { return "AKIA" + g.chars(upnum, 16) }},
	{"API_KEY", func(g *generator) string { return "gsk_" + g.chars(alnum, 52) }},
	{"API_KEY", func(g *generator) string { return "xai-" + g.chars(alnum, 80) }},
	{"API_KEY", func(g *generator) string { return pick(g, []string{"sk", "rk"}) + "_live_" + g.chars(alnum, 24) }},
	{"API_KEY", func(g *generator) string {
		return "SG." + g.chars(alnum+"_-", 22) + "." + g.chars(alnum+"_-", 42) + g.chars(alnum, 1)
	}},
	{"API_KEY", func(g *generator) string { return "key-" + g.chars(lowhex, 32) }},
	{"API_KEY", func(g *generator) string { return g.chars(lowhex, 32) + "-us" + strconv.Itoa(1+g.IntN(20)) }},
	{"API_KEY", func(g *generator) string { return "SK" + g.chars(lowhex, 32) }},
	{"API_KEY", func(g *generator) string { return "PMAK-" + g.chars(lowhex, 24) + "-" + g.chars(lowhex, 34) }},
	{"API_KEY", func(g *generator) string { return "lin_api_" + g.chars(alnum, 40) }},
	{"API_KEY", func(g *generator) string { return "pplx-" + g.chars(alnum, 48) }},
	{"ACCESS_TOKEN", func(g *generator) string {
		return "gh" + pick(g, []string{"p", "o", "u", "s", "r"}) + "_" + g.chars(alnum, 36)
	}},
	{"ACCESS_TOKEN", func(g *generator) string { return "github_pat_" + g.chars(alnum, 22) + "_" + g.chars(alnum, 59) }},
	{"ACCESS_TOKEN", func(g *generator) string { return "glpat-" + g.chars(alnum+"_", 20) }},
	{"ACCESS_TOKEN", func(g *generator) string { return "hf_" + g.chars(alnum[:52], 34) }},
	{"ACCESS_TOKEN", func(g *generator) string { return "npm_" + g.chars(alnum, 36) }},
	{"ACCESS_TOKEN", func(g *generator) string {
		return "xoxb-" + g.chars(decimal, 12) + "-" + g.chars(decimal, 12) + "-" + g.chars(alnum, 24)
	}},
	{"ACCESS_TOKEN", func(g *generator) string { return "pypi-AgEIcHlwaS5vcmc" + g.chars(alnum+"_-", 89) + g.chars(alnum, 1) }},
	{"ACCESS_TOKEN", func(g *generator) string { return "dop_v1_" + g.chars(lowhex, 64) }},
	{"ACCESS_TOKEN", func(g *generator) string { return "shpat_" + g.chars(lowhex, 32) }},
	{"ACCESS_TOKEN", func(g *generator) string { return "dapi" + g.chars(lowhex, 32) }},
	{"ACCESS_TOKEN", func(g *generator) string { return "hvs." + g.chars(alnum, 24) }},
	{"ACCESS_TOKEN", func(g *generator) string {
		return "1" + g.chars(decimal, 9) + ":AA" + g.chars(alnum+"_-", 32) + g.chars(alnum, 1)
	}},
	{"ACCESS_TOKEN", func(g *generator) string { return "glsa_" + g.chars(alnum, 32) + "_" + g.chars(lowhex, 8) }},
	{"ACCESS_TOKEN", func(g *generator) string { return "ya29." + g.chars(alnum+"_-", 80) + g.chars(alnum, 1) }},
	{"ACCESS_TOKEN", func(g *generator) string { return "figd_" + g.chars(alnum+"_-", 39) + g.chars(alnum, 1) }},
}

// value gives something personal of a kind, and the entity it is.
func (g *generator) value(kind string) (value, entity string) {
	switch kind {
	case "SECRET":
		f := pick(g, formats)
		return f.make(g), f.entity
	case "EMAIL_ADDRESS":
		local := pick(g, []string{"bob", "alice.smith", "josé", "m.müller", "user" + g.chars(decimal, 4), "x_y-z", "first+tag", "李雷", "o'neil"})
		return local + "@" + pick(g, append(hosts, "例子.中国", "münchen.de")), kind
	case "PHONE_NUMBER":
		return g.phone(), kind
	case "PHONE_EXTENSION":
		return g.phone() + " ext " + g.filler("small"), "PHONE_NUMBER"
	case "CREDIT_CARD":
		return g.card(), kind
	case "IBAN_CODE":
		return g.iban(), kind
	case "US_SSN":
		return fmt.Sprintf("%03d-%02d-%04d", 100+g.IntN(500), 1+g.IntN(99), 1+g.IntN(9999)), kind
	case "US_ITIN":
		return fmt.Sprintf("9%02d-%02d-%04d", g.IntN(100), 70+g.IntN(18), g.IntN(10000)), kind
	case "UK_NHS":
		return g.nhs(), kind
	case "UK_NINO":
		return pick(g, []string{"AB", "CE", "JK", "TS"}) + fmt.Sprintf("%06d", g.IntN(1000000)) + g.chars("ABCD", 1), kind
	case "US_PASSPORT":
		return fmt.Sprintf("%09d", 100000000+g.IntN(800000000)), kind
	case "IN_AADHAAR":
		return pick(g, []string{"2341 2341 2346", "499118665246", "2341 2341 2346"}), kind
	case "DATE_OF_BIRTH":
		return fmt.Sprintf("19%02d-%02d-%02d", 40+g.IntN(60), 1+g.IntN(12), 1+g.IntN(28)), kind
	case "IP_ADDRESS":
		return fmt.Sprintf("%d.%d.%d.%d", pick(g, []int{10, 52, 84, 172, 192, 203}), g.IntN(256), g.IntN(256), 40+g.IntN(200)), kind
	case "IPV6":
		return pick(g, []string{"2001:db8:85a3::8a2e:370:7334", "fe80::1ff:fe23:4567:890a", "2a00:1450:4001:81b::200e", "2001:0db8:0000:0000:0000:ff00:0042:8329"}), "IP_ADDRESS"
	case "MAC_ADDRESS":
		pairs := make([]string, 6)
		for i := range pairs {
			pairs[i] = fmt.Sprintf("%02x", g.IntN(256))
		}
		return strings.Join(pairs, pick(g, []string{":", ":", "-"})), kind
	case "URL_CREDENTIALS":
		return pick(g, []string{"admin", "svc_app", "bob"}) + ":" + g.chars(alnum, 14), kind
	case "PASSWORD":
		return pick(g, []string{"hunter2!", "Tr0ub4dor&3", "S3cure#Pass9", "qwe123RTY!"}) + g.chars(decimal, 2), kind
	case "GENERIC":
		return g.chars(alnum, 30) + "7a", "SECRET"
	case "BASIC":
		return base64.StdEncoding.EncodeToString([]byte("user" + g.chars(decimal, 3) + ":" + g.chars(alnum, 11))), "AUTH_HEADER"
	case "BEARER":
		return g.chars(alnum+"_-", 38) + "9x", "AUTH_HEADER"
	case "JWT":
		return "eyJ" + g.chars(alnum, 33) + ".eyJ" + g.chars(alnum, 60) + "." + g.chars(alnum+"_-", 42) + "Q", kind
	case "PRIVATE_KEY":
		kind := pick(g, []string{"RSA ", "EC ", "", "OPENSSH "})
		return "-----BEGIN " + kind + "PRIVATE KEY-----\n" + g.chars(alnum+"+/", 64) + "\n" + g.chars(alnum+"+/", 44) + "==\n-----END " + kind + "PRIVATE KEY-----", "PRIVATE_KEY"
	case "WEBHOOK_URL":
		return "https://hooks.slack.com/services/T" + g.chars(upnum, 8) + "/B" + g.chars(upnum, 8) + "/" + g.chars(alnum, 24), kind
	case "GEO":
		return fmt.Sprintf("%.5f, %.5f", g.Float64()*160-80, g.Float64()*340-170), "GEO_COORDINATES"
	case "LAT":
		return fmt.Sprintf("%.4f", g.Float64()*160-80), "GEO_COORDINATES"
	case "LNG":
		return fmt.Sprintf("%.4f", g.Float64()*340-170), "GEO_COORDINATES"
	case "DMS":
		return fmt.Sprintf(`%d°%d'%d.%d"N %d°%d'%d.%d"W`, g.IntN(80), g.IntN(60), g.IntN(60), g.IntN(10), g.IntN(170), g.IntN(60), g.IntN(60), g.IntN(10)), "GEO_COORDINATES"
	case "SOCIAL_HANDLE":
		return "@" + pick(g, []string{"alice_smith", "bobthebuilder", "dev.jane", "tanaka99", "the_real_max"}), kind
	case "STREET_ADDRESS":
		return strconv.Itoa(1+g.IntN(9000)) + " " + pick(g, []string{"Main Street", "Oak Avenue", "N. Elm St", "Sunset Blvd", "Park Lane"}) + ", " +
			pick(g, []string{"Springfield, IL 62704", "Portland, OR 97205", "New York, NY 10001"}), kind
	case "PERSON":
		return pick(g, Names), kind
	case "CRYPTO":
		return pick(g, []string{"1BoatSLRHtKNngkdXEeobR76b53LETtpyT", "3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy", "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq"}), kind
	case "ETH":
		return "0x" + g.chars(lowhex, 40), "CRYPTO"
	case "SEED_PHRASE":
		words := make([]string, 12)
		for i := range words {
			words[i] = pick(g, []string{"abandon", "ability", "about", "absorb", "cabin", "dinosaur", "eagle", "fabric", "garden", "ocean", "puzzle", "zebra"})
		}
		return strings.Join(words, " "), kind
	case "SPELLED":
		return "alice at example dot com", "EMAIL_ADDRESS written out"
	case "UNLISTED":
		return pick(g, []string{"Tomasz Wójcik", "Emily Carter"}), "PERSON not listed"
	case "PLAIN_PASSWORD":
		return g.chars(decimal, 4), "PASSWORD of digits"
	case "FOREIGN_ADDRESS":
		return "Hauptstraße " + strconv.Itoa(1+g.IntN(200)) + ", 50667 Köln", "STREET_ADDRESS abroad"
	}
	panic("no value of kind " + kind)
}

// phone gives a number that its country's plan allows.
func (g *generator) phone() string {
	switch g.IntN(8) {
	case 0:
		return fmt.Sprintf("(%d) 555-%04d", pick(g, []int{212, 415, 617, 303}), 100+g.IntN(9000))
	case 1:
		return fmt.Sprintf("%d-%d-%04d", pick(g, []int{212, 415, 617, 303}), 220+g.IntN(600), g.IntN(10000))
	case 2:
		return fmt.Sprintf("+1 %d %d %04d", pick(g, []int{212, 415, 617, 303}), 220+g.IntN(600), g.IntN(10000))
	case 3:
		return fmt.Sprintf("+44 20 7946 %04d", g.IntN(1000))
	case 4:
		return fmt.Sprintf("+4930%07d", 1000000+g.IntN(8000000))
	case 5:
		return fmt.Sprintf("+33 6 %02d %02d %02d %02d", 10+g.IntN(80), g.IntN(100), g.IntN(100), g.IntN(100))
	case 6:
		return fmt.Sprintf("%d.%d.%04d", pick(g, []int{212, 415, 617, 303}), 220+g.IntN(600), g.IntN(10000))
	}
	return fmt.Sprintf("%d%d%04d", pick(g, []int{212, 415, 617, 303}), 220+g.IntN(600), g.IntN(10000))
}

// card gives a number with Luhn's digit, in one piece or in groups.
func (g *generator) card() string {
	prefix, size := pick(g, []string{"4", "51", "55", "2221", "6011", "37"}), 16
	if prefix == "37" {
		size = 15
	}
	d := prefix + g.chars(decimal, size-1-len(prefix))
	sum := 0
	for i := range d {
		n := int(d[len(d)-1-i] - '0')
		if i%2 == 0 {
			if n *= 2; n > 9 {
				n -= 9
			}
		}
		sum += n
	}
	d += strconv.Itoa((10 - sum%10) % 10)
	sep := pick(g, []string{"", " ", "-"})
	if size == 15 {
		return d[:4] + sep + d[4:10] + sep + d[10:]
	}
	return d[:4] + sep + d[4:8] + sep + d[8:12] + sep + d[12:]
}

// iban gives an account number with its check digits, in one piece or in groups of four.
func (g *generator) iban() string {
	country := pick(g, []struct {
		code string
		make func() string
	}{
		{"DE", func() string { return g.chars(decimal, 18) }},
		{"GB", func() string { return g.chars("ABCDEFGHKLMN", 4) + g.chars(decimal, 14) }},
		{"FR", func() string { return g.chars(decimal, 10) + g.chars(decimal+"ABC", 11) + g.chars(decimal, 2) }},
		{"NL", func() string { return "ABNA" + g.chars(decimal, 10) }},
		{"NO", func() string { return g.chars(decimal, 11) }},
	})
	body := country.make()
	var digits strings.Builder
	for _, c := range body + country.code + "00" {
		if c >= 'A' {
			digits.WriteString(strconv.Itoa(int(c-'A') + 10))
			continue
		}
		digits.WriteRune(c)
	}
	n, _ := new(big.Int).SetString(digits.String(), 10)
	rest := new(big.Int).Mod(n, big.NewInt(97)).Int64()
	whole := fmt.Sprintf("%s%02d%s", country.code, 98-rest, body)
	if g.IntN(2) == 0 {
		return whole
	}
	var groups []string
	for ; len(whole) > 4; whole = whole[4:] {
		groups = append(groups, whole[:4])
	}
	return strings.Join(append(groups, whole), " ")
}

func (g *generator) nhs() string {
	for {
		d := g.chars(decimal, 9)
		sum := 0
		for i := range d {
			sum += int(d[i]-'0') * (10 - i)
		}
		if check := (11 - sum%11) % 11; check < 10 {
			d += strconv.Itoa(check)
			return d[:3] + " " + d[3:6] + " " + d[6:]
		}
	}
}

// filler gives text that is not personal.
func (g *generator) filler(kind string) string {
	switch kind {
	case "small":
		return strconv.Itoa(1 + g.IntN(60))
	case "order":
		return strconv.Itoa(10000 + g.IntN(900000))
	case "port":
		return strconv.Itoa(1024 + g.IntN(60000))
	case "hex":
		return g.chars(lowhex, 40)
	case "uuid":
		return g.chars(lowhex, 8) + "-" + g.chars(lowhex, 4) + "-4" + g.chars(lowhex, 3) + "-a" + g.chars(lowhex, 3) + "-" + g.chars(lowhex, 12)
	case "version":
		return fmt.Sprintf("%d.%d.%d", g.IntN(20), g.IntN(40), g.IntN(100))
	case "date":
		return fmt.Sprintf("20%02d-%02d-%02d", 20+g.IntN(10), 1+g.IntN(12), 1+g.IntN(28))
	case "time":
		return fmt.Sprintf("%02d:%02d:%02d", g.IntN(24), g.IntN(60), g.IntN(60))
	case "host":
		return pick(g, hosts)
	}
	panic("no filler of kind " + kind)
}

func (g *generator) negative(i int) string {
	var b strings.Builder
	b.WriteString(pick(g, openings))
	for rest := negatives[i%len(negatives)]; ; {
		before, after, ok := strings.Cut(rest, "{.")
		b.WriteString(before)
		if !ok {
			return b.String()
		}
		slot, tail, _ := strings.Cut(after, "}")
		b.WriteString(g.filler(slot))
		rest = tail
	}
}
