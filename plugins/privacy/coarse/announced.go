package coarse

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/sluicehq/sluice/plugins/privacy/ascii"
	"github.com/sluicehq/sluice/plugins/privacy/rules"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// A Suspect is what a coarse look found near a word for it.
type Suspect struct {
	Kind string // what the word is for
	Word string
	At   int // the offset in the JSON text that was read
}

// A suspicion is a kind of value that words announce.
type suspicion struct {
	kind   string
	entity string
	filler int // the most letters between a word and a value
	words  []string
}

// suspicions are the kinds with their words, in small letters and without spaces, since the look reads letters only. A word before
// a bar counts as a whole word, and one behind a bar begins where a word does. But for the names of services they are few and not
// taken from the words of the rules, whose mistakes the look is to find.
var suspicions = []suspicion{
	{"password", rules.Password, 32, []string{"password", "passwd", "passwort", "passphrase", "passcode", "pwd|", "pw|", "kennwort", "contraseña",
		"contrasena", "clave|", "senha|", "motdepasse", "mdp|", "wachtwoord", "hasło", "haslo|", "пароль", "密码", "密碼", "口令", "パスワード", "비밀번호",
		"암호", "पासवर्ड", "şifre", "parola|", "lösenord", "heslo|", "passord|", "salasana", "adgangskode", "mậtkhẩu", "katasandi", "סיסמה", "كلمةالمرور"}},
	{"token", rules.GenericSecret, 32, []string{"secret", "token", "apikey", "accesskey", "authkey", "authenticationkey", "privatekey", "signingkey",
		"encryptionkey", "masterkey", "accountkey", "licensekey", "licencekey", "psk|", "clientkey", "credential", "bearer|", "geheimnis", "jeton|", "secreto", "segredo",
		"apischlüssel", "schlüssel|", "cléapi", "cléd'api", "clavedeapi", "chaveapi", "chavedeapi", "kluczapi", "apiキー", "トークン", "令牌", "密钥", "密鑰", "토큰"}},
	{"card number", rules.CreditCard, 16, []string{"creditcard", "debitcard", "cardnumber", "cardno|", "card|", "visa|", "mastercard", "amex|", "kreditkarte", "kartennummer",
		"cartebancaire", "cartão", "tarjeta", "carta|di|credito", "信用卡", "カード番号"}},
	{"bank account", rules.IBANCode, 12, []string{"iban"}},
	{"social security number", "US_SSN", 12, []string{"ssn|", "socialsecurity"}},
	{"telephone number", rules.PhoneNumber, 8, []string{"phonenumber", "phone|", "telephone", "telefon|", "telefonnummer", "mobilenumber", "whatsapp", "téléphone",
		"teléfono", "telefone", "telefono", "handynummer", "tel|", "mobile|", "cell|", "fax|", "dial|", "sms|", "móvil|", "celular|",
		"手机", "電話", "전화", "телефон", "फोन"}},
	{"passport number", "US_PASSPORT", 12, []string{"passport", "reisepass", "passeport", "pasaporte", "passaporto", "护照", "パスポート"}},
	{"date of birth", rules.DateOfBirth, 8, []string{"dateofbirth", "birthdate", "birthday", "birth|", "bday|", "born|", "geboren", "geb|", "né|", "née|", "nato|", "nata|",
		"nacido", "nacida", "nascido", "nascida", "urodzon", "dob|", "naissance", "nacimiento", "nascimento", "nascita", "geboortedatum", "जन्म", "出生", "生まれ", "geburtsdatum", "datedenaissance", "fechadenacimiento",
		"dataurodzenia", "生年月日"}},
	{"national number", "UK_NHS", 12, []string{"nhs"}},
	{"national number", "UK_NINO", 12, []string{"nino|", "nationalinsurance"}},
	{"national number", "US_ITIN", 12, []string{"itin|"}},
	{"national number", "IN_AADHAAR", 12, []string{"aadhaar", "आधार"}},
	{"national number", "IN_PAN", 12, []string{"pancard", "pannumber"}},
	{"national number", "BR_CPF", 12, []string{"cpf|"}},
	{"national number", "BR_CNPJ", 12, []string{"cnpj|"}},
	{"national number", "PL_PESEL", 12, []string{"pesel"}},
	{"national number", "NL_BSN", 12, []string{"bsn|", "burgerservicenummer"}},
	{"national number", "AU_TFN", 12, []string{"tfn|", "taxfilenumber"}},
	{"national number", "CA_SIN", 12, []string{"socialinsurance"}},
	{"national number", "DE_TAX_ID", 12, []string{"steueridentifikationsnummer", "steuerid"}},
	{"national number", "IT_FISCAL_CODE", 12, []string{"codicefiscale"}},
	{"national number", "ES_DNI", 12, []string{"dni|"}},
	{"national number", "ES_NIE", 12, []string{"nie|"}},
	{"national number", "FR_NIR", 12, []string{"sécuritésociale", "securitesociale"}},
	{"national number", "CN_RESIDENT_ID", 12, []string{"身份证"}},
}

