// Package format writes figures, sizes, times and names for people.
package format

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/sluicehq/sluice/host/percent"
	"github.com/sluicehq/sluice/host/plural"
)

// Signed writes a change of a number, with its sign.
func Signed(n int64) string {
	if n > 0 {
		return "+" + plural.Count(n)
	}
	return plural.Count(n)
}

// Size writes a number of bytes in decimal units: 999 B, 1.0 kB.
func Size(n int64) string {
	if n < 1000 {
		return fmt.Sprintf("%d B", n)
	}
	return scaled(float64(n)) + "B"
}

// Short writes a number in little space: 999, 1.2 k, 3.4 M.
func Short(n float64) string {
	if n < 1000 {
		return strconv.FormatFloat(n, 'f', -1, 64)
	}
	return strings.Replace(scaled(n), ".0 ", " ", 1)
}

// scaled writes a number of at least 1000 with one decimal and a unit.
func scaled(n float64) string {
	const units = "kMGTPE"
	i := 0
	for n /= 1000; n >= 999.95 && i < len(units)-1; i++ {
		n /= 1000
	}
	return fmt.Sprintf("%.1f %c", n, units[i])
}

// Rate writes bytes by the second.
func Rate(bytes int64, in time.Duration) string {
	if in <= 0 {
		return "0 B/s"
	}
	return Size(int64(float64(bytes)/in.Seconds())) + "/s"
}

// Share writes a part of a whole in percent, with a decimal.
func Share(part, whole int64) string { return percent.Of(part, whole, 1) }

// Seconds writes a duration: 7 ms, 0.41 s, 12.3 s, 3m20s.
func Seconds(s float64) string {
	switch {
	case s == 0:
		return "0 s"
	case s < 0.0005:
		return "<1 ms"
	case s < 0.0995:
		return fmt.Sprintf("%.0f ms", s*1000)
	case s < 9.995:
		return fmt.Sprintf("%.2f s", s)
	case s < 99.95:
		return fmt.Sprintf("%.1f s", s)
	}
	return time.Duration(s * float64(time.Second)).Round(time.Second).String()
}

// Printable shows control characters, and marks that change the direction of text, as escapes: a terminal would obey them, and
// a page would show something else than is there. Lines and tabs are kept.
func Printable(text string) string {
	if !strings.ContainsFunc(text, unprintable) {
		return text
	}
	var b strings.Builder
	for _, c := range text {
		if unprintable(c) {
			quoted := strconv.QuoteRune(c)
			b.WriteString(quoted[1 : len(quoted)-1])
			continue
		}
		b.WriteRune(c)
	}
	return b.String()
}

func unprintable(c rune) bool {
	return c != '\n' && c != '\t' && (unicode.IsControl(c) || unicode.Is(unicode.Bidi_Control, c))
}

// Cut shortens a text to so many characters by leaving out its middle.
func Cut(text string, most int) string {
	runes := []rune(text)
	if len(runes) <= most {
		return text
	}
	if most < 2 {
		return ""
	}
	front := (most - 1) / 2
	return string(runes[:front]) + "…" + string(runes[len(runes)-(most-1-front):])
}

// Parts splits a name where a line may end: behind what joins words.
func Parts(name string) (parts []string) {
	for from := 0; from < len(name); {
		end := len(name)
		if i := strings.IndexAny(name[from:], "._-/:"); i >= 0 {
			end = from + i + 1
		}
		parts, from = append(parts, name[from:end]), end
	}
	return parts
}

// MostFirst returns the names of counts, the highest count first, and by name where counts are equal.
func MostFirst(by map[string]int64) []string {
	return slices.SortedFunc(maps.Keys(by), func(a, b string) int { return cmp.Or(cmp.Compare(by[b], by[a]), cmp.Compare(a, b)) })
}

// Total returns the sum of counts.
func Total(by map[string]int64) (sum int64) {
	for _, n := range by {
		sum += n
	}
	return sum
}
