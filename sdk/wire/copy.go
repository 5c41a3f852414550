package wire

// copyRecords copies the part of the granted memory that the new records of a reply lie in, and makes the copy the granted memory until
// restore is called. Replies that name other memory are left for Admit to refuse.
func (val *Validator) copyRecords(r *Reply) (restore func(), err error) {
	s := span{from: ^uint64(0)}
	if val.region == nil || !s.add(r, val.base, uint64(val.region.n)) || s.from >= s.to {
		return func() {}, nil
	}
	copied, err := val.Copy(int(s.to - s.from))
	if err != nil {
		return nil, err
	}
	copy(copied.Bytes(), val.region.Bytes()[s.from:s.to])
	granted, base, used := val.region, val.base, val.used
	val.region, val.base = copied, base+s.from
	return func() {
		val.region, val.base, val.used = granted, base, used
		copied.Release() // the records that were admitted hold it
	}, nil
}

// A span is the stretch of the granted memory that some records lie in.
type span struct{ from, to uint64 }

// add adds the new records of a reply, and of those behind it. It reports whether all of them lie in memory of size bytes at base.
func (s *span) add(r *Reply, base, size uint64) bool {
	if len(r.Offsets) != len(r.Lengths) || len(r.Same) > 0 && len(r.Same) != len(r.Lengths) {
		return false
	}
	for k, n := range r.Lengths {
		if r.bytes(k) != NewBytes || n == 0 {
			continue
		}
		from := r.Offsets[k] - base
		if r.Offsets[k] < base || from > size || n > size-from {
			return false
		}
		s.from, s.to = min(s.from, from), max(s.to, from+n)
	}
	for i := range r.Behind {
		if !s.add(&r.Behind[i], base, size) {
			return false
		}
	}
	return true
}
