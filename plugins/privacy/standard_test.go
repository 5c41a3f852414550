package privacy_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"testing"

	"github.com/sluicehq/sluice/plugins/privacy"
	"github.com/sluicehq/sluice/sdk/sdktest"
)

func TestStandardText(t *testing.T) {
	for _, c := range []struct{ reason, in, want string }{
		{"an address", "ping alice@example.com.", "ping <EMAIL_ADDRESS>."},
		{"letters of any script in the local part", "an josé@example.com und 用户@例子.中国", "an <EMAIL_ADDRESS> und <EMAIL_ADDRESS>"},
		{"a host without a domain", "alice@localhost", "<EMAIL_ADDRESS>"},
		{"a host by its address", "alice@[10.0.0.7]", "<EMAIL_ADDRESS>"},
		{"a remote of git is no address", "git@github.com:org/repo.git", "git@github.com:org/repo.git"},
		{"scopes and versions are no handles", "npm i @types/node react@18.2.0", "npm i @types/node react@18.2.0"},
		{"a decorator", "@property\ndef x(self): pass", "@property\ndef x(self): pass"},
		{"an action's version", "uses: actions/checkout@v4", "uses: actions/checkout@v4"},
		{"a digest", "image nginx@sha256:abc", "image nginx@sha256:abc"},
		{"a picture of double density", "see logo@2x.png", "see logo@2x.png"},
		{"a handle where people speak of people", "follow @alice_smith on twitter", "follow <SOCIAL_HANDLE> on twitter"},
		{"North American", "call (415) 555-0199", "call <PHONE_NUMBER>"},
		{"without a space behind the bracket", "call (415)555-0199", "call <PHONE_NUMBER>"},
		{"with the trunk prefix", "1-800-555-0199", "<PHONE_NUMBER>"},
		{"E.164", "+442079460958 or +44 20 7946 0958", "<PHONE_NUMBER> or <PHONE_NUMBER>"},
		{"national, said to be one", "Telefon: 030 901820", "Telefon: <PHONE_NUMBER>"},
		{"bare, said to be one", "my number is 4155550199", "my number is <PHONE_NUMBER>"},
		{"bare digits are an id", "order 4155550199", "order 4155550199"},
		{"a list of numbers", "sizes 255 128 1024", "sizes 255 128 1024"},
		{"lines of numbers", "100\n200\n3000", "100\n200\n3000"},
		{"inside a longer number", "id 9123-456-7890", "id 9123-456-7890"},
		{"one digit too many", "id 123-456-78901", "id 123-456-78901"},
		{"a date and a time", "2024-01-02 10:20:30.123", "2024-01-02 10:20:30.123"},
		{"versions", "v1.2.3.4 and version 10.0.19041.1 and 1.25.3", "v1.2.3.4 and version 10.0.19041.1 and 1.25.3"},
		{"a UUID", "550e8400-e29b-41d4-a716-446655440000", "550e8400-e29b-41d4-a716-446655440000"},
		{"a card", "card 4111 1111 1111 1111, cvv", "card <CREDIT_CARD>, cvv"},
		{"no card by its check digit", "card 4111 1111 1111 1112", "card 4111 1111 1111 1112"},
		{"IBAN in groups", "IBAN DE89 3704 0044 0532 0130 00 bitte", "IBAN <IBAN_CODE> bitte"},
		{"IBAN in one piece", "GB82WEST12345698765432", "<IBAN_CODE>"},
		{"SSN", "ssn 078-05-1120", "ssn <US_SSN>"},
		{"addresses of hosts", "from 203.0.113.9 to 2001:db8::8a2e:370:7334", "from <IP_ADDRESS> to <IP_ADDRESS>"},
		{"loopback is nobody's", "127.0.0.1 ::1 0.0.0.0", "127.0.0.1 ::1 0.0.0.0"},
		{"a time is no address", "at 12:34:56 and a::b", "at 12:34:56 and a::b"},
		{"MAC", "00:1b:44:11:3a:b7 or 00-1B-44-11-3A-B7", "<MAC_ADDRESS> or <MAC_ADDRESS>"},
		{"credentials of a URL, not its host", "https://alice:s3cretpw@example.com/x", "https://<URL_CREDENTIALS>@example.com/x"},
		{"a token behind its scheme", "Authorization: Bearer abcdefghijklmnop+qrstuvwx/yz0123456789==", "Authorization: Bearer <AUTH_HEADER>"},
		{"basic", "Authorization: Basic dXNlcjpwYXNzd29yZDEyMw==", "Authorization: Basic <AUTH_HEADER>"},
		{"words with hyphens", "sk-learn-is-a-great-library", "sk-learn-is-a-great-library"},
		{"the most specific rule's name", "sk-ant-api03-abcdefghijklmnop", "<API_KEY>"},
		{"user and password of a command", `curl -s -u alice:s3cr3t-9 https://example.com`, `curl -s -u <URL_CREDENTIALS> https://example.com`},
		{"user and password right behind the command", `curl -u alice:s3cr3t-9 https://example.com`, `curl -u <URL_CREDENTIALS> https://example.com`},
		{"user and password of the second command", `curl -s x; curl --user=alice:s3cr3t-9 y`, `curl -s x; curl --user=<URL_CREDENTIALS> y`},
		{"user and password to fill in", `curl --user "user:password" https://example.com`, `curl --user "user:password" https://example.com`},
		{"an assignment", `DB_PASSWORD="hunter2!"`, `DB_PASSWORD="<PASSWORD>"`},
		{"a place to fill in", `password: your_password_here token=${TOKEN}`, `password: your_password_here token=${TOKEN}`},
		{"labels stay", "lat: 40.1, lng: -74.2", "lat: <GEO_COORDINATES>, lng: <GEO_COORDINATES>"},
		{"quoted labels in text", `at {"lat": 37.7749, "lng": -122.4194`, `at {"lat": "<GEO_COORDINATES>", "lng": "<GEO_COORDINATES>"`},
		{"a pair with its sign", "at -33.8688, 151.2093 now", "at <GEO_COORDINATES> now"},
		{"degrees", "37°46'29.6\"N 122°25'09.8\"W", "<GEO_COORDINATES>"},
		{"an operand", "the number is 1<<32 + 4155550123", "the number is 1<<32 + 4155550123"},
		{"a flag", "callType.flags & 8388608 /* IndexedAccess */", "callType.flags & 8388608 /* IndexedAccess */"},
		{"a tag of documentation", "may not follow a '@typedef', '@callback' or '@overload' tag", "may not follow a '@typedef', '@callback' or '@overload' tag"},
		{"an enumeration", `CallFlags["TextContains"] = 8388608] = "TextContains"`, `CallFlags["TextContains"] = 8388608] = "TextContains"`},
		{"a limit of integers", "number is 2147483648, [1 2147483648]", "number is 2147483648, [1 2147483648]"},
		{"a name and its number", "user_password: password16, x", "user_password: password16, x"},
		{"a password that was masked", "https://user:***@example.com/", "https://user:***@example.com/"},
		{"a field of a program", "fmt m.Path@m.Version", "fmt m.Path@m.Version"},
		{"an escape in source code", `"<\u003Ctasty@example.com" and "\njoe@example.com"`, `"<\u003C<EMAIL_ADDRESS>" and "\n<EMAIL_ADDRESS>"`},
		{"a link in documentation", "configured via {@link setDefaultOrder}", "configured via {@link setDefaultOrder}"},
		{"the time at which a file was made", "birthtimeMs: 1, atime: 2019-06-22T03:37:33Z", "birthtimeMs: 1, atime: 2019-06-22T03:37:33Z"},
		{"a line directive", "//line ::123:1234", "//line ::123:1234"},
		{"a decimal with an exponent", "{-100.00000000000001, -7.540083334883109e-145}", "{-100.00000000000001, -7.540083334883109e-145}"},
		{"a line of passwd", "kevin:x:1005:1006::/home/kevin:/bin/sh", "kevin:x:1005:1006::/home/kevin:/bin/sh"},
		{"TypeScript", typeScript, typeScript},
		{"a map of numbers", "map[float64]float64{1.234: 1.234, 12.34: 12.34}", "map[float64]float64{1.234: 1.234, 12.34: 12.34}"},
		{"prices", "prices 1.25, 3.50 and 4.75", "prices 1.25, 3.50 and 4.75"},
		{"an embedding", "embedding [0.1234, 0.3456, 0.5678, 0.7891]", "embedding [0.1234, 0.3456, 0.5678, 0.7891]"},
		{"a thousand", "location: 1,234 items", "location: 1,234 items"},
		{"markers stay", "<EMAIL_ADDRESS> <PHONE_NUMBER_2> password=<PASSWORD> <REDACTED:contact-email> [REDACTED_GEO]", "<EMAIL_ADDRESS> <PHONE_NUMBER_2> password=<PASSWORD> <REDACTED:contact-email> [REDACTED_GEO]"},
		{"no marker by its look", "<AKIAIOSFODNN7EXAMPLE>", "<<API_KEY>>"},
	} {
		in, _ := json.Marshal(map[string]string{"text": c.in})
		want, _ := json.Marshal(map[string]string{"text": c.want})
		have, _ := sdktest.Run(t, privacy.Plugin, "", string(in))
		if len(have[0].Emitted) != 1 || !sameJSON(t, string(want), have[0].Emitted[0]) {
			t.Errorf("%s:\nwant %s\nhave %s %v", c.reason, want, have[0].Message, have[0].Emitted)
		}
	}
}

