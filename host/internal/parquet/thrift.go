package parquet

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// Types of the compact protocol.
const (
	thriftStop   = 0
	thriftTrue   = 1
	thriftFalse  = 2
	thriftByte   = 3
	thriftI64    = 6
	thriftDouble = 7
	thriftBinary = 8
	thriftList   = 9
	thriftSet    = 10
	thriftMap    = 11
	thriftStruct = 12
)

const (
	maxThriftDepth   = 32
	maxThriftStructs = 1 << 19 // each takes some hundred bytes when it is decoded
	maxThriftItems   = 1 << 22 // of lists; those that are no structs take up to 24 bytes
)

// errShort is the error of a struct that goes on behind the data.
var errShort = errors.New("want the rest of a struct, have the end of the data")

// A thriftScan walks over a struct of the compact protocol, so that what is decoded then is known to be whole, flat and
// small: the decoder recurses, and believes what lists say of their length.
type thriftScan struct {
	data    []byte
	at      int
	structs int
	items   uint64
	open    []thriftOpen
}

// A thriftOpen is a struct or a list that has not ended.
type thriftOpen struct {
	left  int     // items of a list or a map; -1 of a struct
	items [2]byte // types of the items, which take turns
}

// structEnd returns how many bytes the struct has that data begins with.
func structEnd(data []byte) (int, error) {
	s := thriftScan{data: data, open: []thriftOpen{{left: -1}}}
	for len(s.open) > 0 {
		if err := s.step(); err != nil {
			return 0, err
		}
	}
	return s.at, nil
}

func (s *thriftScan) step() error {
	top := &s.open[len(s.open)-1]
	if top.left == 0 {
		s.open = s.open[:len(s.open)-1]
		return nil
	}
	if top.left > 0 {
		kind := top.items[top.left&1]
		top.left--
		return s.value(kind, true)
	}
	b, err := s.take()
	switch {
	case err != nil:
		return err
	case b == thriftStop:
		s.open = s.open[:len(s.open)-1]
		return nil
	case b>>4 == 0: // the number of the field follows
		if _, err := s.varint(); err != nil {
			return err
		}
	}
	return s.value(b&15, false)
}

func (s *thriftScan) value(kind byte, item bool) error {
	switch kind {
	case thriftTrue, thriftFalse:
		if item {
			return s.skip(1)
		}
		return nil
	case thriftByte:
		return s.skip(1)
	case thriftByte + 1, thriftByte + 2, thriftI64:
		_, err := s.varint()
		return err
	case thriftDouble:
		return s.skip(8)
	case thriftBinary:
		n, err := s.varint()
		if err != nil {
			return err
		}
		return s.skip(n)
	case thriftStruct:
		if s.structs++; s.structs > maxThriftStructs {
			return fmt.Errorf("want at most %d structs, have more", maxThriftStructs)
		}
		return s.push(thriftOpen{left: -1})
	case thriftList, thriftSet, thriftMap:
		return s.list(kind)
	}
	return fmt.Errorf("want a type of Thrift, have %d", kind)
}

func (s *thriftScan) list(kind byte) error {
	var n uint64
	var items [2]byte
	if kind == thriftMap {
		size, err := s.varint()
		if err != nil || size == 0 {
			return err
		}
		b, err := s.take()
		if err != nil {
			return err
		}
		if size > uint64(len(s.data)) {
			return errShort
		}
		n, items = 2*size, [2]byte{b >> 4, b & 15} // the number of items is even before a key
	} else {
		b, err := s.take()
		if err != nil {
			return err
		}
		n, items = uint64(b>>4), [2]byte{b & 15, b & 15}
		if n == 15 {
			if n, err = s.varint(); err != nil {
				return err
			}
		}
	}
	if n > uint64(len(s.data)-s.at) { // each item has a byte at least
		return errShort
	}
	if s.items += n; s.items > maxThriftItems {
		return fmt.Errorf("want at most %d items of lists, have more", maxThriftItems)
	}
	return s.push(thriftOpen{int(n), items})
}

func (s *thriftScan) push(o thriftOpen) error {
	if len(s.open) == maxThriftDepth {
		return fmt.Errorf("want at most %d levels of structs, have more", maxThriftDepth)
	}
	s.open = append(s.open, o)
	return nil
}

func (s *thriftScan) take() (byte, error) {
	if s.at == len(s.data) {
		return 0, errShort
	}
	s.at++
	return s.data[s.at-1], nil
}

func (s *thriftScan) skip(n uint64) error {
	if n > uint64(len(s.data)-s.at) {
		return errShort
	}
	s.at += int(n)
	return nil
}

func (s *thriftScan) varint() (uint64, error) {
	v, n := binary.Uvarint(s.data[s.at:])
	switch {
	case n == 0:
		return 0, errShort
	case n < 0:
		return 0, errors.New("want a number of 64 bits, have a longer one")
	}
	s.at += n
	return v, nil
}
