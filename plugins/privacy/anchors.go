package privacy

// An anchor is a short text that every match of a recogniser holds, so that only its places are looked at closely.
type anchor struct {
	text string // lower-case when fold is set
	fold bool   // letters of both cases are meant
	off  int    // where its three rarest bytes begin
	try  recogniser
}

// A recogniser looks at one place of a text, where its anchor stands, and adds what it matches there.
type recogniser func(s *scan, at int)

// An index finds anchors. It steps through a text two bytes at a time: of any three bytes in a row, one of the two
// pairs lies on a step, so each anchor is known by two pairs, and whichever comes up says where the anchor would be.
// Classes of single bytes (digits, @, hexadecimal digits beside a colon) are known by all pairs that hold one.
type index struct {
	pairs   [1 << 16 / 64]uint64 // bit set
	bucket  [1 << 16]uint16
	buckets [][]pairAnchor
	unicode bool // an anchor has bytes that JSON may write as \u escapes other than of ASCII
}

// A pairAnchor is an anchor with the place of the pair in it.
type pairAnchor struct {
	*anchor
	off int
}

func (x *index) addPair(a, b byte) uint16 {
	v := uint16(a) | uint16(b)<<8
	x.pairs[v/64] |= 1 << (v % 64)
	return v
}

// addClass makes every pair that holds one of the bytes a stop.
func (x *index) addClass(chars string) {
	for i := range len(chars) {
		for other := range 256 {
			x.addPair(chars[i], byte(other))
			x.addPair(byte(other), chars[i])
		}
	}
}

// add makes the places of a text of two bytes or more stops where try is called.
func (x *index) add(a anchor) {
	a.off = rarest(a.text)
	for i := range len(a.text) {
		x.unicode = x.unicode || a.text[i] >= 0x80
	}
	for off := a.off; off < a.off+2; off++ {
		if off+1 < len(a.text) {
			x.addCases(&a, off, a.text[off], a.text[off+1])
			continue
		}
		for other := range 256 { // an anchor of two bytes: the second pair is the first byte with what stands before
			x.addCases(&a, -1, byte(other), a.text[0])
		}
	}
}

func (x *index) addCases(a *anchor, off int, b0, b1 byte) {
	for _, p := range cases(b0, a.fold) {
		for _, q := range cases(b1, a.fold) {
			v := x.addPair(p, q)
			if x.bucket[v] == 0 {
				if len(x.buckets) == 0 {
					x.buckets = append(x.buckets, nil) // bucket 0 is no bucket
				}
				x.buckets = append(x.buckets, nil)
				x.bucket[v] = uint16(len(x.buckets) - 1)
			}
			x.buckets[x.bucket[v]] = append(x.buckets[x.bucket[v]], pairAnchor{a, off})
		}
	}
}

func cases(c byte, fold bool) []byte {
	if fold && c-'a' < 26 {
		return []byte{c, c - 0x20}
	}
	return []byte{c}
}

// commonness ranks bytes by how often prose and JSON hold them; bytes that are not listed are rare.
var commonness = func() (rank [256]int) {
	for i, c := range []byte("kvjxqz0123456789_-.bgpywmfculdhrsniaote ") {
		rank[c] = i + 1
	}
	return rank
}()

// rarest gives the offset of the three bytes of a text that prose holds least.
func rarest(text string) int {
	least, at := 0, 0
	for i := 0; i+2 < len(text); i++ {
		first, last := commonness[text[i]]*commonness[text[i+1]], commonness[text[i+1]]*commonness[text[i+2]]
		if i == 0 || first+last < least {
			least, at = first+last, i
		}
	}
	return at
}

// next gives the first step at or behind i, which is even, where a pair is a stop, or -1.
func (x *index) next(s string, i int) int {
	for ; i+8 <= len(s); i += 8 {
		v := load64(s[i : i+8])
		a, b, c, d := uint16(v), uint16(v>>16), uint16(v>>32), uint16(v>>48)
		hit := x.pairs[a/64]>>(a%64) | x.pairs[b/64]>>(b%64) | x.pairs[c/64]>>(c%64) | x.pairs[d/64]>>(d%64)
		if hit&1 != 0 {
			break
		}
	}
	for ; i+1 < len(s); i += 2 {
		v := uint16(s[i]) | uint16(s[i+1])<<8
		if x.pairs[v/64]>>(v%64)&1 != 0 {
			return i
		}
	}
	return -1
}

// load64 is eight bytes as a number, the first lowest, which the compiler makes one load.
func load64(s string) uint64 {
	_ = s[7]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}