// announcing returns the words that make a drawn value right behind them suspect.
func announcing() (words []string) {
	names := rules.Names()
	for _, word := range slices.Concat(names.Vendor, names.Announcing) {
		words = append(words, "|"+word)
	}
	return words
}

// The first suspicions have a bit each, in their order. Those from firstNumber on are of national numbers.
const (
	suspectPassword = 1 << iota
	suspectToken
	suspectCard
	suspectIBAN
	suspectSSN
	suspectPhone
	suspectPassport
	suspectBirth

	firstNumber
)

// suspectVendor is the kind with names of services, which suspects adds behind all others. suspectNumber are those of numbers that
// citizens have.
var (
	suspectVendor = 1 << len(suspicions)
	suspectNumber = suspectVendor - firstNumber
)

// A suspectWord is a word of a suspicion.
type suspectWord struct {
	text   string
	whole  bool // it is no part of a longer word
	begins bool // it begins a word
	of     int  // the number of the suspicion, which is that of its bit
}

func pairOf(a, b byte) int { return (int(a)<<3 ^ int(b)) & (1<<10 - 1) }

// Letters between a word and a value, or before a word, that deny it.
var (
	deniedBetween = []string{"hash", "digest", "checksum", "fingerprint", "commit", "uuid", "cursor", "version", "example", "expire", "length", "etag", "contract",
		"policy", "usage"}
	deniedEnds = []string{"id", "ids", "ref", "less", "ary", "at", "index", "pos", "name", "type", "url", "uri", "count", "page", "file", "path", "limit", "error",
		"sha", "iz", "ization", "arn", "address", "public", "sample"}
	deniedBefore = []string{"next", "prev", "page", "cursor", "continu", "continuation", "sync", "resume", "public", "max", "num", "special", "stop", "eos", "bos",
		"pad", "input", "output", "prompt", "total", "hash", "idempotency", "cache", "bearer"}
)

const (
	windowBytes = 72 // of JSON text before a value in which its word may be
	boundary    = 1  // in a reading: a line, a clause or a member ends
)

// A reading is the letters of a text, small, with boundaries.
type reading struct {
	text  [4 * windowBytes]byte
	begin [4 * windowBytes]bool // a word begins
	size  int
	value int // where the last value that is a string begins, behind its key
}

// isSaid reports whether a word for a password and the letters behind it say that what follows is one, whatever its look.
func isSaid(word, between string) bool {
	if word == "pw" || word == "mdp" || strings.IndexByte(between, boundary) >= 0 {
		return false
	}
	return between == "" || slices.ContainsFunc([]string{"is", "ist", "est", "es", "é", "è", "to", "as", "jest", "は", "是", "为", "है"}, func(said string) bool {
		return strings.HasSuffix(between, said)
	})
}

// near returns the suspicion of one of the kinds in a set whose word is closest before doc[at], and the letters between. It looks through what dresses
// text: escapes, colours, signs of markup and percent signs. denied reports that another word denies it.
func (d *Detector) near(doc string, from, at, kinds int) (of *suspicion, word string, between string, denied bool) {
	return d.nearBehind(doc, from, clauseStart(doc, max(from, at-windowBytes), at), at, kinds)
}

