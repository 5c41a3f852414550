package redact

import "testing"

// TestManifests holds what of a Kubernetes secret in JSON goes, by the kind of its object.
func TestManifests(t *testing.T) {
	f := &Filter{Engine: testEngine}
	for _, c := range []struct{ reason, in, want string }{
		{"behind the kind", `{"kind":"Secret","data":{"dsn":"cG9zdGdyZXM6Ly9hcHA6Wng5a1E="}}`, `{"kind":"Secret","data":{"dsn":"<SECRET>"}}`},
		{"before the kind", `{"apiVersion":"v1","data":{"config.json":"eyJhcGlLZXkiOiJ4In0="},"kind":"Secret"}`, `{"apiVersion":"v1","data":{"config.json":"<SECRET>"},"kind":"Secret"}`},
		{"in words of its own", `{"kind":"Secret","stringData":{"dsn":"postgres://app:Zx9kQ2m@db/app"}}`, `{"kind":"Secret","stringData":{"dsn":"<SECRET>"}}`},
		{"both", `{"stringData":{"a":"Zx9kQ2m"},"kind":"Secret","data":{"b":"Wng5a1EybQ=="}}`, `{"stringData":{"a":"<SECRET>"},"kind":"Secret","data":{"b":"<SECRET>"}}`},
		{"under a key that names it", `{"kind":"Secret","data":{"password":"Wng5a1EybQ=="}}`, `{"kind":"Secret","data":{"password":"<PASSWORD>"}}`},
		{"in a list", `{"kind":"List","items":[{"kind":"ConfigMap","data":{"a":"cGxhaW4gdGV4dA=="}},{"data":{"a":"Wng5a1EybQ=="},"kind":"Secret"}]}`, `{"kind":"List","items":[{"kind":"ConfigMap","data":{"a":"cGxhaW4gdGV4dA=="}},{"data":{"a":"<SECRET>"},"kind":"Secret"}]}`},
		{"in JSON in a string", `{"out":"{\"data\":{\"a\":\"Wng5a1EybQ==\"},\"kind\":\"Secret\"}"}`, `{"out":"{\"data\":{\"a\":\"<SECRET>\"},\"kind\":\"Secret\"}"}`},
		{"with blanks", "{\n \"kind\" : \"Secret\",\n \"data\": {\n  \"a\": \"Wng5a1EybQ==\" } }", "{\n \"kind\" : \"Secret\",\n \"data\": {\n  \"a\": \"<SECRET>\" } }"},
		{"in a text", `"$ kubectl get secret -o json\n{\n  \"data\": {\n    \"a\": \"Wng5a1EybQ==\",\n    \"b\": \"cG9zdGdyZXM6Ly8=\"\n  },\n  \"kind\": \"Secret\"\n}"`, `"$ kubectl get secret -o json\n{\n  \"data\": {\n    \"a\": \"<SECRET>\",\n    \"b\": \"<SECRET>\"\n  },\n  \"kind\": \"Secret\"\n}"`},
		{"in a text, behind the kind", `"have {\"kind\":\"Secret\",\"metadata\":{\"name\":\"a}b\"},\"data\":{\"a\":\"Wng5a1EybQ==\"}} now"`, `"have {\"kind\":\"Secret\",\"metadata\":{\"name\":\"a}b\"},\"data\":{\"a\":\"<SECRET>\"}} now"`},
		{"in a text of Python", `"have {'data': {'a': 'Wng5a1EybQ=='}, 'kind': 'Secret'}"`, `"have {'data': {'a': '<SECRET>'}, 'kind': 'Secret'}"`},
		{"beside another object in a text", `"{\"kind\": \"ConfigMap\", \"data\": {\"a\": \"cGxhaW4gdGV4dA==\"}}\n{\"kind\": \"Secret\", \"data\": {\"a\": \"Wng5a1EybQ==\"}}"`, `"{\"kind\": \"ConfigMap\", \"data\": {\"a\": \"cGxhaW4gdGV4dA==\"}}\n{\"kind\": \"Secret\", \"data\": {\"a\": \"<SECRET>\"}}"`},
		{"another kind", `{"kind":"ConfigMap","data":{"dsn":"cG9zdGdyZXM6Ly9hcHA6Wng5a1E="}}`, ""},
		{"the kind of another object", `{"a":{"kind":"Secret"},"data":{"dsn":"cG9zdGdyZXM6Ly9hcHA6Wng5a1E="}}`, ""},
		{"its other members", `{"kind":"Secret","type":"kubernetes.io/service-account-token","metadata":{"name":"default-token","uid":"cHJvZHVjdGlvbg=="},"data":null}`, ""},
		{"a template", `{"kind":"Secret","stringData":{"a":"${DATABASE_URL}","b":"<SECRET>","c":"x"}}`, ""},
		{"what holds more than strings", `{"kind":"Secret","data":{"a":"Wng5a1EybQ==","b":{}}}`, ""},
		{"words", `{"kind":"Secret","stringData":{"motd":"Welcome to the cluster"}}`, ""},
	} {
		if c.want == "" {
			c.want = c.in
		}
		if have := edited(t, f, c.in); have != c.want {
			t.Errorf("%s: want %s, have %s", c.reason, c.want, have)
		}
	}
	found, _ := f.Find(`{"kind":"Secret","data":{"a":"Wng5a1EybWFi"},"b":"Wng5a1EybWFi"}`, nil)
	if len(found.Findings) != 2 || found.Findings[0].Rule == "copy" || found.Findings[1].Rule != "copy" {
		t.Errorf("want a value and its copy, have %v", found.Findings)
	}
}
