package jsontext

import "golang.org/x/sys/cpu"

//go:generate go run -C asm . -out ../check_amd64.s

//go:noescape
func passPlainAVX2(data []byte, at int) (end int, stopped bool)

var hasAVX2 = cpu.X86.HasAVX2
