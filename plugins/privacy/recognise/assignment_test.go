package recognise

import (
	"strings"
	"testing"
)

const drawnToken = "q7Rk2ZpX9mWc4TbY8nVf3LsH6dJg5QaN"

// TestAssignments holds that the secret is found in every syntax of a name with a value, whole and alone.
func TestAssignments(t *testing.T) {
	s := NewScan(New(Options{}))
	for _, c := range []struct{ reason, text, want string }{
		{"JSON that does not parse", `{"x_token": "` + drawnToken + `", `, drawnToken},
		{"escaped quotes", `{\"x_token\": \"` + drawnToken + `\"`, drawnToken},
		{"YAML", "client_secret: '" + drawnToken + "'", drawnToken},
		{"a block of YAML", "token: |\n  " + drawnToken + "\n", drawnToken},
		{"TOML", `api_key = "` + drawnToken + `"`, drawnToken},
		{"INI", "[db]\npassword = Tr0ub4dor&3,x;y\n", "Tr0ub4dor&3,x;y"},
		{"an element", "<apiToken>" + drawnToken + "</apiToken>", drawnToken},
		{"an attribute", `<add key="DbPassword" value="hunter2!x" />`, "hunter2!x"},
		{"a name and a value", `{"name": "API_TOKEN", "value": "` + drawnToken + `"`, drawnToken},
		{"a manifest's environment", "- name: API_TOKEN\n  value: " + drawnToken + "\n", drawnToken},
		{"make", "X_TOKEN ?= " + drawnToken + "\n", drawnToken},
		{"make, at once", `X_TOKEN ::= "` + drawnToken + `"`, drawnToken},
		{"Go", `var xToken string = "` + drawnToken + `"`, drawnToken},
		{"Go's bytes", `password := []byte("hunter2!x")`, "hunter2!x"},
		{"TypeScript", `const apiKey: string = "` + drawnToken + `";`, drawnToken},
		{"PHP", `$xToken .= "` + drawnToken + `";`, drawnToken},
		{"Ruby", `:api_key => '` + drawnToken + `'`, drawnToken},
		{"a call", `setProperty("X_TOKEN", "` + drawnToken + `")`, drawnToken},
		{"the shell", "export PGPASSWORD=hunter2!x psql", "hunter2!x"},
		{"an option", "gpg --passphrase N1Dd7xqW --yes", "N1Dd7xqW"},
		{"a short option", "mysql -u root -pSne3sd8xq db", "Sne3sd8xq"},
		{"another short one", "sshpass -p 'Sne3 sd8!' ssh h", "Sne3 sd8!"},
		{"SQL", "CREATE USER a IDENTIFIED BY 'SqLpa55x'", "SqLpa55x"},
		{"SQL of another kind", "ALTER ROLE a WITH PASSWORD 'SqLpa55x'", "SqLpa55x"},
		{"a connection string", "Server=h;User Id=a;Password=hunter2!x;Timeout=3", "hunter2!x"},
		{"a query", "https://h.example/?page=2&key=" + drawnToken + "&x=1", drawnToken},
		{"a header", "X-Auth-Key: " + drawnToken + "\r\n", drawnToken},
		{"a header with its scheme", "Authorization: Api-Token " + drawnToken, drawnToken},
		{"cookies", "Cookie: theme=dark; sid=" + drawnToken, drawnToken},
		{"a hyphen", "token - '" + drawnToken + "'", drawnToken},
		{"prose", "the password for the site is: hunter2!x.", "hunter2!x"},
		{"short for it", "pw: dipPr190x!", "dipPr190x!"},
		{"one digit in letters of both cases", "ssh (password:IhqSb1Gg)", "IhqSb1Gg"},
		{"a signed URL", "https://b.s3.example/x?X-Amz-Date=20260101T000000Z&X-Amz-Signature=9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08", "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"},
		{"a user and a short word for it", "ssh to it as user admin pass hunter2!x", "hunter2!x"},
		{"behind the value, in brackets", "reset it to hunter2!x (password) and go on", "hunter2!x"},
		{"a UUID", `api_token: "7f3a9c07-1b5d-82f4-6ae3-fa9c07e1b5d8"`, "7f3a9c07-1b5d-82f4-6ae3-fa9c07e1b5d8"},
		{"a random value that holds a word", `token = "` + drawnToken + `_null_my_todo_9xQ"`, drawnToken + "_null_my_todo_9xQ"},
		{"no digit at all", `token = "qkRkZpXmWcTbYnVfLsHdJgQaNz"`, "qkRkZpXmWcTbYnVfLsHdJgQaNz"},
		{"capitals, in a file of credentials", "USER: kim\nPASS: hunter2!xQ9", "hunter2!xQ9"},
		{"capitals before a drawn one", "HOST: h\nUSER: kim\nPASS: x7Kq92LmZ", "x7Kq92LmZ"},
		{"capitals in a name", "SMTP_PASS: test_user_1", "test_user_1"},
		{"German", "Passwort: hunter2!x", "hunter2!x"},
		{"French", "mot de passe : hunter2!x", "hunter2!x"},
		{"Spanish", "contraseña: hunter2!x", "hunter2!x"},
		{"Portuguese", "a senha é hunter2!x", "hunter2!x"},
		{"Japanese", "パスワードはhunter2!x です", "hunter2!x"},
		{"Japanese quotation marks", "新しいパスワードは「hunter2!x」です。", "hunter2!x"},
		{"Chinese quotation marks", "密码是“hunter2!x”。", "hunter2!x"},
		{"Chinese", "我的密码是hunter2!x", "hunter2!x"},
		{"Hindi", "पासवर्ड: hunter2!x", "hunter2!x"},
		{"a secret of Kubernetes", "kind: Secret\ndata:\n  extra: YWRtaW46cGFzcw==\n", "YWRtaW46cGFzcw=="},
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

// TestNoAssignments holds what has a name for a secret before it and is none.
func TestNoAssignments(t *testing.T) {
	s := NewScan(New(Options{}))
	for _, c := range []struct{ reason, text string }{
		{"a place to fill in", `token = "your-token-here"`},
		{"a template", `token = "${GITHUB_TOKEN}" secret: {{ .Values.secret }}`},
		{"characters that stand for others", `api_key = "xxxxxxxx-xxxx-xxxx" password: "********"`},
		{"an expression", "token = getToken2(user.id) + secrets2[0]"},
		{"a path of names", "private_key: ed25519.Ed25519PrivateKey, x = config.secretKey2"},
		{"a model's tokenizer", "tokenizer: meta-llama/Llama-3.1-8B"},
		{"a dependency", "implementation 'io.jsonwebtoken:jjwt-jackson-0.11.2'"},
		{"a length", "secret_length = X25519.secret_length"},
		{"a page", `"nextToken": "` + drawnToken + `"`},
		{"a type of a template", `"AWS::ApiGateway::ApiKey": "48205d4ffd7feba3"`},
		{"a public key's hash", `publicKeyToken="1fc8b3b9a1e18e3b"`},
		{"an import", `MovedAttribute("HTTPPasswordMgr", "urllib2", "urllib.request")`},
		{"a slice", "pw = pw[:-1]; pwd = pwd[len(real_src):]"},
		{"a test's output", "--- PASS: TestHelper.*"},
		{"a test's name", "PASS: test_user_1"},
		{"a test in a directory", "PASS: tests/misc/help-v2"},
		{"a test's file", "PASS: tests/test_utf8.py"},
		{"a test's name with hyphens", "PASS: test-sha256sum"},
		{"a test's name with a part", "PASS: TestParse/case#01"},
		{"a test of DejaGnu", "PASS: gcc.dg/pr12345-2.c (test for excess errors)"},
		{"a test before another", "PASS: sha256sum-v2\nXFAIL: dup\n"},
		{"tests behind others", "FAIL: dup\n  PASS: base32x1\n  PASS: md5sum2"},
		{"the last test before their sum", "PASS: check2\n# TOTAL: 5"},
		{"a colour", `Token: "#f8f8f2"`},
		{"what follows a name of an entity", "password: correct.&quot;x"},
		{"a user that passes something", "the user can pass utf8-encoded strings2; users pass Utf8Reader"},
		{"a call in the style of GNU", "if (crypt_md5_v2 (password)) sha256 (password); getUserV2Foo (password)"},
		{"a signature of a function", "signature: func2(x1, y2); Signature = sha256WithRSAEncryption"},
		{"prose", "the password must have 8 characters; pass it on"},
	} {
		if found := s.Find(c.text, 0, nil); len(found) > 0 {
			t.Errorf("%s: want nothing in %q, have %v", c.reason, c.text, spans(found))
		}
	}
}
