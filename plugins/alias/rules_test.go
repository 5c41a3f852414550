package alias

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/sdktest"
)

const shipped = "../../pipelines/aliases/eliza.json"

func loaded(t testing.TB, file string, inline map[string]string) *rules {
	t.Helper()
	aliases, prefixes, err := readFile(file)
	if err != nil {
		t.Fatal(err)
	}
	r, err := load(sdk.Args{}, aliases, prefixes, inline)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func written(t testing.TB, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "aliases.json")
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return name
}

func TestLookup(t *testing.T) {
	rules := loaded(t, shipped, nil)
	tests := []struct{ reason, name, want string }{
		{"an exact rule", "SHELL_COMMAND", "SHELL"},
		{"white space, '.' and '-' are one '_'", "shell command", "SHELL"},
		{"a run of them too", "task--call", "TASKS"},
		{"white space around a name does not count", " exec ", "SHELL"},
		{"white space as Python has it", "SHELL\u00a0\u0085COMMAND\u001c", "SHELL"},
		{"white space of its own width", "\u3000task\u2009call", "TASKS"},
		{"a namespace stays", "functions.SHELL_COMMAND", "functions.SHELL"},
		{"a namespace alone", "functions.", ""},
		{"a namespace within a namespace", "functions.functions.EXEC", ""},
		{"an unknown name in a namespace", "functions.web_search", ""},
		{"exact goes before prefix", "PAYMENTS", "PAYMENT"},
		{"a prefix rule", "PAYMENTS_DASHBOARD", "MONEY_DASHBOARD"},
		{"a prefix may be the whole name", "PAYMENTS_", "MONEY_"},
		{"exact where a prefix does not fit", "SUBSCRIPTION", "OWNER_FINANCES"},
		{"a prefix ends in '_'", "SUBSCRIPTIONS", ""},
		{"a prefix with a longer target", "SUBSCRIPTION_AUDIT", "MONEY_SUBSCRIPTION_AUDIT"},
		{"a prefix of the blockers", "WEBSITE_BLOCK_RELEASE", "BLOCK_RELEASE"},
		{"no rule fits half a word", "APP_BLOCKER_X", ""},
		{"an unknown name stays", "web_search", ""},
		{"camel case is not split", "sendMessage", ""},
		{"names of other makers", "mcp__github__list", ""},
		{"a slash stays", "a/b", ""},
		{"upper case is ASCII", "straße", ""},
		{"a name of nothing but joints", "-", ""},
		{"a chain goes to its end", "RUN_SHELL_COMMAND", "SHELL"},
		{"a chain of prefixes", "RUN_SHELL_COMMAND_LIST", "SHELL_LIST"},
		{"nothing", "", ""},
		{"white space", " ", ""},
	}
	for _, tt := range tests {
		if have := rules.lookup(tt.name).to; have != tt.want {
			t.Errorf("%s: %q: want %q, have %q", tt.reason, tt.name, tt.want, have)
		}
	}
}

func TestEveryTargetStays(t *testing.T) {
	r := loaded(t, shipped, nil)
	for from := range r.exact {
		to := r.lookup(from).to
		if again := r.lookup(to).to; again != "" {
			t.Errorf("%s: want %s to stay, have it become %s", from, to, again)
		}
	}
	for _, p := range r.prefixes {
		to := r.lookup(p.from + "X").to
		if again := r.lookup(to).to; again != "" {
			t.Errorf("%s: want %s to stay, have it become %s", p.from, to, again)
		}
	}
}

func TestInlineAliases(t *testing.T) {
	r := loaded(t, shipped, map[string]string{"old search": "web_search", "EXEC": "RUN"})
	for name, want := range map[string]string{"OLD_SEARCH": "web_search", "exec": "RUN", "RESPOND": "REPLY"} {
		if have := r.lookup(name).to; have != want {
			t.Errorf("%q: want %q, have %q", name, want, have)
		}
	}
}

