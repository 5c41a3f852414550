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

// TestNumber protects from numbers that compare with nothing, and from words that only Go takes for numbers.
func TestNumber(t *testing.T) {
	for value, want := range map[JSON]float64{
		`0`: 0, `-1.5e3`: -1500, `"5"`: 5, `" 5 "`: 5, `"\u0035"`: 5, `".5"`: 0.5, `"+2"`: 2,
	} {
		if have, ok := value.Number(); !ok || have != want {
			t.Errorf("Number(%s): want %v, have %v, %t", value, want, have, ok)
		}
	}
	for _, value := range []JSON{
		``, `null`, `true`, `""`, `"a"`, `"nan"`, `"NaN"`, `"inf"`, `"-Infinity"`, `NaN`, `1e400`, `"-1e400"`, `"0x10"`, `"1_000"`, `"1,5"`, `"e"`, `[1]`, `{}`,
	} {
		if have, ok := value.Number(); ok {
			t.Errorf("Number(%s): want none, have %v", value, have)
		}
	}
}

// TestBool protects the spellings that tables give to true and false.
func TestBool(t *testing.T) {
	for value, want := range map[JSON]bool{
		`true`: true, `1`: true, `1.0`: true, `"true"`: true, `"True"`: true, `" TRUE "`: true, `"1"`: true,
		`false`: false, `0`: false, `0.0`: false, `-0`: false, `"false"`: false, `"False"`: false, `"0"`: false,
	} {
		if have, ok := value.Bool(); !ok || have != want {
			t.Errorf("Bool(%s): want %t, have %t, %t", value, want, have, ok)
		}
	}
	for _, value := range []JSON{``, `null`, `2`, `0.5`, `""`, `"no idea"`, `"nan"`, `[]`, `{"a":true}`} {
		if have, ok := value.Bool(); ok {
			t.Errorf("Bool(%s): want none, have %t", value, have)
		}
	}
}
