package prefilter

import "golang.org/x/sys/cpu"

//go:generate go run -C asm . -out ../kernels_amd64.s

//go:noescape
func classifyAVX2(dst []classes, text []byte)

//go:noescape
func markAVX2(dst []uint64, text []byte, set *[32]byte)

//go:noescape
func followAMD64(dst []classes, text []byte, steps *[1 << 16]step, last uint32) uint32

func init() {
	follow = followAMD64
	if cpu.X86.HasAVX2 {
		classify, mark = classifyAVX2, markAVX2
	}
}
