package jsontext

import "testing"

// TestTruthy protects what says nothing from being taken for something.
func TestTruthy(t *testing.T) {
	for value, want := range map[JSON]bool{
		``: false, `null`: false, `false`: false, `0`: false, `-0.0`: false, `0e5`: false, `""`: false, `[ ]`: false, `{}`: false,
		`true`: true, `1`: true, `1e400`: true, `" "`: true, `[0]`: true, `{"a":0}`: true,
	} {
		if have := value.Truthy(); have != want {
			t.Errorf("Truthy(%s): want %t, have %t", value, want, have)
		}
	}
}
