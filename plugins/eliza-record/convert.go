package elizarecord

import (
	"strings"

	"github.com/sluicehq/sluice/plugins/internal/canonical"
	"github.com/sluicehq/sluice/plugins/internal/eliza"
	"github.com/sluicehq/sluice/plugins/internal/speech"
	"github.com/sluicehq/sluice/plugins/reference/python"
	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// metadata are the members of metadata that mean something here, as JSON.
type metadata struct{ prompt, tools, task, decision, reasons jsontext.JSON }

// convert fills the conversation.
func (p *processor) convert() error {
	f := &p.row
	p.conv.Path = "memoryEntries"
	md := p.describe()
	if strings.HasPrefix(md.task.Word(), "abliteration") || f.expected == `"<abliteration-calibration>"` {
		return sdk.Reject("calibration", "metadata.task_type", "want a row for training, have one for calibration")
	}
	if err := p.conv.SetTools("metadata.toolSpecs", md.tools); err != nil {
		return err
	}
	p.readActions()
	if err := p.system(md); err != nil {
		return err
	}
	if err := p.memory(); err != nil {
		return err
	}
	answer, err := p.answer(md)
	if err != nil {
		return err
	}
	p.offer(answer)
	return nil
}

// describe carries over what the record says of itself, and gives what else its metadata holds.
func (p *processor) describe() (md metadata) {
	f := &p.row
	for _, m := range p.extras {
		p.conv.Meta(m.Key, m.Value)
	}
	c := jsontext.Cursor{JSON: f.metadata}
	if c.Kind() == '{' {
		for key := range c.Members() {
			switch value := c.Value(); key {
			case "system_prompt":
				md.prompt = value
			case "toolSpecs":
				md.tools = value
			case "reasoning_trace":
				md.reasons = value
				p.conv.Meta(jsontext.BodyOf(key), value)
			case "task_type":
				md.task = value
				p.conv.Meta(jsontext.BodyOf(key), value)
			case "decision_class":
				md.decision = value
				p.conv.Meta(jsontext.BodyOf(key), value)
			default:
				p.conv.Meta(jsontext.BodyOf(key), value)
			}
		}
	}
	for _, m := range []canonical.Member{{Key: "split", Value: f.split}, {Key: "quality", Value: f.quality}, {Key: "roomName", Value: f.room}, {Key: "availableActions", Value: f.actions}} {
		if m.Value != "" {
			p.conv.Meta(m.Key, m.Value)
		}
	}
	if python.Truthy(f.agent) {
		p.conv.Identify("agentId", quote(f.agentName()))
	}
	return md
}

// system adds the system turn: the row's own text, a template of its task, or the fallback, which is counted.
func (p *processor) system(md metadata) error {
	if body, ok := md.prompt.Quoted(); ok && !body.Blank() {
		body, err := speech.Tools(&p.conv, body, "metadata.system_prompt")
		if err != nil {
			return err
		}
		p.conv.Add(eliza.System, -1).Body = body
		return nil
	}
	if p.Prompt == "none" {
		return nil
	}
	prompt := fallbackBody
	task := md.task.Text()
	template, ok, err := p.prompts.template(task)
	switch {
	case task == "reply":
		prompt = jsontext.BodyOf(replyPrompt(p.row.agentName()))
	case err != nil:
		return sdk.Reject("bad_prompt", "metadata.task_type", "%v", err)
	case ok && blocks(unescaped(template)):
		return sdk.Reject("bad_prompt", "metadata.task_type", "want a template of names alone, have one with conditions or loops")
	case ok:
		prompt = jsontext.BodyOf(fill(unescaped(template), p.row.context(p.row.agentName(), strings.Join(p.actions, ", ")), asText))
	default:
		p.record.Count("prompt.fallback", 1)
	}
	p.conv.Add(eliza.System, -1).Body = prompt
	return nil
}

// offer adds the actions an agent could take to the tools, where its answer is one of them. TASKS was the way to the other
// tools, which the row offers itself.
func (p *processor) offer(e envelope) {
	if !e.planned {
		return
	}
	hasTools := p.conv.HasTools()
	for _, name := range p.actions {
		switch name {
		case "RESPOND":
		case "TASKS", "TASK_CALL":
			if !hasTools && !e.unwrapped {
				p.conv.AddTool(name, anyParameters)
			}
		case "REPLY":
			p.conv.AddTool(name, `{"type":"object","properties":{"text":{"type":"string"}}}`)
		default:
			p.conv.AddTool(name, anyParameters)
		}
	}
}

const anyParameters = `{"type":"object","properties":{}}`

// readActions reads the actions on offer: strings, the names of objects, or one string with commas.
func (p *processor) readActions() {
	p.actions = p.actions[:0]
	c := jsontext.Cursor{JSON: p.row.actions}
	switch c.Kind() {
	case '"':
		body, _ := c.String()
		for name := range strings.SplitSeq(body.Text(), ",") {
			p.addAction(name)
		}
	case '[':
		for range c.Elements() {
			v := c.Value()
			if v[0] == '{' {
				v = v.Get("name")
			}
			p.addAction(v.Text())
		}
	}
}

func (p *processor) addAction(name string) {
	if name = strings.TrimFunc(name, jsontext.IsSpace); name != "" {
		p.actions = append(p.actions, actionName(name))
	}
}

// actionName spells an action as agents know it: upper case, and the names of scambench by the decision they stand for.
func actionName(name string) string {
	switch name {
	case "REPLY", "IGNORE", "TASKS", "TASK_CALL", "NONE", "STOP": // as most rows have them
		return name
	}
	switch strings.ReplaceAll(strings.ToLower(name), "-", "_") {
	case "ignore", "block", "decline", "decline_to_answer", "refuse":
		return "IGNORE"
	case "reply", "respond", "engage", "accept", "audit", "request_verification", "verify", "escalate", "ask", "clarify":
		if name != "RESPOND" {
			return "REPLY"
		}
	}
	return strings.ToUpper(name)
}
