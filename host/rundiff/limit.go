package rundiff

import (
	"fmt"

	"github.com/sluicehq/sluice/host/internal/limit"
)

// Limit is how many rows may differ: a number, or a share of those compared, such as "1%".
type Limit struct{ limit.Limit }

// Set reads a limit. It makes Limit a flag, as String and Type do.
func (l *Limit) Set(text string) (err error) {
	l.Limit, err = limit.Parse(text)
	return err
}

// Type returns the word for a value in help.
func (l *Limit) Type() string { return "limit" }

// Judge returns an error when n of the rows that were compared differ, and they are more than the limit allows.
func (l *Limit) Judge(n, compared int64) error {
	const form = "want at most %s rows to differ, have %d of %d (%s)"
	if !l.Exceeded(n, compared) {
		return nil
	}
	return fmt.Errorf(form, l, n, compared, l.Percent(n, compared))
}
