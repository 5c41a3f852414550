package host_test

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/sluicehq/sluice/host"
)

const secret = "hunter2-and-more"

const secretive = `
variable "token" { sensitive = true }
variable "pin" {
  type      = number
  sensitive = true
}
source "jsonl" "in" { paths = ["in.jsonl"] }
step "act" "a" {
  token = var.token
}
sink "jsonl" "out" { path = "out.jsonl" }
`

// TestSecrets holds that the value of a sensitive variable is in no receipt, log or error, though the plugin has it
// and speaks of it.
func TestSecrets(t *testing.T) {
	for mode, opts := range modes {
		t.Run(mode, func(t *testing.T) {
			in := `{"do":"say"}`
			if opts.InProcess {
				in = "{}" // such a plugin writes to the stderr of this process
			}
			inFolder(t, secretive, in+"\n")
			var mu sync.Mutex
			var log strings.Builder
			opts.Vars = map[string]string{"token": secret, "pin": "4711"}
			opts.Log = func(step, line string) {
				mu.Lock()
				defer mu.Unlock()
				fmt.Fprintf(&log, "%s: %s\n", step, line)
			}
			result, err := load(t, opts).Run(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			receipt, err := os.ReadFile(result.Path)
			if err != nil || strings.Contains(string(receipt), secret) || result.Variables["token"] != "(sensitive)" || result.Variables["pin"] != "(sensitive)" {
				t.Errorf("want no secret in the receipt, have %s (%v)", receipt, err)
			}
			if said := log.String(); strings.Contains(said, secret) || !opts.InProcess && said != "act.a: token (sensitive)\n" {
				t.Errorf("want the log without the secret, have %q", said)
			}
			opts.Vars["token"] = "another \"<word>\""
			other, err := load(t, opts).Run(t.Context())
			if err != nil || other.Plugins[0].Arguments != result.Plugins[0].Arguments {
				t.Errorf("want a hash of the arguments without the secret, have %+v and %+v (%v)", result.Plugins, other.Plugins, err)
			}
			opts.Vars["token"] = secret
			put(t, "in.jsonl", `{"do":"fatal"}`+"\n")
			_, err = load(t, opts).Run(t.Context())
			if err == nil || strings.Contains(err.Error(), secret) || !strings.Contains(err.Error(), "cannot go on with (sensitive)") {
				t.Errorf("want the error without the secret, have %v", err)
			}
		})
	}
}

// TestSecretsOfFile holds the same of what the file itself makes of the value.
func TestSecretsOfFile(t *testing.T) {
	inFolder(t, `
variable "token" { sensitive = true }
source "jsonl" "in" { paths = ["in.jsonl"] }
first "f" {
  report = "first.json"
  step "act" "a" {
    host { deprecated = "use ${var.token}" }
  }
}
route "by" {
  on = "do"
  case "`+secret+`" {}
  default {}
}
sink "jsonl" "out" { path = "out.jsonl" }
`, "{}\n")
	r, err := load(t, host.Options{Vars: map[string]string{"token": secret}}).Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{r.Path, "first.json"} {
		if text, err := os.ReadFile(path); err != nil || strings.Contains(string(text), secret) || !strings.Contains(string(text), "use (sensitive)") {
			t.Errorf("%s: want no secret, have %s (%v)", path, text, err)
		}
	}
	if r.Steps[0].Deprecated != "use (sensitive)" || r.Routes[0].Branches[0].Case != "(sensitive)" {
		t.Errorf("want no secret, have %q and %q", r.Steps[0].Deprecated, r.Routes[0].Branches[0].Case)
	}
}

// TestSecretsOfCheck holds the same of what plugins say of their attributes.
func TestSecretsOfCheck(t *testing.T) {
	inFolder(t, strings.Replace(secretive, "token = var.token", "tokn = var.token", 1), "{}\n")
	_, err := load(t, host.Options{Vars: map[string]string{"token": secret, "pin": "4711"}}).Check(t.Context())
	if err == nil || strings.Contains(err.Error(), secret) || !strings.Contains(err.Error(), `did you mean "token"?`) {
		t.Errorf("want the mistake without the secret, have %v", err)
	}
}
