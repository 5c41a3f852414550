package rules

import (
	"cmp"
	"regexp"
	"strings"
	"sync"
)

// The entities that code finds have the names of Presidio where it has one. The entities of formats alone are in the files.
const (
	PrivateKey     = "PRIVATE_KEY"
	AuthHeader     = "AUTH_HEADER"
	URLCredentials = "URL_CREDENTIALS"
	Password       = "PASSWORD"
	GenericSecret  = "SECRET"
	JWT            = "JWT"
	SeedPhrase     = "SEED_PHRASE"
	EmailAddress   = "EMAIL_ADDRESS"
	PhoneNumber    = "PHONE_NUMBER"
	CreditCard     = "CREDIT_CARD"
	IBANCode       = "IBAN_CODE"
	CryptoWallet   = "CRYPTO"
	UKNINO         = "UK_NINO"
	DateOfBirth    = "DATE_OF_BIRTH"
	IPAddress      = "IP_ADDRESS"
	MACAddress     = "MAC_ADDRESS"
	StreetAddress  = "STREET_ADDRESS"
	Person         = "PERSON"
	SocialHandle   = "SOCIAL_HANDLE"
	GeoCoordinates = "GEO_COORDINATES"
)

// Entities returns the entities that the built-in rules find, with their categories.
var Entities = sync.OnceValue(func() map[string]string {
	all := map[string]string{}
	for category, names := range lists("entities.json") {
		for _, name := range names {
			all[name] = category
		}
	}
	return all
})

// Category returns secret, geo or contact; an entity of the user is a contact.
func Category(entity string) string {
	return cmp.Or(Entities()[entity], "contact")
}

// IsEntityName reports whether a name can be that of an entity, such as CUSTOMER_ID.
func IsEntityName(name string) bool { return entityForm().MatchString(name) }

var entityForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Z][A-Z0-9_]{1,40}$`) })

// WithoutNumber returns an entity without a number at its end, as in EMAIL_ADDRESS_2.
func WithoutNumber(entity string) string {
	if cut := strings.LastIndexByte(entity, '_'); cut > 0 && strings.Trim(entity[cut+1:], "0123456789") == "" {
		return entity[:cut]
	}
	return entity
}