// typeScript has what is often taken for a handle, an address, a secret or a place.
const typeScript = `import { Component, Input } from "@angular/core"; // @types/node@20.11.5, typescript@5.4.2
/**
 * Sends a message via {@link send}; follow @see and @since v1.2.3.4, RFC 5321 section 4.1.1.1, 4.1.1.2.
 * @param options.token the token: string | undefined = process.env.API_TOKEN2
 */
@Component({ selector: "app-root", template: "<p>{{ password }}</p>" })
export class Account<T extends Token1 = Token2> {
  @Input() password: string = form.value.password2;
  private readonly secret?: Promise<CryptoKey | null>;
  static readonly SIZES = [1024, 2048, 4096, 8192, 65536, 131072, 2147483647];
  static readonly CRC = [0x00000000, 0x77073096, 0xee0e612c, 0x990951ba, 0x076dc419];
  static readonly digest = "sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=";
  constructor(private apiKey: ApiKey<"v1"> = apiKeys["default1"], at = 12.345678) { super(); }
  move = (p: Point) => this.path.push("M 12.34,56.78 L 90.12,34.56 Z", p[0]::x, a::b);
}
`

func sameJSON(t *testing.T, want, have string) bool {
	var a, b any
	if err := errors.Join(json.Unmarshal([]byte(want), &a), json.Unmarshal([]byte(have), &b)); err != nil {
		t.Fatalf("%s: %v", have, err)
	}
	return reflect.DeepEqual(a, b)
}

