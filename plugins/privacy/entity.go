package privacy

// Entities have the names of Presidio where it has one.
const (
	apiKey         = "API_KEY"
	accessToken    = "ACCESS_TOKEN"
	authHeader     = "AUTH_HEADER"
	jwt            = "JWT"
	privateKey     = "PRIVATE_KEY"
	urlCredentials = "URL_CREDENTIALS"
	webhookURL     = "WEBHOOK_URL"
	password       = "PASSWORD"
	genericSecret  = "SECRET"
	seedPhrase     = "SEED_PHRASE"

	emailAddress   = "EMAIL_ADDRESS"
	phoneNumber    = "PHONE_NUMBER"
	creditCard     = "CREDIT_CARD"
	ibanCode       = "IBAN_CODE"
	cryptoWallet   = "CRYPTO"
	usSSN          = "US_SSN"
	usITIN         = "US_ITIN"
	usPassport     = "US_PASSPORT"
	ukNHS          = "UK_NHS"
	ukNINO         = "UK_NINO"
	inAadhaar      = "IN_AADHAAR"
	dateOfBirth    = "DATE_OF_BIRTH"
	ipAddress      = "IP_ADDRESS"
	macAddress     = "MAC_ADDRESS"
	streetAddress  = "STREET_ADDRESS"
	person         = "PERSON"
	socialHandle   = "SOCIAL_HANDLE"
	geoCoordinates = "GEO_COORDINATES"
)

// categories are those of the reference's statistics. What is not listed, such as an entity of the user, is contact.
var categories = map[string]string{
	apiKey: "secret", accessToken: "secret", authHeader: "secret", jwt: "secret", privateKey: "secret",
	urlCredentials: "secret", webhookURL: "secret", password: "secret", genericSecret: "secret", seedPhrase: "secret",
	geoCoordinates: "geo",
}

func category(entity string) string {
	if c, ok := categories[entity]; ok {
		return c
	}
	return "contact"
}

// entities are those that the built-in rules find.
var entities = map[string]bool{
	apiKey: true, accessToken: true, authHeader: true, jwt: true, privateKey: true, urlCredentials: true, webhookURL: true,
	password: true, genericSecret: true, seedPhrase: true, emailAddress: true, phoneNumber: true, creditCard: true,
	ibanCode: true, cryptoWallet: true, usSSN: true, usITIN: true, usPassport: true, ukNHS: true, ukNINO: true,
	inAadhaar: true, dateOfBirth: true, ipAddress: true, macAddress: true, streetAddress: true, person: true,
	socialHandle: true, geoCoordinates: true,
}
