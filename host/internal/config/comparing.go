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
	return valueOf(l, b, "ignore", `a list of paths such as ["metadata.conversion", "messages.#.id"]`, ignore.Provenance(), func(v cty.Value) (ignore.Paths, string, bool) {
		list, err := convert.Convert(v, cty.List(cty.String))
		if err != nil {
			return nil, "", false
		}
		var texts []string
		for _, e := range list.AsValueSlice() {
			if e.IsNull() {
				return nil, "", false
			}
			texts = append(texts, e.AsString())
		}
		paths, err := ignore.Parse(texts)
		return paths, "", err == nil
	})
}
