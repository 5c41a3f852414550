// Command asm writes the kernels of package prefilter in assembly. It is a module of its own, so that no program links avo.
package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

func main() {
	ConstraintExpr("amd64")
	classify()
	mark()
	follow()
	Generate()
}

// broadcast returns a register with a byte in all its places. The byte gets a name.
func broadcast(name string, c uint8) VecVirtual {
	table := GLOBL(name, RODATA|NOPTR)
	DATA(0, U8(c))
	v := YMM()
	VPBROADCASTB(table, v)
	return v
}

// classify writes the kernel that finds the digits, quotes, backslashes and at signs of a text, 64 bytes a step.
func classify() {
	TEXT("classifyAVX2", NOSPLIT, "func(dst []uint64, text []byte)")
	Doc("classifyAVX2 does what classifyPlain does. The size of the text is 64 for each block.")
	dst := Load(Param("dst").Base(), GP64())
	text := Load(Param("text").Base(), GP64())
	left := Load(Param("text").Len(), GP64())
	zero, nine, quote, slash, at := broadcast("zero", '0'), broadcast("nine", 9), broadcast("quote", '"'), broadcast("slash", '\\'), broadcast("at", '@')

	Label("classify")
	CMPQ(left, Imm(64))
	JB(LabelRef("classified"))
	for half := range 2 {
		in, digit := YMM(), YMM()
		VMOVDQU(Mem{Base: text, Disp: 32 * half}, in)
		VPSUBB(zero, in, digit)
		low := YMM()
		VPMINUB(nine, digit, low)
		VPCMPEQB(low, digit, digit)
		store := func(class int, v Register) {
			bits := GP32()
			VPMOVMSKB(v, bits)
			MOVL(bits, Mem{Base: dst, Disp: 8*class + 4*half})
		}
		store(0, digit)
		for i, sign := range []Register{quote, slash, at} {
			v := YMM()
			VPCMPEQB(sign, in, v)
			store(1+i, v)
		}
	}
	ADDQ(Imm(64), text)
	ADDQ(Imm(40), dst)
	SUBQ(Imm(64), left)
	JMP(LabelRef("classify"))
	Label("classified")
	VZEROUPPER()
	RET()
}

// mark writes the kernel that finds the bytes of any set. A byte is in the set when the table for the lower or the upper half of all bytes
// has, at its lower four bits, the bit of its upper four.
func mark() {
	TEXT("markAVX2", NOSPLIT, "func(dst []uint64, text []byte, set *[32]byte)")
	Doc("markAVX2 does what markPlain does. The size of the text is 64 for each number.")
	dst := Load(Param("dst").Base(), GP64())
	text := Load(Param("text").Base(), GP64())
	left := Load(Param("text").Len(), GP64())
	set := Load(Param("set"), GP64())
	lower, upper, bit := YMM(), YMM(), YMM()
	VBROADCASTI128(Mem{Base: set}, lower)
	VBROADCASTI128(Mem{Base: set, Disp: 16}, upper)
	bitOf := GLOBL("bits", RODATA|NOPTR)
	for i := range 16 {
		DATA(i, U8(1<<(i%8)))
	}
	VBROADCASTI128(bitOf, bit)
	top, nibble, none := broadcast("top", 0x80), broadcast("nibble", 15), YMM()
	VPXOR(none, none, none)

	Label("mark")
	CMPQ(left, Imm(64))
	JB(LabelRef("marked"))
	for half := range 2 {
		in, a, b := YMM(), YMM(), YMM()
		VMOVDQU(Mem{Base: text, Disp: 32 * half}, in)
		VPSHUFB(in, lower, a) // nothing where the highest bit is set
		VPXOR(top, in, b)
		VPSHUFB(b, upper, b)
		VPOR(a, b, a)
		VPSRLW(Imm(4), in, in)
		VPAND(nibble, in, in)
		VPSHUFB(in, bit, in)
		VPAND(in, a, a)
		VPCMPEQB(none, a, a)
		bits := GP32()
		VPMOVMSKB(a, bits)
		NOTL(bits)
		MOVL(bits, Mem{Base: dst, Disp: 4 * half})
	}
	ADDQ(Imm(64), text)
	ADDQ(Imm(8), dst)
	SUBQ(Imm(64), left)
	JMP(LabelRef("mark"))
	Label("marked")
	VZEROUPPER()
	RET()
}

// follow writes the kernel that looks for pairs of bytes that may follow each other in an anchor, 32 in a step and without a jump between
// them: for each pair it shifts one bit into a register, which is set when the pair shares a group with the one before.
func follow() {
	TEXT("followAMD64", NOSPLIT, "func(dst []uint64, text []byte, steps *uint64, last uint32) uint32")
	Doc("followAMD64 does what followPlain does. The size of the text is 64 for each block.")
	dst := Load(Param("dst").Base(), GP64())
	text := Load(Param("text").Base(), GP64())
	left := Load(Param("text").Len(), GP64())
	steps := Load(Param("steps"), GP64())
	last := Load(Param("last"), GP32())
	pair, found := GP64(), GP64()

	Label("follow")
	CMPQ(left, Imm(64))
	JB(LabelRef("followed"))
	for k := range 32 {
		MOVWQZX(Mem{Base: text, Disp: 2 * k}, pair)
		ANDL(Mem{Base: steps, Index: pair, Scale: 8, Disp: 4}, last)
		NEGL(last)
		ADCL(found.As32(), found.As32())
		MOVL(Mem{Base: steps, Index: pair, Scale: 8}, last)
	}
	MOVQ(found, Mem{Base: dst, Disp: 32})
	ADDQ(Imm(64), text)
	ADDQ(Imm(40), dst)
	SUBQ(Imm(64), left)
	JMP(LabelRef("follow"))
	Label("followed")
	Store(last, ReturnIndex(0))
	RET()
}
