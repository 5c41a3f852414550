package privacy

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

// A classCache remembers the classes of keys, which records repeat, by their raw text.
type classCache [1 << 10]struct {
	key   string
	class keyClass
}

func (c *classCache) of(raw string) keyClass {
	if len(raw) < 2 || len(raw) > 40 {
		return 0
	}
	at := &c[(uint(len(raw))*61+uint(raw[0])*31+uint(raw[len(raw)/2])*17+uint(raw[len(raw)-1])*7+uint(raw[1]))%uint(len(c))]
	if at.key != raw {
		at.key = string([]byte(raw))
		at.class = keyClasses[plainKey(raw)]
	}
	return at.class
}
