package recognise

import "golang.org/x/sys/cpu"

//go:generate go run -C asm . -out ../map_amd64.s

//go:noescape
func classifyAVX2(dst []classes, text []byte)

//go:noescape
func markAVX2(dst []uint64, text []byte, set *[32]byte)

func init() {
	if cpu.X86.HasAVX2 {
		classify, mark = classifyAVX2, markAVX2
	}
}
