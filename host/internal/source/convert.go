package source

// collect adds the records that the collector has complete, as far as the region has room for them.
func (f *filler) collect() {
	for {
		row, line, fault := f.coll.next(f.row[:0], f.limit)
		if line == 0 {
			return
		}
		f.row = row
		room := f.region.Bytes()[f.copied:]
		if len(row) > len(room) {
			f.need = len(row)
			return
		}
		began := f.began
		f.began = line
		if fault != nil {
			f.record(nil, fault)
		} else {
			f.copied += copy(room, row)
			f.record(room[:len(row)], nil)
		}
		f.began = began
		f.coll.taken()
	}
}

// convert adds what the converter makes of a record, or reports false when the region has no room for it: then the next
// one has. A record that cannot be converted keeps its bytes, unless its fault brings others, or an empty record for none.
func (f *filler) convert(data []byte) bool {
	row, fault := f.conv.convert(f.row[:0], data)
	switch fault = encoded(data, fault); {
	case fault == nil:
		f.row = row
	case fault.Record != nil:
		row = fault.Record
	default:
		row = data
	}
	if len(row) > f.limit {
		row, fault = nil, f.tooLarge(int64(len(row)))
	}
	room := f.region.Bytes()[f.copied:]
	switch {
	case len(row) > len(room):
		f.need = len(row)
		return false
	case len(row) > 0:
		n := copy(room, row)
		f.copied += n
		f.record(room[:n], fault)
	case fault != nil:
		f.record(nil, fault)
	}
	return true
}
