package redact

import "testing"

// TestTables holds that the name of a column is the key of its cells, in whatever shape a program writes a table as JSON.
func TestTables(t *testing.T) {
	f := &Filter{Engine: testEngine}
	for _, c := range []struct{ reason, in, want string }{
		{"columns and rows", `{"columns":["name","ssn","dob"],"rows":[["Ann","536901234","1985-04-12"],["Bob","536901235","1985-04-13"]]}`, `{"columns":["name","ssn","dob"],"rows":[["Ann","<US_SSN>","<DATE_OF_BIRTH>"],["Bob","<US_SSN>","<DATE_OF_BIRTH>"]]}`},
		{"fields and records", `{"fields":["user","password"],"records":[["bob","Sommer2024!"]]}`, `{"fields":["user","password"],"records":[["bob","<PASSWORD>"]]}`},
		{"numbers as cells", `{"columns":["name","phone"],"index":[0],"data":[["Ann",4155552671]]}`, `{"columns":["name","phone"],"index":[0],"data":[["Ann","<PHONE_NUMBER>"]]}`},
		{"a first column of numbers", `{"columns":["id","ssn"],"data":[[1,"536901234"]]}`, `{"columns":["id","ssn"],"data":[[1,"<US_SSN>"]]}`},
		{"the rows first", `{"rows":[["Ann","536901234"]],"columns":["name","ssn"]}`, `{"rows":[["Ann","<US_SSN>"]],"columns":["name","ssn"]}`},
		{"columns that are objects", `{"columns":[{"name":"name","type":"text"},{"name":"ssn","type":"text"}],"rows":[["Ann","536901234"]]}`, `{"columns":[{"name":"name","type":"text"},{"name":"ssn","type":"text"}],"rows":[["Ann","<US_SSN>"]]}`},
		{"BigQuery", `{"schema":{"fields":[{"name":"n","type":"STRING"},{"name":"ssn","type":"STRING"}]},"rows":[{"f":[{"v":"Ann"},{"v":"536901234"}]}]}`, `{"schema":{"fields":[{"name":"n","type":"STRING"},{"name":"ssn","type":"STRING"}]},"rows":[{"f":[{"v":"Ann"},{"v":"<US_SSN>"}]}]}`},
		{"Athena", `{"Rows":[{"Data":[{"VarCharValue":"Ann"},{"VarCharValue":"536901234"}]}],"ResultSetMetadata":{"ColumnInfo":[{"Name":"n"},{"Name":"ssn"}]}}`, `{"Rows":[{"Data":[{"VarCharValue":"Ann"},{"VarCharValue":"<US_SSN>"}]}],"ResultSetMetadata":{"ColumnInfo":[{"Name":"n"},{"Name":"ssn"}]}}`},
		{"cells that are objects", `{"ColumnMetadata":[{"name":"n"},{"name":"dob"}],"Records":[[{"stringValue":"Ann"},{"stringValue":"1985-04-12"}]]}`, `{"ColumnMetadata":[{"name":"n"},{"name":"dob"}],"Records":[[{"stringValue":"Ann"},{"stringValue":"<DATE_OF_BIRTH>"}]]}`},
		{"names in the first row", `{"values":[["Name","SSN"],["Ann","536901234"]]}`, `{"values":[["Name","SSN"],["Ann","<US_SSN>"]]}`},
		{"in JSON in a string", `{"out":"{\"columns\":[\"name\",\"ssn\"],\"rows\":[[\"Ann\",\"536901234\"]]}"}`, `{"out":"{\"columns\":[\"name\",\"ssn\"],\"rows\":[[\"Ann\",\"<US_SSN>\"]]}"}`},
		{"the record is rows", `[["Name","SSN"],["Ann","536901234"]]`, `[["Name","SSN"],["Ann","<US_SSN>"]]`},
		{"with blanks", "{\n \"columns\" : [\n \"name\", \"ssn\" ],\n \"rows\" : [\n [\n \"Ann\", \"536901234\" ] ] }", "{\n \"columns\" : [\n \"name\", \"ssn\" ],\n \"rows\" : [\n [\n \"Ann\", \"<US_SSN>\" ] ] }"},
		{"two tables", `[{"columns":["a","ssn"],"rows":[["1","536901234"]]},{"columns":["ssn","a"],"rows":[["536901234","536901235"]]}]`, `[{"columns":["a","ssn"],"rows":[["1","<US_SSN>"]]},{"columns":["ssn","a"],"rows":[["<US_SSN>","536901235"]]}]`},
		{"columns under numbers", `{"phone":{"0":"415 555 2671","1":4155552672},"n":{"0":4155552673}}`, `{"phone":{"0":"<PHONE_NUMBER>","1":"<PHONE_NUMBER>"},"n":{"0":4155552673}}`},
		{"passwords under numbers", `{"password":{"0":"Sommer2024"},"dob":{"0":"1985-04-12"}}`, `{"password":{"0":"<PASSWORD>"},"dob":{"0":"<DATE_OF_BIRTH>"}}`},
		{"names of as many columns elsewhere", `{"a":{"b":{"c":{"columns":["name","ssn"]}}},"rows":[["Ann","536901234"]]}`, ""},
		{"another number of columns", `{"columns":["name","ssn","x"],"rows":[["Ann","536901234"]]}`, ""},
		{"another column", `{"columns":["ssn","count"],"rows":[["none","536901234"]]}`, ""},
		{"pairs of names and values", `{"headers":[["phone","x"],["4155552671","y"]]}`, ""},
		{"pairs of which the first value was taken", `{"answers":[["ssn","<US_SSN>"],["sum","319099997"]]}`, ""},
		{"arguments that are needed", `{"required":["email","phone"],"grid":[[0,1],[1,0]]}`, ""},
		{"words of a vocabulary", `{"token":{"0":"Ġthe2024x","1":"ization9"}}`, ""},
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
