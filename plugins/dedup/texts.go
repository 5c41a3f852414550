package dedup

// texts are what was asked and answered in rows, by number.
type texts struct {
	rows  list[place]
	pages [][]byte
}

// A place is where the two texts of a row lie, one after the other.
type place struct {
	page            uint32
	from            uint32
	asked, answered uint16 // lengths
}

// page is how many bytes are allocated at once.
const page = 1 << 20

func (t *texts) add(asked, answered []byte) {
	n := len(t.pages)
	if size := len(asked) + len(answered); n == 0 || len(t.pages[n-1])+size > cap(t.pages[n-1]) {
		t.pages = append(t.pages, make([]byte, 0, page))
		n++
	}
	last := &t.pages[n-1]
	t.rows.add(place{uint32(n - 1), uint32(len(*last)), uint16(len(asked)), uint16(len(answered))})
	*last = append(append(*last, asked...), answered...)
}

func (t *texts) at(row int) (asked, answered []byte) {
	p := t.rows.at(row)
	text := t.pages[p.page][p.from:]
	return text[:p.asked], text[p.asked:][:p.answered]
}
