package privacy

import (
	"strings"
	"testing"

	"github.com/sluicehq/sluice/sdk/sdktest"
)

func TestLedgerHash(t *testing.T) {
	row := `{"text":"write to jane@example.org"}`
	ledger := func(args string) string {
		results, _ := sdktest.Run(t, Plugin, args, row)
		return strings.Join(results[0].Sides["ledger"], "\n")
	}
	cases := []struct {
		reason, args string
		hashed       bool
	}{
		{"without a key two runs write the same ledger", `{}`, false},
		{"a key hashes", `{"hash_key":"0123456789abcdef"}`, true},
		{"unless it is not wanted", `{"hash_key":"0123456789abcdef","ledger_hash":"none"}`, false},
		{"a key of the run that nobody sees", `{"ledger_hash":"run"}`, true},
	}
	for _, c := range cases {
		have := ledger(c.args)
		if !strings.Contains(have, `"entity":"EMAIL_ADDRESS"`) || strings.Contains(have, "value_hash") != c.hashed {
			t.Errorf("%s: want a hash: %v, have %s", c.reason, c.hashed, have)
		}
		if strings.Contains(have, "jane") {
			t.Errorf("%s: want no value in the ledger, have %s", c.reason, have)
		}
	}
	if a, b := ledger(`{"hash_key":"0123456789abcdef"}`), ledger(`{"hash_key":"fedcba9876543210"}`); a == b {
		t.Error("want other hashes under another key")
	}
	for _, args := range []string{`{"ledger_hash":"key"}`, `{"ledger_hash":"sha"}`} {
		if have := sdktest.BadArgs(Plugin, args); !strings.Contains(have, "ledger_hash") {
			t.Errorf("want %s refused at ledger_hash, have %v", args, have)
		}
	}
}
