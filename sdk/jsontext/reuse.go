package jsontext

import "unsafe"

// Reuse returns a list emptied for the next record, or nil when one large record made it grow: that record's memory must
// not be held for good.
func Reuse[T any](list []T) []T {
	var one T
	if uintptr(cap(list))*unsafe.Sizeof(one) > 4<<20 {
		return nil
	}
	return list[:0]
}