// nearBehind is near with words in doc[start:at] only.
func (d *Detector) nearBehind(doc string, from, start, at, kinds int) (of *suspicion, word string, between string, denied bool) {
	if !mayAnnounce(doc[start:at], kinds) {
		return nil, "", "", false
	}
	var r reading
	r.read(doc[start:at])
	text := jsontext.View(r.text[:r.size])
	next, t := byte(0), suspects()
	for i := len(text) - 1; i >= 0; i-- {
		p := pairOf(text[i], next)
		if next = text[i]; t.pairs[p]&kinds == 0 {
			continue
		}
		for k := range t.words[p] {
			w := &t.words[p][k]
			end := i + len(w.text)
			if kinds>>w.of&1 == 0 || !strings.HasPrefix(text[i:], w.text) || w.begins && !r.begin[i] ||
				w.whole && !(end == r.size || r.begin[end] || text[end] == boundary) {
				continue
			}
			s := &t.kinds[w.of]
			if d.IsOff(s.entity) || !reaches(text[end:], s.filler) {
				continue
			}
			if 1<<w.of == suspectVendor {
				if !isOfName(text[end:]) {
					continue
				}
				return s, w.text, "", false
			}
			before := text[:i]
			if r.value <= i {
				before = text[r.value:i]
			}
			denied = isDenied(before, w.text, text[end:]) ||
				1<<w.of&(suspectPassword|suspectToken) == 0 && isShown(doc[memberStart(doc, max(from, at-200), at):at])
			return s, w.text, strings.Clone(text[end:]), denied
		}
	}
	return nil, "", "", false
}

// reaches reports whether a word goes with a value that at most so many letters are between. Where a boundary is among them, few
// letters are before it, and behind it nothing but the name of a value.
func reaches(filler string, most int) bool {
	b := strings.IndexByte(filler, boundary)
	if b < 0 {
		return utf8.RuneCountInString(filler) <= most
	}
	for ; b >= 0; b = strings.IndexByte(filler, boundary) {
		if b > 6 {
			return false
		}
		filler = filler[b+1:]
	}
	return filler == "" || namesOnlyValue(filler)
}

// isOfName reports whether the letters behind the name of a service are the rest of a secret's name, or none, as in: herokuApiKey.
func isOfName(letters string) bool {
	names := rules.Names()
	letters = strings.Trim(letters, string(rune(boundary)))
	if rest, ok := strings.CutSuffix(letters, "id"); ok && rest != "" { // of a client
		letters = rest
	}
	for letters != "" {
		longest := 0
		for _, list := range [][]string{names.KeyBefore, names.Vague, names.SecretWord, names.Secret, names.Password, names.PasswordWord} {
			for _, word := range list {
				if len(word) > longest && strings.HasPrefix(letters, word) {
					longest = len(word)
				}
			}
		}
		if longest == 0 {
			return false
		}
		letters = letters[longest:]
	}
	return true
}

// isAssigned reports whether an operator, a quotation mark or an element of XML is right before doc[at].
func isAssigned(doc string, from, at int) bool {
	before := strings.TrimRight(doc[from:at], " ")
	if before == "" {
		return false
	}
	last := before[len(before)-1]
	return ascii.IsQuote(last) || last == '=' || last == ':' || last == '>'
}

// namesOnlyValue reports whether the name of a member says only that it is the value of what another one names.
func namesOnlyValue(name string) bool {
	return name == "value" || name == "text" || name == "content" || name == "is"
}

// isShown reports whether what is behind a JSON text only shows how something is written: as an example, or quoted in brackets.
func isShown(before string) bool {
	open := strings.LastIndexByte(before, '(')
	quoted := open >= 0 && strings.IndexByte(before[open:], ')') < 0 && strings.ContainsAny(before[open:min(len(before), open+6)], "\"'`\u201c")
	before = strings.ToLower(before)
	return quoted || slices.ContainsFunc([]string{"example", "e.g.", "such as", "format", "beispiel", "z.b.", "exempl", "ejemplo", "esempio", "przykład",
		"voorbeeld", "例", "예", "उदाहरण"}, func(word string) bool { return strings.Contains(before, word) })
}

