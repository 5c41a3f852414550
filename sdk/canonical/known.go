package canonical

import "github.com/sluicehq/sluice/sdk/jsontext"

// KnownTools is how many different lists of tools a Row caches.
const KnownTools = 16

// Shorter texts of tools are as fast to read, longer ones are not worth their memory.
const minKnown, maxKnown = 256, 64 << 10

// known caches the tools of earlier rows, since most rows of a corpus share theirs.
type known struct {
	texts [KnownTools][]byte
	ids   [KnownTools]uint64
	found [KnownTools]*found // the names in texts; nil until names is called
	last  uint64
}

// read returns the next value, with its number in the cache, 0 when it is not cached.
func (k *known) read(c *jsontext.Cursor) (value jsontext.JSON, id uint64) {
	c.Kind()
	ahead := c.JSON[c.At:]
	for slot, text := range k.texts {
		const tail = 16 // lists of the same tools begin alike and end apart
		n := len(text)
		if n == 0 || n > len(ahead) || ahead[n-tail:n] != jsontext.JSON(text[n-tail:]) || ahead[:n] != jsontext.JSON(text) {
			continue
		}
		c.At += n
		return ahead[:n], k.ids[slot]
	}
	value = c.Value()
	if len(value) < minKnown || len(value) > maxKnown || value[0] != '[' && value[0] != '{' {
		return value, 0
	}
	k.last++
	slot := k.last % KnownTools
	k.texts[slot], k.ids[slot], k.found[slot] = append(k.texts[slot][:0], value...), k.last, nil
	return value, k.last
}

// names returns the names in cached tools and their text, or nil when they are not cached or inside strings.
func (k *known) names(id uint64) (text string, names *found) {
	slot := id % KnownTools
	if id == 0 || k.ids[slot] != id {
		return "", nil
	}
	text = jsontext.View(k.texts[slot])
	if k.found[slot] == nil {
		k.found[slot] = &found{}
		(&reader{Cursor: jsontext.JSON(text).Cursor(), found: k.found[slot]}).tools()
	}
	if names = k.found[slot]; len(names.inner) > 0 {
		return "", nil
	}
	return text, names
}