func TestRefused(t *testing.T) {
	tests := []struct{ reason, profile, file, inline, want string }{
		{"two names that become each other", "", `{"aliases":{"A":"B","B":"A"}}`, "", "file: want rules without a cycle, have A -> B -> A"},
		{"the way round is longer", "", `{"aliases":{"A":"B","B":"C","C":"A"}}`, "", "file: want rules without a cycle, have A -> B -> C -> A"},
		{"a prefix that grows by itself", "", `{"prefixAliases":[{"from":"RUN_","to":"RUN_RUN_"}]}`, "", "file: want rules without a cycle, have RUN_ -> RUN_"},
		{"two prefixes", "", `{"prefixAliases":[{"from":"A_","to":"B_"},{"from":"B_","to":"A_"}]}`, "", "file: want rules without a cycle, have A_ -> B_ -> A_"},
		{"a prefix and a name", "", `{"aliases":{"B_X":"A_X"},"prefixAliases":[{"from":"A_","to":"B_"}]}`, "", "file: want rules without a cycle, have A_ -> B_X -> A_"},
		{"a cycle that the inline map closes", "", `{"aliases":{"A":"B"}}`, `,"aliases":{"B":"A"}`, "aliases: want rules without a cycle, have A -> B -> A"},
		{"two targets of one name", "", `{"aliases":{"A":"B","A":"C"}}`, "", `file: want one target of A, have "B" and "C"`},
		{"two targets of two spellings of a name", "", `{"aliases":{"RUN IT":"B","run-it":"C"}}`, "", `file: want one target of RUN_IT, have "B" and "C"`},
		{"two spellings in the inline map", "", `{}`, `,"aliases":{"RUN_IT":"B","run it":"C"}`, `aliases.run it: want one target of RUN_IT, have "B" and "C"`},
		{"two targets of a prefix", "", `{"prefixAliases":[{"from":"A_","to":"B_"},{"from":"a-","to":"C_"}]}`, "", `file: want one target of A_, have "B_" and "C_"`},
		{"a blank side", "", `{"aliases":{"A":" "}}`, "", `file: want a name and its target, have "A" and ""`},
		{"a prefix that is none", "", `{"prefixAliases":["A"]}`, "", `file: want a prefix as {from, to}, have "A"`},
		{"aliases as a list", "", `{"aliases":[]}`, "", "file: want aliases to be an object in FILE, have []"},
		{"the reference refuses that too", "reference", `{"aliases":[]}`, "", "file: want aliases to be an object in FILE, have []"},
		{"a list at the top", "", `[]`, "", "file: want a JSON object with aliases and prefixAliases in FILE"},
		{"a profile nobody knows", "strict", `{}`, "", `profile: want standard or reference, have "strict"`},
	}
	for _, tt := range tests {
		name := written(t, tt.file)
		args := `{"file":"` + name + `"` + tt.inline
		if tt.profile != "" {
			args += `,"profile":"` + tt.profile + `"`
		}
		if have := strings.ReplaceAll(sdktest.BadArgs(Plugin, args+"}"), name, "FILE"); have != tt.want {
			t.Errorf("%s:\nwant %s\nhave %s", tt.reason, tt.want, have)
		}
	}
	if sdktest.BadArgs(Plugin, `{}`) == "" {
		t.Error("want a step without rules refused, have no error")
	}
	if sdktest.BadArgs(Plugin, `{"file":"none.json"}`) == "" {
		t.Error("want a missing file refused, have no error")
	}
}

func TestHarmless(t *testing.T) {
	tests := []struct{ reason, file, name, want string }{
		{"a name that becomes itself", `{"aliases":{"A":"a"}}`, "A", ""},
		{"a prefix that becomes itself", `{"prefixAliases":[{"from":"A_","to":"a_"}]}`, "A_X", ""},
		{"a prefix that only ever shortens", `{"prefixAliases":[{"from":"SHELL_COMMAND_","to":"SHELL_"}]}`, "SHELL_COMMAND_COMMAND_X", "SHELL_X"},
		{"the same pair twice", `{"aliases":{"A":"B","A":"B"}}`, "A", "B"},
		{"two spellings of a pair", `{"aliases":{"RUN IT":"B","run-it":"B"}}`, "RUN_IT", "B"},
		{"nothing at all", `{"aliases":null}`, "A", ""},
		{"the longest prefix goes first", `{"prefixAliases":[{"from":"A_","to":"X_"},{"from":"A_B_","to":"Y_"}]}`, "A_B_C", "Y_C"},
	}
	for _, tt := range tests {
		if have := loaded(t, written(t, tt.file), nil).lookup(tt.name).to; have != tt.want {
			t.Errorf("%s: %q: want %q, have %q", tt.reason, tt.name, tt.want, have)
		}
	}
}

func TestCases(t *testing.T) { sdktest.Files(t, Plugin, "testdata/*.txtar") }

// FuzzEnds makes sure that lookup ends for every name under rules that were accepted.
func FuzzEnds(f *testing.F) {
	f.Add("A>B,B>C,P_*>Q_,Q_*>RR_", "P_A")
	f.Add("A_*>A_A_", "A_")
	f.Add("AB*>A,BA*>B,A>BA", "ABABAB")
	f.Add("A*>BB,B*>C,C*>A", "AAAA")
	f.Fuzz(func(t *testing.T, text, name string) {
		r := &rules{exact: map[string]string{}}
		for pair := range strings.SplitSeq(text, ",") {
			from, to, _ := strings.Cut(pair, ">")
			if start, ok := strings.CutSuffix(from, "*"); ok && normal(start) != "" && normal(to) != "" {
				r.prefixes = append(r.prefixes, prefix{normal(start), to})
			} else if normal(from) != "" && normal(to) != "" {
				r.exact[normal(from)] = to
			}
		}
		if r.ends() != nil {
			return
		}
		at := normal(name)
		for steps := 0; ; steps++ {
			next, _, ok := r.step(at)
			if !ok {
				return
			}
			if at = normal(next); steps > 10_000 || len(at) > 1<<16 {
				t.Fatalf("%q: want %q to come to an end, have %.60q after %d rules", text, name, at, steps)
			}
		}
	})
}