// isDenied reports whether letters before or behind a word say that its value is none. A secret that is called public is one.
func isDenied(before, word, filler string) bool {
	for _, denied := range deniedBefore {
		if strings.HasSuffix(before, denied) && (denied != "public" || strings.HasSuffix(word, "key")) {
			return true
		}
	}
	for _, word := range deniedEnds {
		if strings.HasSuffix(filler, word) || strings.HasPrefix(filler, word) {
			return true
		}
	}
	for _, word := range deniedBetween {
		if strings.Contains(filler, word) {
			return true
		}
	}
	return false
}

// clauseSet are the signs that end a clause or a member.
var clauseSet = ascii.Set(",;{})")

// read reads the letters of a JSON text.
func (r *reading) read(s string) {
	letter := false // the last rune was one
	for i := 0; i < len(s); {
		c := s[i]
		switch {
		case (c|0x20)-'a' < 26:
			if r.size+utf8.UTFMax <= len(r.text) {
				r.text[r.size], r.begin[r.size] = c|0x20, !letter
				r.size++
			}
			letter = true
			i++
			continue
		case c == '\\':
			size, char := dressing(s[i:])
			i += size
			if letter = unicode.IsLetter(char); letter {
				r.add(unicode.ToLower(char), true)
			} else if char == '\n' {
				r.end()
			}
			continue
		case c == '[': // of a colour
			if n := ascii.Forward(s, i+1, 12, colourSet); n < len(s) && s[n] == 'm' {
				i = n
			}
		case c == '%' && i+2 < len(s) && ascii.IsHex(s[i+1]) && ascii.IsHex(s[i+2]):
			i += 2
		case c >= utf8.RuneSelf:
			char, size := utf8.DecodeRuneInString(s[i:])
			if unicode.IsLetter(char) || unicode.IsMark(char) {
				r.add(unicode.ToLower(char), !letter)
				letter = true
			}
			i += size
			continue
		case c == ',' && letter && i+2 >= len(s)-1 && strings.Trim(s[i+1:], " `*") == "": // of a sentence that goes on with the value
		case c == '"' && (followsKey(s, i) || i > 0 && s[i-1] == '[' && followsKey(s, i-1)):
			r.value = r.size
		case clauseSet[c], c == '.' && i+1 < len(s) && s[i+1] == ' ':
			r.end()
		}
		letter = ascii.IsDigit(c) // a short word is none in a run
		i++
	}
}

var colourSet = ascii.Set(ascii.DigitBytes + ";")

// dressing returns the size of the escape that a text begins with, however often its backslash is escaped, and what it is for.
func dressing(s string) (size int, char rune) {
	for size < len(s) && s[size] == '\\' {
		size++
	}
	if size == len(s) {
		return size, 0
	}
	switch c := s[size]; c {
	case 'n':
		return size + 1, '\n'
	case 't', 'r':
		return size + 1, ' '
	case 'u':
		if end := size + 5; end <= len(s) && ascii.Forward(s, size+1, 4, ascii.HexSet) == end {
			for _, h := range []byte(s[size+1 : end]) {
				char = char<<4 + rune(ascii.HexValue(h))
			}
			return end, char
		}
	case 'x':
		return min(len(s), size+3), 0
	case 'e':
		return size + 1, 0
	}
	return size, 0
}

func (r *reading) add(char rune, begins bool) {
	if r.size+utf8.UTFMax > len(r.text) {
		return
	}
	r.begin[r.size] = begins
	r.size += utf8.EncodeRune(r.text[r.size:], char)
}

func (r *reading) end() {
	if r.size > 0 && r.size < len(r.text) && r.text[r.size-1] != boundary {
		r.text[r.size] = boundary
		r.size++
	}
}
