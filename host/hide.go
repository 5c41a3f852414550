package host

import "strings"

// hidden stands wherever a sensitive value would.
const hidden = "(sensitive)"

// hiding replaces secrets in texts that people or receipts get to see.
func hiding(secrets []string) *strings.Replacer {
	var pairs []string
	for _, s := range secrets {
		pairs = append(pairs, s, hidden)
	}
	return strings.NewReplacer(pairs...)
}

// hide takes sensitive values out of the text of an error.
func (p *Pipeline) hide(err error) error {
	if err == nil {
		return nil
	}
	if text := err.Error(); p.secrets.Replace(text) != text {
		return &hiddenError{text: p.secrets.Replace(text), err: err}
	}
	return err
}

// A hiddenError is an error whose text holds no secret.
type hiddenError struct {
	text string
	err  error
}

func (e *hiddenError) Error() string { return e.text }
func (e *hiddenError) Unwrap() error { return e.err }
