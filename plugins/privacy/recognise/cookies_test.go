package recognise

import (
	"strings"
	"testing"
)

// TestCookies holds which cookies are found outside of a header of HTTP, and what about cookies is none.
func TestCookies(t *testing.T) {
	const session = "6f1ed002ab5595859014ebf0951522d9"
	s := NewScan(New(Options{}))
	for _, c := range []struct{ reason, text, want string }{
		{"PHP", "PHPSESSID=" + session, session},
		{"Java", "Set JSESSIONID: A1B2C3D4E5F60718293A4B5C6D7E8F90", "A1B2C3D4E5F60718293A4B5C6D7E8F90"},
		{"Java, in a URL", "https://h.example/app;jsessionid=A1B2C3D4E5F60718293A4B5C6D7E8F90?page=1", "A1B2C3D4E5F60718293A4B5C6D7E8F90"},
		{"Express", "connect.sid=s%3AKq9xWPz3vT7mNb2Lr5Jc8Hd4.Zx7Cv3Bn9Ml2", "s%3AKq9xWPz3vT7mNb2Lr5Jc8Hd4.Zx7Cv3Bn9Ml2"},
		{"ASP.NET", "ASP.NET_SessionId=kq3v0n55dlz1xy45wq2e1zfe; path=/", "kq3v0n55dlz1xy45wq2e1zfe"},
		{"a member of JSON", `got {"Cookie":"sid=` + drawnToken + `; Path=/","n":1}`, drawnToken},
		{"a member of JSON that is escaped", `got {\"set-cookie\": \"sid=` + drawnToken + `; Path=/\"}`, drawnToken},
		{"its successor", ".AspNetCore.Session=CfDJ8NkLm3TqPrStUvWxYz", "CfDJ8NkLm3TqPrStUvWxYz"},
		{"a call", "res.cookie('connect.sid', '" + drawnToken + "')", drawnToken},
		{"a map of Python", "get(u, cookies={'theme': 'dark', 'sessionid': '" + session + "'})", session},
		{"a map in several lines", "cookies = {\n  \"sid\": \"" + drawnToken + "\",\n  \"lang\": \"en-US\",\n}", drawnToken},
		{"a list of objects", `addCookies([{name: 'sid', value: '` + drawnToken + `', path: '/'}])`, drawnToken},
		{"an object of a call", `driver.add_cookie({"name": "sid", "value": "` + drawnToken + `"})`, drawnToken},
		{"an option", "curl -b 'theme=dark; sid=" + drawnToken + "' https://h.example", drawnToken},
		{"its long form", `curl --cookie "sid=` + drawnToken + `" h`, "sid=" + drawnToken},
		{"a file", "# Netscape HTTP Cookie File\n\n#HttpOnly_h.example\tTRUE\t/\tTRUE\t1\tsid\t" + drawnToken + "\nh.example\tTRUE\t/\tTRUE\t1\tlang\ten\n\ndone\t" + session, drawnToken},
		{"a file of cookies", "curl -b cookies.txt --cookie-jar jar2.txt h", ""},
		{"a map of options", "cookies={'domain': 'shop.h.example', 'path': '/a1', 'policy': 'same-site-v2'}", ""},
		{"code behind it", "cookies = {}; x = {'commit': '" + session + "'}", ""},
		{"a name in code", "session_id($_COOKIE['PHPSESSID']); cookies = request.cookies2", ""},
		{"a number of a conversation", "session_id = a8f5f167-f44f-4964-e6c9-98d827110123", ""},
	} {
		var have []string
		for _, m := range s.Find(c.text, 0, nil) {
			have = append(have, c.text[m.Start:m.End])
		}
		if strings.Join(have, "|") != c.want {
			t.Errorf("%s: want %q out of %q, have %q", c.reason, c.want, c.text, have)
		}
	}
}
