// Package negatives makes preference pairs from threads of the Modular Model Spec: the thread's own answer is chosen, and an
// answer that breaks one rule of the document is rejected.
package negatives

import (
	"context"
	"errors"
	"slices"

	"github.com/sluicehq/sluice/plugins/modelspec/check"
	"github.com/sluicehq/sluice/plugins/modelspec/notation"
	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// Plugin is the built-in "modelspec-negatives". It emits threads and preference rows unchanged. Behind a thread that passes the
// checks of plugin modelspec-check it emits a preference row for each kind of mistake that it can make in it. The member
// "negative" of such a row names the kind, and the check that the rejected answer fails; the chosen one fails none. The label
// kind is "thread" or "preference".
var Plugin = sdk.Plugin{
	Name: "modelspec-negatives",
	Doc:  "makes preference rows of threads, with an answer that breaks one rule as the rejected one",
	Args: config{Kinds: names(), Checks: map[string]string{"name_case": "off"}, LeakLength: 48},
	New:  open,

	Labels:      []string{"kind", "negative"},
	LabelValues: map[string][]string{"kind": {"thread", "preference"}, "negative": names()},
	Codes:       notation.Codes(nil),
}

type config struct {
	Kinds      []string          `hcl:"kinds,optional" oneof:"format_not_enabled undeclared_tool call_as_text user_enabled_format" doc:"which mistakes to make"`
	Seed       string            `hcl:"seed,optional" doc:"another seed makes other mistakes" example:"\"1\""`
	Checks     map[string]string `hcl:"checks,optional" oneof:"reject label off" doc:"what each check of plugin modelspec-check does" example:"{\"leak\":\"label\"}"`
	LeakLength int               `hcl:"leak_length,optional" doc:"as in plugin modelspec-check"`
}

func names() (all []string) {
	for _, k := range kinds {
		all = append(all, k.name)
	}
	return all
}

func open(a sdk.Args) (sdk.Processor, error) {
	var cfg config
	err := a.Decode(&cfg)
	err = errors.Join(err, check.Accept(a, cfg.Checks, cfg.LeakLength))
	m := &maker{config: cfg, rules: check.NewRules(cfg.Checks, cfg.LeakLength)}
	return m, err
}

// LabelValues implements sdk.Labeller.
func (m *maker) LabelValues() map[string][]string {
	return map[string][]string{"negative": slices.Compact(slices.Sorted(slices.Values(m.Kinds)))}
}

// A maker makes mistakes in one thread after another.
type maker struct {
	config
	rules  *check.Rules
	thread notation.Thread
	judge  *check.Judge // of the thread
	texts  []string     // decoded contents of the messages
	buf    []byte
}

// Process implements sdk.Processor.
func (m *maker) Process(_ context.Context, r *sdk.Record, emit func(*sdk.Record)) error {
	t, _, err := notation.Accepted(notation.ReadRecord(r))
	if err != nil {
		return err
	}
	if t.Shape == notation.PairShape {
		r.SetLabel("kind", "preference")
		emit(r)
		return nil
	}
	r.SetLabel("kind", "thread")
	emit(r)
	switch {
	case len(m.Kinds) == 0:
	case notation.Wrong(t.Messages) >= 0 || !m.passes(&t):
		r.Count("without.passing", 1)
	default:
		m.mistakes(r, &t, emit)
	}
	return nil
}

func (m *maker) mistakes(r *sdk.Record, t *notation.Thread, emit func(*sdk.Record)) {
	m.thread, m.texts = *t, m.texts[:0]
	for i := range t.Messages {
		m.texts = append(m.texts, t.Messages[i].Text())
	}
	for _, k := range kinds {
		if !slices.Contains(m.Kinds, k.name) {
			continue
		}
		p, ok := m.pair(&k)
		if !ok {
			r.Count("without."+k.name, 1)
			continue
		}
		m.buf = notation.AppendThread(m.buf[:0], p)
		pair := r.Derive(m.buf)
		pair.SetLabel("kind", "preference")
		pair.SetLabel("negative", k.name)
		r.Count("negative."+k.name, 1)
		emit(pair)
	}
}

func (m *maker) passes(t *notation.Thread) bool {
	if m.judge != nil {
		m.judge.Release()
	}
	m.judge = m.rules.Judge(t, t.Messages)
	return !rejects(m.judge.Failures())
}

func rejects(failures []check.Failure) bool {
	return slices.ContainsFunc(failures, func(f check.Failure) bool { return f.Rejects })
}

// row returns a pair of message i and a rejected attempt. It keeps members of the row that do not describe the thread alone.
func (m *maker) row(k *kind, i int, a *attempt) *notation.Thread {
	p := &notation.Thread{
		Shape: notation.PairShape, Settings: m.thread.Settings, Messages: m.thread.Messages[:i],
		Chosen: m.thread.Messages[i : i+1], Rejected: []notation.Message{a.answer}, Reason: jsontext.BodyOf(a.reason),
	}
	if a.prompt != nil {
		p.Messages = a.prompt
	}
	for _, b := range m.thread.Extra {
		if !slices.Contains([]string{"negative", "segments", "reason", "prompt", "chosen", "rejected"}, b.Key) {
			p.Extra = append(p.Extra, b)
		}
	}
	negative := append(jsontext.AppendMember([]byte("{"), "kind", k.name), ',')
	negative = jsontext.AppendMember(negative, "check", k.check)
	p.Extra = append(p.Extra, jsontext.Member{Key: "negative", Value: jsontext.JSON(append(negative, '}'))})
	return p
}
