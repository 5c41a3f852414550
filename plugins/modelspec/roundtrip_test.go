package modelspec_test

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sluicehq/sluice/plugins/modelspec"
	modelspecthread "github.com/sluicehq/sluice/plugins/modelspec/thread"
	"github.com/sluicehq/sluice/plugins/native"
	"github.com/sluicehq/sluice/sdk/sdktest"
)

var long = flag.Bool("long", false, "run every combination and many rows, and not representatives of them")

// several returns n rows made at random, or with -long as many more as there is time for.
func several(n int) []string {
	if *long {
		n *= 5
	}
	return rows(n)
}

// TestRoundTrip holds that a row comes back from its thread with all that a thread can express: system, turns, calls and
// results in order, tools with descriptions and schemas, response and its schema. Ids of calls are made anew, and calls that
// were made at once may stand one behind the other.
func TestRoundTrip(t *testing.T) {
	for _, args := range []string{`{}`, `{"system_role":"platform"}`, `{"tool_schema":"json-schema"}`, `{"calls":"jsonl"}`, `{"calls":"python"}`, `{"calls":"array"}`, `{"calls":"yaml"}`, `{"tool_role":"context"}`, `{"shape":"tokens"}`, `{"shape":"tokens","notation":"end_message"}`} {
		roundTrip(t, args, several(60))
	}
}

// TestRoundTripCorpus does the same with a corpus named by SLUICE_BENCH_CORPUS, or with that of the shared material.
func TestRoundTripCorpus(t *testing.T) {
	files, _ := filepath.Glob("../../../shared/corpus/*.jsonl")
	if corpus := os.Getenv("SLUICE_BENCH_CORPUS"); corpus != "" {
		files = append(files, corpus)
	}
	if len(files) == 0 {
		t.Skip("the shared corpus is absent")
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var rows []string
		results, _ := sdktest.Direct(t, native.Plugin, `{}`, strings.Split(strings.TrimSpace(string(data)), "\n")...)
		for _, result := range results {
			rows = append(rows, result.Emitted...)
		}
		t.Logf("%s: %d canonical rows", filepath.Base(file), len(rows))
		roundTrip(t, `{"undeclared":"define"}`, rows)
	}
}

func roundTrip(t *testing.T, args string, rows []string) {
	t.Helper()
	threads, _ := sdktest.Direct(t, modelspec.Plugin, args, rows...)
	var emitted []string
	for i, thread := range threads {
		if thread.Verdict != "emit" {
			t.Fatalf("%s: want a thread, have %s %s at %s: %s for\n%s", args, thread.Verdict, thread.Code, thread.Path, thread.Message, rows[i])
		}
		emitted = append(emitted, thread.Emitted[0])
	}
	back, _ := sdktest.Direct(t, modelspecthread.Plugin, `{}`, emitted...)
	for i, b := range back {
		if b.Verdict != "emit" {
			t.Fatalf("%s: want a row, have %s %s at %s: %s for\n%s", args, b.Verdict, b.Code, b.Path, b.Message, emitted[i])
		}
		want, have := meaning(t, rows[i]), meaning(t, b.Emitted[0])
		declare(&want)
		answer(&want)
		want.Turns, have.Turns = oneByOne(want.Turns), oneByOne(have.Turns)
		if diff := cmp.Diff(want, have); diff != "" {
			t.Fatalf("%s: (-want +have):\n%s\nfrom\n%s", args, diff, emitted[i])
		}
	}
}

// oneByOne puts every call before its result.
func oneByOne(turns []turn) (all []turn) {
	for i := 0; i < len(turns); i++ {
		t := turns[i]
		if len(t.Calls) < 2 {
			all = append(all, t)
			continue
		}
		for n, made := range t.Calls {
			one := turn{Role: t.Role, Calls: []call{made}}
			if n == 0 {
				one.Text = t.Text
			}
			all = append(all, one)
			if i+1 < len(turns) && turns[i+1].Role == "tool" {
				i++
				all = append(all, turns[i])
			}
		}
	}
	return all
}

