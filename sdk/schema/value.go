package schema

import (
	"math"
	"strconv"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// deepest is how deep a record is checked. Deeper values count as empty: no schema reaches there, and most of them are
// arguments and schemas of tools.
const deepest = 16

// decode returns the next value as the validator takes it. Strings without escapes are views of the record.
func decode(c *jsontext.Cursor, depth int) any {
	switch c.Kind() {
	case '{':
		members := map[string]any{}
		if depth == deepest {
			c.Skip()
			return members
		}
		for key := range c.Members() {
			members[key] = decode(c, depth+1)
		}
		return members
	case '[':
		elements := []any{}
		if depth == deepest {
			c.Skip()
			return elements
		}
		for range c.Elements() {
			elements = append(elements, decode(c, depth+1))
		}
		return elements
	case '"':
		body, _ := c.String()
		return body.Text()
	}
	return scalar(c.Value())
}

// scalar returns a number, true, false or null.
func scalar(v jsontext.JSON) any {
	switch v {
	case "null":
		return nil
	case "true":
		return true
	case "false":
		return false
	}
	if n, err := strconv.ParseInt(string(v), 10, 64); err == nil {
		return n
	}
	f, _ := strconv.ParseFloat(string(v), 64) // beyond its range it is infinite, which no rational number is
	return max(-math.MaxFloat64, min(f, math.MaxFloat64))
}
