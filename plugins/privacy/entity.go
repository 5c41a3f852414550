package privacy

// Entities have the names of Presidio where it has one.
const (
	apiKey         = "API_KEY"
	accessToken    = "ACCESS_TOKEN"
	authHeader     = "AUTH_HEADER"
	emailAddress   = "EMAIL_ADDRESS"
	phoneNumber    = "PHONE_NUMBER"
	socialHandle   = "SOCIAL_HANDLE"
	person         = "PERSON"
	geoCoordinates = "GEO_COORDINATES"
)

// categories are those of the reference's statistics.
var categories = map[string]string{
	apiKey: "secret", accessToken: "secret", authHeader: "secret",
	emailAddress: "contact", phoneNumber: "contact", socialHandle: "contact", person: "contact",
	geoCoordinates: "geo",
}