// What a row means to a thread.
type conversation struct {
	System string
	Turns  []turn
	Tools  []function
	Answer any // response schema
}

type turn struct {
	Role, Text string
	Calls      []call
}

type call struct {
	Name string
	Args any
}

type function struct {
	Name, Description string
	Parameters        any
}

func meaning(t *testing.T, row string) (c conversation) {
	t.Helper()
	type message struct {
		Role, Content string
		Calls         []struct {
			Function struct {
				Name      string
				Arguments any
			}
		} `json:"tool_calls"`
	}
	var r struct {
		Request struct {
			System         string
			Prompt         string
			Messages       []message
			Tools          []map[string]any
			ResponseSchema any
		}
		Response struct {
			Text      string
			ToolCalls []struct {
				ToolName, Name string
				Input, Args    any
			}
		}
	}
	if err := json.Unmarshal([]byte(row), &r); err != nil {
		t.Fatalf("%v in %s", err, row)
	}
	c.System, c.Answer = r.Request.System, r.Request.ResponseSchema
	for _, m := range r.Request.Messages {
		if m.Role == "system" && len(c.Turns) == 0 {
			c.System = strings.Trim(c.System+"\n\n"+m.Content, "\n")
			continue
		}
		next := turn{Role: m.Role, Text: m.Content}
		for _, made := range m.Calls {
			args := made.Function.Arguments
			if text, ok := args.(string); ok {
				if err := json.Unmarshal([]byte(text), &args); err != nil {
					t.Fatal(err)
				}
			}
			next.Calls = append(next.Calls, call{made.Function.Name, args})
		}
		c.Turns = append(c.Turns, next)
	}
	last := turn{Role: "assistant", Text: r.Response.Text}
	for _, made := range r.Response.ToolCalls {
		last.Calls = append(last.Calls, call{made.ToolName + made.Name, either(made.Input, made.Args)})
	}
	c.Turns = append(c.Turns, last)
	for _, tool := range r.Request.Tools {
		f, ok := tool["function"].(map[string]any)
		if !ok {
			f = tool
		}
		description, _ := f["description"].(string)
		parameters := f["parameters"]
		if parameters == nil {
			parameters = f["inputSchema"]
		}
		c.Tools = append(c.Tools, function{f["name"].(string), description, parameters})
	}
	return c
}

func either(a, b any) any {
	if a != nil {
		return a
	}
	return b
}

// declare adds the tools that are called and not declared, which a thread defines by their names.
func declare(c *conversation) {
	for _, t := range c.Turns {
		for _, made := range t.Calls {
			if !slices.ContainsFunc(c.Tools, func(f function) bool { return f.Name == made.Name }) {
				c.Tools = append(c.Tools, function{Name: made.Name, Parameters: map[string]any{"type": "object", "properties": map[string]any{}}})
			}
		}
	}
}

// answer gives turns that are a planner's envelope without calls the text that the user is to read, as every reader of a row
// does, and makes the last text the arguments of its call where it holds them and what the tool requires besides.
func answer(c *conversation) {
	for i := range c.Turns {
		var envelope struct {
			ToolCalls     []any
			MessageToUser *string
		}
		err := json.Unmarshal([]byte(c.Turns[i].Text), &envelope)
		if c.Turns[i].Role == "assistant" && err == nil && envelope.MessageToUser != nil && len(envelope.ToolCalls) == 0 {
			c.Turns[i].Text = *envelope.MessageToUser
		}
	}
	var input map[string]any
	last := &c.Turns[len(c.Turns)-1]
	if len(last.Calls) != 1 || len(c.Tools) != 1 || json.Unmarshal([]byte(last.Text), &input) != nil {
		return
	}
	args, _ := last.Calls[0].Args.(map[string]any)
	for name, value := range args {
		if !cmp.Equal(value, input[name]) {
			return
		}
	}
	schema, _ := c.Tools[0].Parameters.(map[string]any)
	required, _ := schema["required"].([]any)
	for _, name := range required {
		if _, ok := input[name.(string)]; !ok {
			return
		}
	}
	last.Text, last.Calls[0].Args = "", input
}
