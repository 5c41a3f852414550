package privacy

import "strings"

// A keyClass says what the value of a key is by the key's name.
type keyClass uint16

const (
	passwordKey keyClass = 1 << iota
	secretKey
	phoneKey
	cardKey
	ssnKey
	birthKey
	handleKey
	latitudeKey
	longitudeKey
	coordinatesKey
	screenKey // says that numbers beside it are positions on a screen
	schemaKey // holds a JSON Schema or the properties of one
)

// keyClasses are by plain key, as plainKey gives it.
var keyClasses = map[string]keyClass{}

func init() {
	for class, keys := range map[keyClass][]string{
		passwordKey: {"password", "passwd", "pwd", "passphrase", "userpassword", "dbpassword", "adminpassword",
			"rootpassword", "newpassword", "oldpassword", "currentpassword", "masterpassword", "mysqlpassword",
			"postgrespassword", "pgpassword", "smtppassword", "wifipassword", "redispassword"},
		secretKey: {"secret", "clientsecret", "appsecret", "secretkey", "apikey", "apisecret", "apitoken", "accesstoken",
			"authtoken", "refreshtoken", "sessiontoken", "bearertoken", "idtoken", "token", "privatekey", "awssecretaccesskey",
			"secretaccesskey", "signingkey", "signingsecret", "encryptionkey", "webhooksecret", "bottoken", "csrftoken",
			"xapikey", "authorization", "cookie", "setcookie", "credential", "credentials", "sharedsecret", "jwtsecret"},
		phoneKey: {"phone", "phonenumber", "phoneno", "telephone", "tel", "mobile", "mobilenumber", "mobilephone", "cell",
			"cellphone", "cellnumber", "fax", "faxnumber", "whatsapp", "msisdn", "homephone", "workphone", "callerid", "phones",
			"contactnumber", "smsnumber"},
		cardKey: {"card", "cardnumber", "creditcard", "creditcardnumber", "ccnumber", "ccnum", "pan", "debitcard",
			"paymentcard"},
		ssnKey:   {"ssn", "socialsecurity", "socialsecuritynumber", "taxid", "ssnnumber"},
		birthKey: {"dob", "dateofbirth", "birthdate", "birthday", "birthdayiso"},
		handleKey: {"handle", "twitter", "twitterhandle", "instagram", "telegram", "telegramhandle", "screenname", "tiktok",
			"mastodon", "socialhandle", "discordhandle", "bluesky", "xhandle"},
		latitudeKey: {"lat", "latitude", "geolat", "startlat", "endlat", "originlat", "destlat", "userlat", "gpslat",
			"gpslatitude", "startlatitude", "endlatitude", "currentlat", "latdeg"},
		longitudeKey: {"lng", "lon", "long", "longitude", "geolng", "geolon", "geolong", "startlng", "startlon", "endlng",
			"endlon", "originlng", "originlon", "destlng", "destlon", "userlng", "userlon", "gpslng", "gpslon", "gpslongitude",
			"startlongitude", "endlongitude", "currentlng", "currentlon", "londeg"},
		coordinatesKey: {"coords", "coordinates", "currentlocation", "geo", "geolocation", "location", "position", "latlng",
			"latlon", "lnglat", "lonlat", "gps", "geopoint", "point", "center", "homelocation"},
		screenKey: {"click", "screen", "bbox", "pixel", "pixels", "viewport", "x", "y", "embedding", "vector"},
		schemaKey: {"properties", "patternproperties", "definitions", "defs", "inputschema", "parameters", "responseschema",
			"jsonschema", "outputschema", "schema"},
	} {
		for _, key := range keys {
			keyClasses[key] |= class
		}
	}
}

// A knownKey is what is remembered of a key.
type knownKey struct {
	raw   string
	class keyClass
	clean bool // the rules find nothing in it
}

// A keyCache remembers keys, which records repeat, by their raw text.
type keyCache struct {
	known [1 << 10]knownKey
	other knownKey
}

// at gives what is known of a key, until it is called again. Of keys that are very long or short nothing is remembered.
func (c *keyCache) at(raw string) *knownKey {
	if len(raw) < 2 || len(raw) > 40 {
		c.other = knownKey{}
		return &c.other
	}
	at := &c.known[(uint(len(raw))*61+uint(raw[0])*31+uint(raw[len(raw)/2])*17+uint(raw[len(raw)-1])*7+uint(raw[1]))%uint(len(c.known))]
	if at.raw != raw {
		*at = knownKey{raw: strings.Clone(raw), class: keyClasses[plainKey(raw)]}
	}
	return at
}
