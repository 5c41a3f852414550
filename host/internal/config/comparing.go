package config

import (
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"

	"github.com/sluicehq/sluice/host/internal/ignore"
	"github.com/sluicehq/sluice/host/internal/limit"
)

// limit returns the attribute limit: a number, or a share.
func (l *loader) limit(b *block) limit.Limit {
	return valueOf(l, b, "limit", limit.Form, limit.Limit{}, func(v cty.Value) (limit.Limit, string, bool) {
		text, err := convert.Convert(v, cty.String)
		if err != nil {
			return limit.Limit{}, "", false
		}
		read, err := limit.Parse(text.AsString())
		return read, "", err == nil
	})
}

// ignore returns the paths of a shadow that do not count.
func (l *loader) ignore(b *block) ignore.Paths {
	v, ok := l.attr(b, "ignore")
	if !ok {
		return ignore.Provenance()
	}
	texts, have := l.stringList(b, "ignore", v, func(text string) bool {
		_, err := ignore.Parse([]string{text})
		return err == nil
	})
	if have != "" {
		l.wrongValue(b, "ignore", `a list of paths such as ["metadata.conversion", "messages.#.id"]`, have, "")
		return ignore.Provenance()
	}
	paths, _ := ignore.Parse(texts) // each was tried
	return paths
}
