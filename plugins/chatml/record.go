package chatml

import (
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// trajectoryRecord emits the row as an eliza.eliza1_trajectory_record.v1: the messages and tools with what they were made of
// and how good they are.
func (p *renderer) trajectoryRecord(r *sdk.Record, tools []byte, emit func(*sdk.Record)) error {
	record := jsontext.Of(r.JSON())
	said := origin{record: record, metadata: p.row.Metadata}
	split, ok := splits[said.text("split")]
	if !ok {
		return sdk.Reject("bad_split", "metadata.split", "want train, val, test or repair_eval, have another")
	}
	grade := said.grade(split == "repair_eval")
	switch {
	case grade.requiresRepair:
		split = "repair_eval"
	case split == "":
		split = "train"
	}
	sum := sha256.Sum256(jsontext.Bytes(string(record)))
	b := append(jsontext.Reuse(p.buf), `{"schema":"eliza.eliza1_trajectory_record.v1","id":"`...)
	b = hex.AppendEncode(b, sum[:12])
	b = append(append(append(b, `","split":"`...), split...), `","task":`...)
	b = jsontext.AppendString(b, said.task())
	b = jsontext.AppendString(append(b, `,"target":{"modelFamily":"qwen","baseModel":`...), p.baseModel)
	p.buf = append(b, `,"sftFormat":"messages","chatTemplate":"chatml"},"messages":[`...)
	if err := p.writeList(p.messages); err != nil {
		return err
	}
	if b = append(p.buf, `],"tools":`...); len(tools) == 0 {
		tools = []byte("[]")
	}
	b = append(append(b, tools...), `,"actions":[`...)
	n := 0
	for i := p.row.Response.From; i < p.row.Response.To; i++ {
		if part := &p.row.Parts[i]; part.Kind == canonical.CallPart {
			if n++; n > 1 {
				b = append(b, ',')
			}
			b = p.appendAction(b, part)
		}
	}
	b = grade.append(append(b, ']'))
	b = said.append(b, r.Pos())
	p.buf = b
	emit(r.Derive(b))
	return nil
}

// splits are the names of splits, by those that corpora use.
var splits = map[string]string{
	"": "", "train": "train", "training": "train", "val": "val", "valid": "val", "validation": "val", "dev": "val", "eval": "val", "test": "test",
	"repair_eval": "repair_eval", "repair": "repair_eval",
}

// appendAction appends a call of the response as an action, whose arguments write has held to be an object.
func (p *renderer) appendAction(dst []byte, call *canonical.Part) []byte {
	input := call.Value
	if body, ok := input.Quoted(); ok {
		input, _ = body.Embedded()
	}
	if input.Kind() != '{' {
		input = "{}"
	}
	dst = append(append(append(dst, `{"name":"`...), call.Name...), `","originalName":"`...)
	dst = append(append(dst, call.Name...), `","arguments":`...)
	return append(jsontext.AppendCompact(dst, input), '}')
}

// An origin is what a row says of itself.
type origin struct{ record, metadata jsontext.JSON }

// get returns a member of the row, or else of its metadata under the same name or another.
func (o *origin) get(name string, others ...string) jsontext.JSON {
	if v := o.record.Get(name); v != "" && v != "null" {
		return v
	}
	for _, key := range append([]string{name}, others...) {
		if v := o.metadata.Get(key); v != "" && v != "null" {
			return v
		}
	}
	return ""
}

func (o *origin) text(name string, others ...string) string { return o.get(name, others...).Word() }

// task returns what the row is for: its own word, or else what the names around the call tell.
func (o *origin) task() string {
	if task := strings.TrimSpace(o.metadata.Get("task_type").Text()); task != "" && task != "reply" {
		return task
	}
	if task := strings.TrimSpace(o.metadata.Get("taskType").Text()); task != "" && task != "reply" {
		return task
	}
	words := strings.ReplaceAll(o.text("purpose")+" "+o.text("actionType")+" "+o.text("stepType")+" "+o.text("modelType")+" "+
		strings.ToLower(string(o.record.Get("tags"))), "-", "_")
	for _, t := range [...]struct{ word, task string }{
		{"context_routing", "context_routing"}, {"should_respond", "should_respond"}, {"response_handler", "should_respond"},
		{"planner", "action_planner"}, {"runtime_use_model", "action_planner"},
		{"media_description", "media_description"}, {"describe_image", "media_description"}, {"describe_audio", "media_description"},
	} {
		if strings.Contains(words, t.word) {
			return t.task
		}
	}
	return "response"
}

// append appends the source and the metadata, and ends the record.
func (o *origin) append(dst []byte, pos sdk.Pos) []byte {
	text := func(value jsontext.JSON) jsontext.JSON {
		if value.Kind() == '"' {
			return value
		}
		return "null"
	}
	dataset := o.get("source_dataset", "dataset")
	if dataset.Kind() != '"' {
		dataset = `"runtime_trajectory_boundary"`
	}
	var ids []string
	trajectory := o.get("trajectoryId", "trajectory_id")
	for _, id := range []jsontext.JSON{trajectory, o.get("stepId", "step_id"), o.get("callId", "call_id")} {
		if body := id.Body(); body != "" {
			ids = append(ids, string(body))
		}
	}
	source := jsontext.JSON("null")
	if len(ids) > 0 {
		source = jsontext.JSON(`"` + strings.Join(ids, "|") + `"`)
	}
	turn := o.get("stepIndex")
	if n, err := strconv.Atoi(string(turn)); err != nil || n < 0 {
		turn = "null"
	}
	dst = append(append(dst, `,"source":{"kind":"eliza_native_v1","dataset":`...), dataset...)
	dst = jsontext.AppendString(append(dst, `,"path":`...), filepath.Base(pos.File))
	dst = strconv.AppendInt(append(dst, `,"rowIndex":`...), max(pos.Line-1, 0), 10)
	dst = append(append(dst, `,"sourceId":`...), source...)
	dst = append(append(dst, `,"trajectoryId":`...), text(trajectory)...)
	dst = append(append(dst, `,"scenarioId":`...), text(o.get("scenarioId", "scenario_id"))...)
	dst = append(append(dst, `,"format":"eliza_native_v1","turnIndex":`...), turn...)
	dst = append(dst, `},"metadata":{`...)
	response := o.record.Get("response")
	usage := response.Get("usage")
	n := 0
	add := func(name string, value jsontext.JSON) {
		if value == "" || value == "null" {
			return
		}
		if n++; n > 1 {
			dst = append(dst, ',')
		}
		dst = append(append(jsontext.AppendString(dst, name), ':'), value...)
	}
	own := map[string]jsontext.JSON{
		"boundary": o.record.Get("boundary"), "model": o.record.Get("model"), "provider": o.record.Get("provider"),
		"finishReason": response.Get("finishReason"), "promptTokens": usage.Get("promptTokens"),
		"completionTokens": usage.Get("completionTokens"), "cacheReadInputTokens": usage.Get("cacheReadInputTokens"),
	}
	for _, name := range []string{"boundary", "model", "provider", "finishReason", "promptTokens", "completionTokens", "cacheReadInputTokens"} {
		add(name, own[name])
	}
	for _, m := range o.metadata.Unique() {
		if own[m.Key] == "" {
			add(m.Key, m.Value)
		}
	}
	return append(dst, "}}"...)
}
