// Package limit reads bounds such as 100 or "0.5%", and decides whether a count is beyond one.
package limit

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"github.com/sluicehq/sluice/host/percent"
)

// Form describes in words what Parse takes.
const Form = `a whole number of 0 or more, or a share such as "1%"`

// A Limit is the most of something: a number, or a share of all. The zero value bounds nothing.
type Limit struct {
	text  string
	most  int64 // a number, or parts of whole
	share bool
}

// whole is 100%, so that a share has up to six decimals.
const whole = 100_000_000

// Parse reads a whole number, or a percentage from 0% to 100%.
func Parse(text string) (Limit, error) {
	number, share := strings.CutSuffix(text, "%")
	if !share {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil || n < 0 {
			return Limit{}, fmt.Errorf("want %s, have %q", Form, text)
		}
		return Limit{text: strconv.FormatInt(n, 10), most: n}, nil
	}
	r, ok := new(big.Rat).SetString(number)
	if !ok || strings.Trim(number, "0123456789.") != "" {
		return Limit{}, fmt.Errorf("want %s, have %q", Form, text)
	}
	r.Mul(r, big.NewRat(whole, 100))
	if !r.IsInt() || r.Cmp(big.NewRat(whole, 1)) > 0 {
		return Limit{}, fmt.Errorf("want a share from 0%% to 100%% with at most six decimals, have %q", text)
	}
	return Limit{text, r.Num().Int64(), true}, nil
}

// String returns the limit as it was written, "" when there is none.
func (l Limit) String() string { return l.text }

// IsShare reports whether the limit is a share, so that only all of what it is of decides.
func (l Limit) IsShare() bool { return l.share }

// Number returns the number of a limit that is no share.
func (l Limit) Number() int64 { return l.most }

// Exceeded reports whether n of all are more than the limit allows.
func (l Limit) Exceeded(n, all int64) bool {
	switch {
	case l.text == "":
		return false
	case !l.share:
		return n > l.most
	}
	product := func(a, b int64) *big.Int { return new(big.Int).Mul(big.NewInt(a), big.NewInt(b)) }
	return product(n, whole).Cmp(product(l.most, all)) > 0
}

// Percent writes n of all in percent, in more decimals than the limit has, so that what is beyond it looks so.
func (l Limit) Percent(n, all int64) string {
	_, fraction, _ := strings.Cut(strings.TrimSuffix(l.text, "%"), ".")
	text := strings.TrimSuffix(percent.Of(n, all, max(2, len(fraction)+1)), "%")
	if strings.Contains(text, ".") {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	return text + "%"
}
