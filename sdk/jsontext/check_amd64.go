package jsontext

import "golang.org/x/sys/cpu"

//go:generate go run -C asm . -out ../check_amd64.s

//go:noescape
func passTextAVX2(data []byte, at int) (end int)

var hasAVX2 = cpu.X86.HasAVX2
