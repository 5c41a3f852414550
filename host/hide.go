package host

import (
	"encoding/json"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/host/internal/config"
	"github.com/sluicehq/sluice/host/internal/places"
)

// Sensitive replaces sensitive values.
const Sensitive = "(sensitive)"

// hiding returns what replaces secrets in texts and receipts, as they are and as JSON spells them.
func hiding(secrets []string) *strings.Replacer {
	var pairs []string
	for _, s := range secrets {
		pairs = append(pairs, s, Sensitive)
		if body := asJSON(s); body != s {
			pairs = append(pairs, body, Sensitive)
		}
	}
	return strings.NewReplacer(pairs...)
}

// inputSecrets returns what may be secret in the names of inputs, such as the signature of a URL.
func inputSecrets(tree *config.Pipeline, opts Options) (all []string) {
	add := func(name string) { all = append(all, places.Secrets(name)...) }
	for _, s := range tree.Sources {
		eachString(gjson.ParseBytes(s.Args.JSON), add)
	}
	for _, names := range opts.Inputs {
		for _, name := range names {
			add(name)
		}
	}
	return all
}

// asJSON returns a text as JSON spells it, without the quotes.
func asJSON(text string) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if enc.Encode(text) != nil {
		return text
	}
	return strings.Trim(b.String(), "\n")[1 : b.Len()-2]
}

func (p *Pipeline) hide(err error) error {
	if err == nil {
		return nil
	}
	if text := p.secrets.Replace(err.Error()); text != err.Error() {
		return &hiddenError{text, err}
	}
	return err
}

type hiddenError struct {
	text string
	err  error
}

func (e *hiddenError) Error() string { return e.text }
func (e *hiddenError) Unwrap() error { return e.err }
