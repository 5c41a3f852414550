package browser

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
)

// An object is a JSON object of a row.
type object = map[string]any

// A talk is one conversation with an assistant, before it has a shape.
type talk struct {
	task, asks, answers string
	thinks              string
	action              string
	arguments           object
	result              string // of the action; empty where the call is the answer
}

var (
	people  = []string{"Ada Moreau", "Jonas Lindqvist", "Mei Tanaka", "Tomás Ferreira", "Priya Nair", "Oluwaseun Bello"}
	cities  = []string{"Lisbon", "Oslo", "Kyoto", "Nairobi", "Montréal", "Wrocław", "Valparaíso"}
	things  = []string{"water the tomatoes", "call the dentist", "renew the passport", "return the library books", "send the tax form"}
	folders = []string{"/var/log", "/srv/builds", "/home/eliza/models", "/data/archive"}
	skies   = []string{"clear", "light rain", "overcast", "snow", "fog"}
)

// said gives the talk number n. Talks of the same number are equal, so a corpus has the same bytes every time.
func said(n int, draw *rand.Rand) talk {
	pick := func(of []string) string { return of[draw.IntN(len(of))] }
	who, city, thing, folder := pick(people), pick(cities), pick(things), pick(folders)
	mail := strings.ToLower(strings.Fields(who)[0]) + fmt.Sprintf("%d@example.org", n%90)
	at := fmt.Sprintf("2026-%02d-%02dT%02d:30:00Z", 1+draw.IntN(12), 1+draw.IntN(28), 7+draw.IntN(14))
	switch draw.IntN(6) {
	case 0:
		return talk{task: "reminders", asks: fmt.Sprintf("Remind me to %s on %s.", thing, at[:10]), action: "REMINDER",
			arguments: object{"text": thing, "at": at}, answers: "I will remind you to " + thing + "."}
	case 1:
		return talk{task: "weather", asks: fmt.Sprintf("What should I pack for %s, leaving %s?", city, at[:10]), thinks: "That depends on the weather there.",
			action: "WEATHER", arguments: object{"city": city, "day": at[:10]},
			result:  fmt.Sprintf(`{"celsius":%.1f,"sky":%q,"wind_km_h":%d}`, draw.Float64()*30-4, pick(skies), draw.IntN(60)),
			answers: fmt.Sprintf("A warm layer and something against the rain: %s changes quickly in the evening.", city)}
	case 2:
		return talk{task: "mail", asks: fmt.Sprintf("Tell %s (%s) that we meet at %s, and give my number, +1 415 555 01%02d.", who, mail, at[11:16], n%100),
			action: "SEND_MAIL", arguments: object{"to": mail, "subject": "We meet at " + at[11:16], "body": "See you then, " + who + "!"},
			answers: "The mail to " + who + " is on its way."}
	case 3:
		return talk{task: "shell", asks: fmt.Sprintf("What takes the most room in %s? I only care about the first %d.", folder, 3+n%17), thinks: "Sizes of the folders below, largest first.",
			action: "RUN_COMMAND", arguments: object{"command": fmt.Sprintf("du -xh --max-depth=1 %s | sort -rh | head -%d", folder, 3+n%17)}, result: listing(draw, folder),
			answers: fmt.Sprintf("The largest is %s/old. Nobody has read it since %s; shall I archive it?", folder, at[:10])}
	case 4:
		return talk{task: "code", asks: fmt.Sprintf("Write a Go function that splits a slice into parts of %d.", 2+n%400), thinks: "slices.Chunk has done it since Go 1.23.",
			answers: fmt.Sprintf("```go\nfunc parts[T any](all []T) [][]T {\n\treturn slices.Collect(slices.Chunk(all, %d))\n}\n```\nThe parts share the memory of the slice.", 2+n%400)}
	}
	return talk{task: "smalltalk", asks: fmt.Sprintf("I walked %d km around %s and my feet hurt.", 4+n%37, city),
		answers: fmt.Sprintf("%d km is a day's work. Put them up, drink something, and tell me what %s looked like.", 4+n%37, city)}
}

func listing(draw *rand.Rand, folder string) string {
	var b strings.Builder
	for _, name := range []string{"old", "cache", "2024", "2025", "tmp"}[:2+draw.IntN(4)] {
		fmt.Fprintf(&b, "%d.%dG\t%s/%s\n", 1+draw.IntN(90), draw.IntN(10), folder, name)
	}
	return b.String()
}

var tools = []object{
	tool("REMINDER", "Sets a reminder.", "text", "at"),
	tool("WEATHER", "Weather of a city on a day.", "city", "day"),
	tool("SEND_MAIL", "Sends a mail.", "to", "subject", "body"),
	tool("RUN_COMMAND", "Runs a command on the build machine.", "command"),
}

func tool(name, does string, members ...string) object {
	properties := object{}
	for _, m := range members {
		properties[m] = object{"type": "string"}
	}
	schema := object{"type": "object", "properties": properties, "required": members}
	return object{"type": "function", "function": object{"name": name, "description": does, "parameters": schema}}
}

const system = "You are Eliza, a personal assistant. Use an action when one fits; otherwise answer in a sentence or two."

