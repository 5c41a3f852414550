package flow

import (
	"strings"

	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/sdk/wire"
)

// bodies are pipelines by what they test.
var bodies = map[string]func(*world) []Node{
	"steps, drops and rejects in order": func(w *world) []Node {
		return []Node{
			w.step("a.x", is("3", "drop")), w.step("b.x", is("5", "reject")), w.step("c.x", is("7", "reject")),
			w.step("d.x", add("!")), w.out("main"),
		}
	},
	"one record becomes many": func(w *world) []Node {
		return []Node{w.step("fan.x", is("4", `"a"|"b"|"c"`)), w.step("b.x", is("b", "reject")), w.step("c.x", add("+")), w.out("main")}
	},
	"first takes what the members before declined": func(w *world) []Node {
		return []Node{&First{Name: "f", Members: []Member{
			w.stepWith("one.x", 2, is("1", "decline")),
			w.stepWith("two.x", 2, is("1", `"one"|"uno"`)),
		}}, w.out("main")}
	},
	"first of three, with rejects when all decline": func(w *world) []Node {
		decline := func(keep string) func(string) string {
			return func(s string) string {
				if strings.HasSuffix(s, keep+`"`) {
					return s[:len(s)-1] + "/" + keep + `"`
				}
				return "decline"
			}
		}
		return []Node{&First{Name: "f", Members: []Member{
			w.stepWith("one.x", 3, decline("1")), w.stepWith("two.x", 3, decline("2")), w.stepWith("three.x", 3, decline("3")),
		}}, w.step("after.x", add("!")), w.out("main")}
	},
	"a route puts its branches back in order": func(w *world) []Node {
		key := func(r *wire.Record) string { s := gjson.ParseBytes(r.Data).Str; return s[len(s)-1:] }
		return []Node{
			&Route{Name: "r", Key: key, Cases: []Case{
				{Value: "1", Body: []Node{w.step("one.x", add("-one"))}},
				{Value: "2", Body: []Node{w.step("two.x", is("2", `"x"|"y"`)), w.step("drop.x", is("x", "drop"))}},
				{Value: "3", Body: []Node{w.out("threes")}},
				{Value: "4"},
			}, Default: &Case{Body: []Node{
				&Route{Name: "inner", Key: key, Cases: []Case{{Value: "5", Body: []Node{w.step("five.x", add("-five"))}}}, Default: &Case{}},
			}}},
			w.step("after.x", add("!")),
			w.out("main"),
		}
	},
	"a route without a default rejects records without a case": func(w *world) []Node {
		key := func(r *wire.Record) string { s := gjson.ParseBytes(r.Data).Str; return s[len(s)-1:] }
		return []Node{&Route{Name: "r", Key: key, Cases: []Case{{Value: "1", Body: []Node{w.out("ones")}}, {Value: "2", Body: []Node{w.out("twos")}}}}}
	},
	"a tee sends a copy": func(w *world) []Node {
		return []Node{
			&Tee{Name: "t", Body: []Node{w.step("side.x", is("6", "reject")), w.step("slow.x", add("-copy")), w.out("copy")}},
			w.step("b.x", is("6", "reject")), w.out("main"),
		}
	},
	"side rows go to their output": func(w *world) []Node {
		s := w.step("a.x", is("2", `"p"|"q"`))
		s.Sides["log"] = w.out("log")
		return []Node{s, w.out("main")}
	},
	"a shadow lets the current step's records go on": func(w *world) []Node {
		return []Node{&Shadow{
			Name: "s", Differences: &Differences{},
			Current: w.stepWith("old.x", 2, is("5", "reject")), Candidate: w.stepWith("new.x", 2, is("4", `"a"|"b"`)),
		}, w.out("main")}
	},
	"a shadow in a first declines what its current step declines": func(w *world) []Node {
		return []Node{&First{Name: "f", Members: []Member{
			w.stepWith("one.x", 2, is("1", "decline")),
			&Shadow{
				Name: "s", Differences: &Differences{},
				Current: w.stepWith("old.x", 2, is("7", "decline")), Candidate: w.stepWith("new.x", 2, is("5", "decline")),
			},
			w.stepWith("three.x", 2, add("+")),
		}}, w.out("main")}
	},
	"a sink may refuse": func(w *world) []Node {
		out := w.out("main")
		w.sinks["main"].refuses = `"4"`
		return []Node{out}
	},
}