func TestStandardStructure(t *testing.T) {
	for _, c := range []struct{ reason, in, want string }{
		{"arguments stay JSON", `{"arguments":"{\"to\":\"a@b.co\",\"note\":\"say \\\"hi\\\" to a@b.co\"}"}`, `{"arguments":"{\"to\":\"<EMAIL_ADDRESS>\",\"note\":\"say \\\"hi\\\" to <EMAIL_ADDRESS>\"}"}`},
		{"a number becomes a string", `{"lat": 37.77, "lng": -122.41, "zoom": 3}`, `{"lat": "<GEO_COORDINATES>", "lng": "<GEO_COORDINATES>", "zoom": 3}`},
		{"every spelling of the pair", `{"lat":1,"lng":2,"lon":3,"latitude":4}`, `{"lat":"<GEO_COORDINATES>","lng":"<GEO_COORDINATES>","lon":"<GEO_COORDINATES>","latitude":"<GEO_COORDINATES>"}`},
		{"numbers in arguments", `{"a":"{\"latitude\": 48.85, \"longitude\": 2.35}"}`, `{"a":"{\"latitude\": \"<GEO_COORDINATES>\", \"longitude\": \"<GEO_COORDINATES>\"}"}`},
		{"GeoJSON order", `{"type":"Point","coordinates":[-122.4194,37.7749]}`, `{"type":"Point","coordinates":["<GEO_COORDINATES>","<GEO_COORDINATES>"]}`},
		{"GeoJSON, nested", `{"coordinates":[[[-122.41,37.77],[-122.42,37.78]]]}`, `{"coordinates":[[["<GEO_COORDINATES>","<GEO_COORDINATES>"],["<GEO_COORDINATES>","<GEO_COORDINATES>"]]]}`},
		{"positions on a screen", `{"coordinates":[45,120],"bbox":[1,2,3,4]}`, `{"coordinates":[45,120],"bbox":[1,2,3,4]}`},
		{"a telephone number that is a number", `{"phone":4155550123,"id":4155550124}`, `{"phone":"<PHONE_NUMBER>","id":4155550124}`},
		{"a telephone number to which a fraction was added", `{"phone":4155552671.0,"tel":4155552671.5}`, `{"phone":"<PHONE_NUMBER>","tel":4155552671.5}`},
		{"a social security number that lost its zeros", `{"ssn":78051120,"taxId":8051120,"n":78051120}`, `{"ssn":"<US_SSN>","taxId":"<US_SSN>","n":78051120}`},
		{"a cookie with several parts", `{"cookie":"sid=a8f5f167f44f4964e6c998dee827110c; theme=dark"}`, `{"cookie":"sid=<SECRET>; theme=dark"}`},
		{"a header with its scheme", `{"authorization":"Token a8f5f167f44f4964e6c998dee827110c"}`, `{"authorization":"Token <SECRET>"}`},
		{"a place with its height", `{"coordinates":[-122.4194,37.7749,12.5]}`, `{"coordinates":["<GEO_COORDINATES>","<GEO_COORDINATES>",12.5]}`},
		{"a box", `{"coordinates":[-122.4194,37.7749,12.5,11.25]}`, `{"coordinates":[-122.4194,37.7749,12.5,11.25]}`},
		{"a key with an escape", `{"p\u0061ssword":"hunter2"}`, `{"p\u0061ssword":"<PASSWORD>"}`},
		{"a password by its key", `{"password":"hunter2","n":1}`, `{"password":"<PASSWORD>","n":1}`},
		{"keys that become equal stay apart", `{"a@x.com":1,"<EMAIL_ADDRESS>_2":9,"b@x.com":2}`, `{"<EMAIL_ADDRESS>":1,"<EMAIL_ADDRESS>_2":9,"<EMAIL_ADDRESS>_3":2}`},
		{"names of members stay", `{"@type":"x","@id":2,"Samuel_notes":1}`, `{"@type":"x","@id":2,"Samuel_notes":1}`},
		{"a part of a key that is personal by its format", `{"note for a@b.co":1}`, `{"note for <EMAIL_ADDRESS>":1}`},
		{"names in a schema", `{"parameters":{"type":"object","properties":{"password":{"type":"string","description":"mail a@b.co"}},"required":["password"]}}`, `{"parameters":{"type":"object","properties":{"password":{"type":"string","description":"mail <EMAIL_ADDRESS>"}},"required":["password"]}}`},
		{"bytes outside of findings", "{ \"n\" : 1.10 , \"s\" : \"caf\\u00e9 \\/ a@b.co \\ud83d\" }", "{ \"n\" : 1.10 , \"s\" : \"caf\\u00e9 \\/ <EMAIL_ADDRESS> \\ud83d\" }"},
		{"an @ that is an escape", `{"s":"bob\u0040example.com"}`, `{"s":"<EMAIL_ADDRESS>"}`},
		{"slashes that are escapes", `{"s":"https:\/\/bob:pw12345@example.com"}`, `{"s":"https:\/\/<URL_CREDENTIALS>@example.com"}`},
	} {
		have, _ := sdktest.Run(t, privacy.Plugin, "", c.in)
		if len(have[0].Emitted) != 1 || have[0].Emitted[0] != c.want {
			t.Errorf("%s:\nwant %s\nhave %s %v", c.reason, c.want, have[0].Message, have[0].Emitted)
		}
	}
}

func TestActions(t *testing.T) { sdktest.Files(t, privacy.Plugin, "testdata/*.txtar") }