// native is the talk as a row of eliza_native_v1, of the split and with the finish reason that are given.
func native(n int, t talk, split, finish string) object {
	messages := []object{{"role": "user", "content": t.asks}}
	response := object{"text": t.answers, "finishReason": finish}
	if t.thinks != "" {
		response["reasoning"] = t.thinks
	}
	id := fmt.Sprintf("call_%d", n)
	switch {
	case t.result != "":
		messages = append(messages,
			object{"role": "assistant", "content": "", "reasoning": t.thinks, "tool_calls": []object{called(id, t)}},
			object{"role": "tool", "tool_call_id": id, "name": t.action, "content": t.result})
	case t.action != "":
		response["text"], response["toolCalls"] = "", []object{{"toolCallId": id, "toolName": t.action, "input": t.arguments}}
	}
	row := object{"format": "eliza_native_v1", "schemaVersion": 1, "boundary": "vercel_ai_sdk.generateText",
		"request": object{"system": system, "messages": messages, "tools": tools}, "response": response,
		"trajectoryId": fmt.Sprintf("trj-%05d", n), "metadata": object{"task_type": t.task, "source_dataset": "assistant-log"}}
	if split != "" {
		row["metadata"].(object)["split"] = split
	}
	return row
}

func called(id string, t talk) object {
	arguments, _ := json.Marshal(t.arguments)
	return object{"id": id, "type": "function", "function": object{"name": t.action, "arguments": string(arguments)}}
}

// chat is the talk as messages of an older export.
func chat(n int, t talk) object {
	messages := []object{{"role": "system", "content": system}, {"role": "user", "content": t.asks}}
	if t.result != "" {
		id := fmt.Sprintf("c%d", n)
		messages = append(messages, object{"role": "assistant", "content": "", "tool_calls": []object{called(id, t)}},
			object{"role": "tool", "tool_call_id": id, "content": t.result})
	}
	messages = append(messages, object{"role": "assistant", "content": t.answers})
	return object{"messages": messages, "task": t.task, "source": "chat-export"}
}

// blocks is the talk as the Anthropic interface has it.
func blocks(n int, t talk) object {
	messages := []object{{"role": "user", "content": t.asks}}
	if t.result != "" {
		id := fmt.Sprintf("toolu_%d", n)
		messages = append(messages,
			object{"role": "assistant", "content": []object{{"type": "tool_use", "id": id, "name": t.action, "input": t.arguments}}},
			object{"role": "user", "content": []object{{"type": "tool_result", "tool_use_id": id, "content": t.result}}})
	}
	messages = append(messages, object{"role": "assistant", "content": []object{{"type": "thinking", "thinking": t.thinks}, {"type": "text", "text": t.answers}}})
	return object{"id": fmt.Sprintf("msg-%d", n), "system": system, "messages": messages}
}

// flat is the talk as the oldest export has it.
func flat(n int, t talk) object {
	return object{"roomName": fmt.Sprintf("room-%d", n%40), "agentId": "Eliza", "memoryEntries": []object{},
		"currentMessage":   object{"role": "user", "speaker": "Alex", "content": t.asks, "channel": "dm"},
		"expectedResponse": t.answers, "availableActions": []string{"REPLY", "IGNORE"}, "metadata": object{"task_type": t.task}}
}

// ordinary is a corpus of n records as they come: four shapes, some of them twice, some of them cut, broken or not for training.
func ordinary(n int) map[string][]byte {
	draw := rand.New(rand.NewPCG(7, 7))
	var logs, exports, older bytes.Buffer
	var before talk
	for i := range n {
		t := said(i, draw)
		switch kind := draw.IntN(100); {
		case kind < 3:
			write(&logs, native(i, t, "", "length"))
		case kind < 5:
			write(&logs, native(i, t, "repair_eval", "stop"))
		case kind < 7:
			write(&logs, object{"format": "eliza_native_v1", "boundary": "vercel_ai_sdk.generateText", "request": object{}, "response": object{"text": t.answers}})
		case kind < 9:
			fmt.Fprintf(&exports, "{\"messages\": [{\"role\": \"user\", \"content\": %q}\n", t.asks)
		case kind < 12:
			write(&exports, object{"messages": []object{{"role": "assistant", "content": t.answers}}, "task": t.task})
		case kind < 17:
			write(&exports, chat(i, before))
		case kind < 20:
			write(&older, object{"note": t.answers, "value": i})
		case kind < 60:
			write(&logs, native(i, t, "", "stop"))
		case kind < 80:
			write(&exports, chat(i, t))
		case kind < 92:
			write(&exports, blocks(i, t))
		default:
			write(&older, flat(i, t))
		}
		before = t
	}
	return map[string][]byte{"logs.jsonl": logs.Bytes(), "exports.jsonl": exports.Bytes(), "older.jsonl": older.Bytes()}
}

// rows is a corpus of one file.
func rows(name string, all ...any) map[string][]byte {
	var b bytes.Buffer
	for _, row := range all {
		write(&b, row)
	}
	return map[string][]byte{name + ".jsonl": b.Bytes()}
}

// write adds the row as one line, with < and > as they are.
func write(to *bytes.Buffer, row any) {
	e := json.NewEncoder(to)
	e.SetEscapeHTML(false)
	if err := e.Encode(row); err != nil {
		panic(err)
	}
}
