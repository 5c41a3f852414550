package sdk

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sluicehq/sluice/sdk/wire"
)

// Shared is what several plugins take.
type Shared struct {
	Profile string            `hcl:"profile,optional" doc:"which rules"`
	Names   map[string]string `hcl:"names,optional"`
	Deeper
	note string
}

type Deeper struct {
	Limit int `hcl:"limit" doc:"most of them"`
}

type unexported struct {
	Strict bool `hcl:"strict,optional"`
}

type embedding struct {
	Shared
	unexported
	Mine string `hcl:"mine,optional"`
}

func declaredEmbedding() embedding {
	return embedding{
		Shared: Shared{Profile: "standard", Names: map[string]string{"a": "b"}, Deeper: Deeper{7}, note: "kept"}, unexported: unexported{true}, Mine: "m",
	}
}

// TestDecodeEmbedded holds that fields of an embedded struct take attributes as the struct's own do.
func TestDecodeEmbedded(t *testing.T) {
	tests := []struct {
		reason, args string
		want         func(c *embedding)
		errs         []string
	}{
		{reason: "attributes of all levels", args: `{"profile":"reference","limit":3,"strict":false,"mine":"x"}`, want: func(c *embedding) {
			c.Profile, c.Limit, c.Strict, c.Mine = "reference", 3, false, "x"
		}},
		{reason: "defaults stay", args: `{"limit":3}`, want: func(c *embedding) { c.Limit = 3 }},
		{reason: "mistakes stand at the attribute, without the name of the embedded struct", args: `{"profile":1,"limt":3}`, errs: []string{
			"profile: want a string, have a number",
			"limit: want a whole number, have nothing",
			`limt: want one of profile, names, limit, strict, mine, have "limt"; did you mean "limit"?`,
		}},
	}
	for _, tt := range tests {
		var have embedding
		err := Args{json: tt.args, declared: declaredEmbedding()}.Decode(&have)
		if diff := cmp.Diff(tt.errs, argTexts(err)); diff != "" {
			t.Errorf("%s (-want +have):\n%s", tt.reason, diff)
		}
		if err != nil {
			continue
		}
		want := declaredEmbedding()
		tt.want(&want)
		if diff := cmp.Diff(want, have, cmp.AllowUnexported(embedding{}, Shared{}, unexported{})); diff != "" {
			t.Errorf("%s (-want +have):\n%s", tt.reason, diff)
		}
	}
}

// TestDecodePart holds that a package reads the part of a plugin's attributes that it knows, with the plugin's defaults.
func TestDecodePart(t *testing.T) {
	args := Args{json: `{"limit":3,"mine":"x"}`, declared: declaredEmbedding()}
	for range 2 {
		var have Shared
		must(t, args.Decode(&have))
		want := declaredEmbedding().Shared
		want.Limit = 3
		if diff := cmp.Diff(want, have, cmp.AllowUnexported(Shared{})); diff != "" {
			t.Errorf("-want +have:\n%s", diff)
		}
		have.Names["a"] = "changed"
	}
	var deeper Deeper
	must(t, args.Decode(&deeper))
	if deeper.Limit != 3 {
		t.Errorf("want a part of a part, have %+v", deeper)
	}
	args.json = `{"limit":"many","mine":1,"yours":1}`
	want := []string{"limit: want a whole number, have a string", `yours: want one of profile, names, limit, strict, mine, have "yours"`}
	if diff := cmp.Diff(want, argTexts(args.Decode(&deeper))); diff != "" {
		t.Errorf("mistakes of the part, and what no part knows (-want +have):\n%s", diff)
	}
	var foreign struct {
		Limit int `hcl:"limit"`
	}
	args.json = `{"limit":3,"mine":"x"}`
	if diff := cmp.Diff([]string{`mine: want one of limit, have "mine"`}, argTexts(args.Decode(&foreign))); diff != "" {
		t.Errorf("what is no part objects to what it does not know (-want +have):\n%s", diff)
	}
}

// TestValidateEmbedded holds that two fields never take one attribute, wherever they stand.
func TestValidateEmbedded(t *testing.T) {
	p := tester(Map(nil))
	p.Args = declaredEmbedding()
	must(t, p.Validate())
	p.Args = struct {
		Shared
		Limit int    `hcl:"limit"`
		Named Deeper `hcl:"named"`
		*Deeper
	}{}
	if have, want := errText(p.Validate()), `plugin "test": args: limit: want one field of that name, have two`; have != want {
		t.Errorf("want %q, have %q", want, have)
	}
}

// TestInfoEmbedded holds that a host sees the fields of an embedded struct as the plugin's own.
func TestInfoEmbedded(t *testing.T) {
	p := tester(Map(nil))
	p.Args = declaredEmbedding()
	want := []wire.Arg{
		{Name: "profile", Type: "a string", Doc: "which rules", Default: `"standard"`},
		{Name: "names", Type: "a map of strings", Default: `{"a":"b"}`},
		{Name: "limit", Type: "a whole number", Doc: "most of them", Required: true},
		{Name: "strict", Type: "a boolean", Default: "true"},
		{Name: "mine", Type: "a string", Default: `"m"`},
	}
	if diff := cmp.Diff(want, p.info().Args); diff != "" {
		t.Errorf("-want +have:\n%s", diff)
	}
}
