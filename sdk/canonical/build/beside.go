package build

import (
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

const (
	beside     = "beside." // before the name of a column that the conversation does not use
	unreadText = "unread_text"
)

// maxBeside is how many columns of one row are counted by name. The others count as beside.other.
const maxBeside = 100

// longText is how many characters of prose make a column that is not read worth a warning.
const longText = 200

// ReadsText marks kept columns whose long text the adapter has read, such as the answers that were rated: they are counted like
// others, without a warning.
func (c *Builder) ReadsText(columns ...string) { c.known = append(c.known, columns...) }

// UnreadTexts returns the kept columns that hold more than n characters of prose and that the adapter has not read, but for those that
// say where a record is from.
func (c *Builder) UnreadTexts(n int) (columns []string) {
	for _, m := range c.rest {
		if len(m.value) > n && !m.made && !provenance[m.key] && !slices.Contains(c.known, m.key) && Prose(m.value) > n {
			columns = append(columns, m.key)
		}
	}
	return columns
}

// Beside counts a column that goes to the metadata, unless its value is empty. A long text in it counts as a warning of the run
// or rejects the row, as the attribute "beside" says.
func (c *Builder) Beside(key string, value jsontext.JSON) error {
	if empty(value) {
		return nil
	}
	c.columns++
	name := c.nameOf(key)
	if c.columns > maxBeside {
		name = c.nameOf("")
	}
	c.Count(name, 1)
	if c.settings.onlyCounts || len(value) <= longText || provenance[key] || slices.Contains(c.known, key) {
		return nil
	}
	n := Prose(value)
	switch {
	case n <= longText:
	case c.settings.rejectsText:
		return sdk.Reject(unreadText, name[len(beside):],
			"want the question or the answer in every column with a long text, have %d characters of another", n)
	default:
		c.record.Warn(unreadText, name[len(beside):])
	}
	return nil
}

// empty reports whether a value says nothing, so that metadata leaves it out.
func empty(v jsontext.JSON) bool {
	return v == "" || v == "null" || v == `""` || v.Empty()
}

// nameOf returns the name of a column's count. It does not say a column's name that is no short identifier, since it may be data.
func (c *Builder) nameOf(key string) string {
	name, ok := c.counts[key]
	if !ok {
		name = beside + "other"
		if isIdentifier(key) {
			name = beside + key
		}
		if c.counts == nil || len(c.counts) > 1000 {
			c.counts = map[string]string{}
		}
		c.counts[strings.Clone(key)] = name
	}
	return name
}

// isIdentifier reports whether a name is of up to 40 ASCII letters, underscores, hyphens and at most four digits, and begins with
// a letter or an underscore.
func isIdentifier(name string) bool {
	digits := 0
	for i := range len(name) {
		switch c := name[i]; {
		case 'a' <= c|0x20 && c|0x20 <= 'z' || c == '_':
		case i > 0 && c == '-':
		case i > 0 && '0' <= c && c <= '9':
			digits++
		default:
			return false
		}
	}
	return name != "" && len(name) <= 40 && digits <= 4
}

// provenance are columns that say where a record is from or how it was made, at any length.
var provenance = func() map[string]bool {
	all := map[string]bool{}
	for name := range strings.FieldsSeq(`source source_dataset dataset dataset_name url urls link links license licence license_text
		licence_text copyright citation citations attribution provenance author authors contributors path file filename
		timestamp date created_at updated_at hash sha256 checksum signature tags keywords categories version split`) {
		all[name] = true
	}
	maps.Copy(all, identity)
	for name := range names {
		all[name] = true
	}
	return all
}()

// Prose returns how many characters of running text a value holds: of strings of several words, at any depth, also in JSON in
// strings. URLs, hashes and other long words do not count.
func Prose(v jsontext.JSON) (n int) {
	c := v.Cursor()
	for {
		next := strings.IndexByte(string(c.JSON[c.At:]), '"')
		if next < 0 {
			return n
		}
		c.At += next
		body, _ := c.String()
		text := body.Text()
		if inner, ok := embedded(text); ok {
			n += Prose(inner)
		} else {
			n += running(text)
		}
	}
}

// embedded returns the object or list that a text is.
func embedded(text string) (jsontext.JSON, bool) {
	if text = strings.TrimSpace(text); text == "" || text[0] != '{' && text[0] != '[' {
		return "", false
	}
	return jsontext.Embedded(text)
}

// fewWords is how many words a text has that is a label or a name and not prose.
const fewWords = 4

// running returns how many characters of a text are words, 0 where it has only a few. In scripts without spaces every other
// character counts as a word.
func running(text string) (n int) {
	words := 0
	for word := range strings.FieldsSeq(text) {
		size := utf8.RuneCountInString(word)
		foreign := (len(word) - size) / 2
		if size > 30 && foreign < size/2 {
			continue
		}
		n += size + 1
		words += 1 + foreign/2
	}
	if words <= fewWords {
		return 0
	}
	return n
}
