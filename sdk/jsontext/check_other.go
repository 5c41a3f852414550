//go:build !amd64

package jsontext

var hasAVX2 = false

func passPlainAVX2(_ []byte, at int) (end int, stopped bool) { return at, false }
