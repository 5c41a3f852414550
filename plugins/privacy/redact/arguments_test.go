package redact

import "testing"

// TestArguments holds that a command which is an array of its arguments is read as one in a line is.
func TestArguments(t *testing.T) {
	f := &Filter{Engine: testEngine}
	for _, c := range []struct{ reason, in, want string }{
		{"user and password", `{"command":["curl","-u","bob:Zx9!kQ2m","http://h"]}`, `{"command":["curl","-u","<URL_CREDENTIALS>","http://h"]}`},
		{"a password by itself", `{"command":["sshpass","-p","Zx9!kQ2m","ssh","h"]}`, `{"command":["sshpass","-p","<PASSWORD>","ssh","h"]}`},
		{"another program", `{"a":["redis-cli","-a","Zx9!kQ2m"]}`, `{"a":["redis-cli","-a","<PASSWORD>"]}`},
		{"in one word with its option", `{"a":["mysql","-uroot","-pZx9!kQ2m"]}`, `{"a":["mysql","-uroot","-p<PASSWORD>"]}`},
		{"a program of two words", `{"a":["docker","login","-u","bob","-p","Zx9!kQ2m"]}`, `{"a":["docker","login","-u","bob","-p","<PASSWORD>"]}`},
		{"in a folder, with blanks", `{"a": [ "/usr/bin/curl", "-s", "-H", "X: a b", "-u", "bob:Zx9!kQ2m" ]}`, `{"a": [ "/usr/bin/curl", "-s", "-H", "X: a b", "-u", "<URL_CREDENTIALS>" ]}`},
		{"by another program", `{"a":["sudo","mysql","-pZx9!kQ2m"]}`, `{"a":["sudo","mysql","-p<PASSWORD>"]}`},
		{"an option by its name", `{"args":["-y","mcp-server","--api-key","q7Rk2ZpX9mWc4TbY"]}`, `{"args":["-y","mcp-server","--api-key","<SECRET>"]}`},
		{"two options", `{"args":["--verbose","--password","Zx9!kQ2m","--token","q7Rk2ZpX9mWc4TbY","x"]}`, `{"args":["--verbose","--password","<PASSWORD>","--token","<SECRET>","x"]}`},
		{"in JSON in a string", `{"a":"[\"curl\",\"-u\",\"bob:Zx9!kQ2m\"]"}`, `{"a":"[\"curl\",\"-u\",\"<URL_CREDENTIALS>\"]"}`},
		{"the record", `["curl","-u","bob:Zx9!kQ2m"]`, `["curl","-u","<URL_CREDENTIALS>"]`},
		{"an option before another", `{"args":["--password","--prompt","q7Rk2ZpX9mWc4TbY"]}`, ""},
		{"an option that names no secret", `{"args":["--name","q7Rk2ZpX9mWc4TbY"]}`, ""},
		{"a program without options for a password", `{"a":["ls","-u","bob:Zx9!kQ2m"]}`, ""},
		{"a placeholder", `{"a":["mysql","-p$PASSWORD"],"b":["--token","${TOKEN}"]}`, ""},
		{"a word for a program in a list of words", `{"a":["curl","wget","http"]}`, ""},
	} {
		if c.want == "" {
			c.want = c.in
		}
		if have := edited(t, f, c.in); have != c.want {
			t.Errorf("%s: want %s, have %s", c.reason, c.want, have)
		}
		if have := edited(t, &Filter{Engine: testEngine, Eager: true}, c.in); have != c.want {
			t.Errorf("%s: want %s without a skim, have %s", c.reason, c.want, have)
		}
	}
}
