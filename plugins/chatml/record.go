package chatml

import (
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// trajectoryRecord emits the row as an eliza.eliza1_trajectory_record.v1: messages and tools with their origin and quality.
func (p *renderer) trajectoryRecord(r *sdk.Record, tools []byte, emit func(*sdk.Record)) error {
	record := jsontext.Of(r.JSON())
	o := origin{record: record, metadata: p.row.Metadata}
	word, path := p.row.SplitWord()
	split := canonical.SplitOf(word)
	if word != "" && split == "" || split == "calibration" { // the schema has no name for that
		return sdk.Reject("bad_split", path, "want a word for train, val, test or repair_eval, have %s", jsontext.Seen(jsontext.Quote(word)))
	}
	grade := o.grade(len(p.row.Repair()) > 0)
	switch {
	case grade.requiresRepair:
		split = "repair_eval"
	case split == "":
		split = "train"
	}
	sum := sha256.Sum256(jsontext.Bytes(string(record)))
	b := append(p.beginRow(), `{"schema":"eliza.eliza1_trajectory_record.v1","id":"`...)
	b = hex.AppendEncode(b, sum[:12])
	b = append(append(append(b, `","split":"`...), split...), `","task":`...)
	b = jsontext.AppendString(b, o.task())
	b = jsontext.AppendString(append(b, `,"target":{"modelFamily":"qwen","baseModel":`...), p.baseModel)
	p.buf = append(b, `,"sftFormat":"messages","chatTemplate":"chatml"},"messages":[`...)
	if err := p.writeList(p.messages); err != nil {
		return err
	}
	if b = append(p.buf, `],"tools":`...); len(tools) == 0 {
		tools = []byte("[]")
	}
	b = append(append(b, tools...), `,"actions":[`...)
	for i := p.row.Response.From; i < p.row.Response.To; i++ {
		if part := &p.row.Parts[i]; part.Kind == canonical.CallPart {
			b = p.appendAction(jsontext.AppendComma(b), part)
		}
	}
	p.buf = o.append(grade.append(append(b, ']')), r.Pos())
	p.emit(r, emit)
	return nil
}

// appendAction appends a call of the response as an action. Write has checked that its arguments are an object.
func (p *renderer) appendAction(dst []byte, call *canonical.Part) []byte {
	input := call.Value.Inner()
	if input.Kind() != '{' {
		input = "{}"
	}
	dst = append(append(append(dst, `{"name":"`...), call.Name...), `","originalName":"`...)
	dst = append(append(dst, call.Name...), `","arguments":`...)
	return append(jsontext.AppendCompact(dst, input), '}')
}

// An origin reads what a row says about itself.
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

// task returns the task of the row: the one that it states, or else one guessed from the names around the call.
func (o *origin) task() string {
	for _, name := range []string{"task_type", "taskType"} {
		if task := strings.TrimSpace(o.metadata.Get(name).Text()); task != "" && task != "reply" {
			return task
		}
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
		source = jsontext.Body(strings.Join(ids, "|")).JSON()
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
	add := func(name string, value jsontext.JSON) {
		if value != "" && value != "null" {
			dst = append(jsontext.AppendKey(dst, name), value...)
		}
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

// A grade rates the quality of a row.
type grade struct {
	success, requiresRepair bool
	score, weight           float64
	rating                  string
	reasons                 []string
}

// grade returns the quality that the row states, or else the one that follows from its status, scenario and reward. Any
// failure marks the row for repair, and so does what the row says itself, when it is marked.
func (o *origin) grade(marked bool) grade {
	g := grade{success: true, score: 1}
	reward, isReward := o.get("reward").Number()
	if good, ok := o.get("reward").Bool(); ok && !good {
		reward, isReward = 0, true
	}
	switch status, scenario := o.text("status"), o.text("scenarioStatus", "scenario_status"); {
	case slices.Contains([]string{"error", "errored", "timeout", "failed", "failure", "terminated"}, status):
		g.fail("native_status=" + status)
	case slices.Contains([]string{"failed", "failure", "skipped"}, scenario):
		g.fail("scenario_status=" + scenario)
	case isReward:
		if g.score = min(max(reward, 0), 1); g.score < 0.5 {
			score := g.score
			g.fail("native_reward=" + strconv.FormatFloat(reward, 'f', 3, 64))
			g.score = score
		}
	}
	quality := o.record.Get("quality")
	if quality.Kind() != '{' {
		quality = o.metadata.Get("quality")
	}
	g.read(quality, marked)
	return g
}

func (g *grade) fail(reason string) {
	g.success, g.requiresRepair, g.score = false, true, 0
	g.reasons = append(g.reasons, reason)
}

// read reads the quality that the row states, and derives the members that it lacks.
func (g *grade) read(quality jsontext.JSON, marked bool) {
	weight, weighed := 0.0, false
	for key, v := range quality.Members() {
		switch key {
		case "success":
			if is, ok := v.Bool(); ok {
				g.success = is
			}
		case "requiresRepair":
			if is, ok := v.Bool(); ok {
				g.requiresRepair = is
			}
		case "score":
			if n, ok := v.Number(); ok {
				g.score = min(max(n, 0), 1)
			}
		case "weight":
			weight, weighed = v.Number()
		case "rating":
			g.rating = v.Word()
		case "reasons":
			for _, reason := range v.Elements() {
				if reason.Kind() == '"' {
					g.reasons = append(g.reasons, reason.Text())
				}
			}
		}
	}
	if g.requiresRepair = g.requiresRepair || !g.success || marked; g.requiresRepair {
		g.success, g.rating = false, "repair"
	}
	switch {
	case weighed:
		g.weight = max(weight, 0)
	case g.success:
		g.weight = g.score
	}
	switch {
	case slices.Contains([]string{"gold", "silver", "bronze", "repair"}, g.rating):
	case g.score >= 0.99:
		g.rating = "gold"
	case g.score >= 0.8:
		g.rating = "silver"
	default:
		g.rating = "bronze"
	}
}

// append appends the grade as the member "quality".
func (g *grade) append(dst []byte) []byte {
	dst = strconv.AppendBool(append(dst, `,"quality":{"success":`...), g.success)
	dst = strconv.AppendFloat(append(dst, `,"score":`...), g.score, 'f', -1, 64)
	dst = strconv.AppendFloat(append(dst, `,"weight":`...), g.weight, 'f', -1, 64)
	dst = jsontext.AppendString(append(dst, `,"rating":`...), g.rating)
	dst = strconv.AppendBool(append(dst, `,"requiresRepair":`...), g.requiresRepair)
	dst = append(dst, `,"reasons":[`...)
	for _, reason := range g.reasons {
		dst = jsontext.AppendString(jsontext.AppendComma(dst), reason)
	}
	return append(dst, "]}"...)
}
