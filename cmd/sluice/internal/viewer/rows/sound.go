package rows

// sound tells whether the parts of a table fit each other, as a builder makes them.
func (t *table) sound() bool {
	rows := t.rows()
	if len(t.Sizes) != rows || len(t.Sums) != rows || len(t.Turns) != rows || len(t.Calls) != rows {
		return false
	}
	end := int64(0)
	for i, offset := range t.Offsets {
		if offset < end {
			return false
		}
		end = offset + int64(t.Sizes[i])
	}
	for i, b := range t.Blanks {
		if int(b.Row) >= rows || i > 0 && b.Row <= t.Blanks[i-1].Row {
			return false
		}
	}
	for c := range t.Words {
		if !t.Words[c].sound(rows) {
			return false
		}
	}
	for row := range rows {
		if len(t.Words[shape].words(row)) == 0 {
			return false
		}
	}
	return t.Said.sound(rows)
}

// sound tells whether a column is one of so many rows.
func (c *coded) sound(rows int) bool {
	if len(c.Small) > rows || len(c.Wide) > rows || len(c.Sets) > 0 && len(c.Sets[0]) > 0 {
		return false
	}
	for row := range max(len(c.Small), len(c.Wide)) {
		if set := c.at(row); set > 0 && set >= len(c.Sets) {
			return false
		}
	}
	return true
}

// sound tells whether these are origins of so many rows.
func (o *origins) sound(rows int) bool {
	end := uint64(0)
	for _, r := range o.Runs {
		if int(r.File) >= len(o.Files) || uint64(r.Row) < end {
			return false
		}
		end = uint64(r.Row) + uint64(r.Count)
	}
	return end <= uint64(rows)
}
