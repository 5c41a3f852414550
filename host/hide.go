package host

import (
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/host/internal/config"
	"github.com/sluicehq/sluice/host/internal/places"
	"github.com/sluicehq/sluice/host/internal/plan"
)

// Sensitive replaces sensitive values.
const Sensitive = "(sensitive)"

// leastInName is the size of the shortest secret that is replaced in names of files. A shorter one, such as "test", may be part of any
// name, and a receipt with another name would be of no file.
const leastInName = 6

// leastLine is the size of the shortest line of several of a secret that is replaced by itself, as a plugin prints it.
const leastLine = 8

// hiding returns what replaces secrets in texts and receipts, and lines of them, in all their spellings.
func hiding(secrets []string) *strings.Replacer {
	var all []string
	for _, s := range secrets {
		all = append(all, spellings(s)...)
		for line := range strings.Lines(s) {
			if line = strings.TrimSpace(line); line != s && line != "" && (len(line) >= leastLine || line == strings.TrimSpace(s)) {
				all = append(all, spellings(line)...)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b string) int { return len(b) - len(a) }) // the longest first
	var pairs []string
	for _, s := range all {
		pairs = append(pairs, s, Sensitive)
	}
	return strings.NewReplacer(pairs...)
}

// inputSecrets returns what may be secret in the names of inputs, such as the signature of a URL.
func inputSecrets(tree *config.Pipeline, opts Options) (all []string) {
	add := func(name string) { all = append(all, places.Secrets(name)...) }
	for _, s := range tree.Sources {
		plan.EachString(gjson.ParseBytes(s.Args.JSON), add)
	}
	for _, names := range opts.Inputs {
		for _, name := range names {
			add(name)
		}
	}
	return all
}

// shownSetting returns NAME=VALUE of a variable as it may be shown: a sensitive value is known by the name, however short it is.
func (p *Pipeline) shownSetting(setting string) string {
	name, _, _ := strings.Cut(setting, "=")
	if slices.ContainsFunc(p.tree.Vars, func(v config.Variable) bool { return v.Sensitive && v.Name == name }) {
		return name + "=" + Sensitive
	}
	return p.opts.MaskName(setting)
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
