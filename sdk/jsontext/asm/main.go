// Command asm writes the kernel of package jsontext in assembly. It is a module of its own, so that no program links avo.
package main

import (
	"encoding/binary"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

func main() {
	ConstraintExpr("amd64")
	passPlain()
	Generate()
}

// Kinds of mistakes in UTF-8, by two bytes that follow one another. A byte begins a mistake where the tables for the upper half of
// the byte before it, the lower half of that, and its own upper half have a kind in common. (Keiser and Lemire, Validating UTF-8 In
// Less Than One Instruction Per Byte, 2021.)
const (
	tooShort    = 1 << iota // a sequence ends early
	tooLong                 // a continuation follows ASCII
	overlong3               // three bytes for what needs two
	tooLarge                // beyond U+10FFFF
	surrogate               // U+D800 to U+DFFF
	overlong2               // two bytes for ASCII
	overlong4               // four bytes for what needs three, or far beyond U+10FFFF
	twoContinue             // a continuation follows another; that is right at the end of longer sequences
	carry       = tooShort | tooLong | twoContinue
)

var (
	upperBefore = [16]uint8{
		tooLong, tooLong, tooLong, tooLong, tooLong, tooLong, tooLong, tooLong, twoContinue, twoContinue, twoContinue, twoContinue,
		tooShort | overlong2, tooShort, tooShort | overlong3 | surrogate, tooShort | tooLarge | overlong4,
	}
	lowerBefore = [16]uint8{
		carry | overlong3 | overlong2 | overlong4, carry | overlong2, carry, carry, carry | tooLarge,
		carry | tooLarge | overlong4, carry | tooLarge | overlong4, carry | tooLarge | overlong4, carry | tooLarge | overlong4,
		carry | tooLarge | overlong4, carry | tooLarge | overlong4, carry | tooLarge | overlong4, carry | tooLarge | overlong4,
		carry | tooLarge | overlong4 | surrogate, carry | tooLarge | overlong4, carry | tooLarge | overlong4,
	}
	upper = [16]uint8{
		tooShort, tooShort, tooShort, tooShort, tooShort, tooShort, tooShort, tooShort,
		tooLong | overlong2 | twoContinue | overlong3 | overlong4, tooLong | overlong2 | twoContinue | overlong3 | tooLarge,
		tooLong | overlong2 | twoContinue | surrogate | tooLarge, tooLong | overlong2 | twoContinue | surrogate | tooLarge,
		tooShort, tooShort, tooShort, tooShort,
	}
)

// table returns a constant of 32 bytes: twice the 16 of a table, since instructions look up in each half by itself.
func table(name string, of [16]uint8) Mem {
	t := GLOBL(name, RODATA|NOPTR)
	for i := range 4 {
		DATA(8*i, U64(binary.LittleEndian.Uint64(of[i%2*8:])))
	}
	return t
}

func filled(name string, c uint8) Mem {
	var of [16]uint8
	for i := range of {
		of[i] = c
	}
	return table(name, of)
}

// passPlain writes the kernel that passes over the text of a string, 32 bytes a step.
func passPlain() {
	TEXT("passPlainAVX2", NOSPLIT, "func(data []byte, at int) (end int, stopped bool)")
	Doc("passPlainAVX2 passes over text. It stops at a quote, a backslash or a control if all before it is UTF-8, and else before 32 bytes",
		"with a mistake in UTF-8, or where fewer are left: there the last sequence may not be complete. Three bytes lie before at.")
	begin := Load(Param("data").Base(), GP64())
	left := Load(Param("data").Len(), GP64())
	at := Load(Param("at"), GP64())
	SUBQ(Imm(32), left) // the last place of a whole block
	quote, slash, control := YMM(), YMM(), YMM()
	VMOVDQU(filled("quote", '"'), quote)
	VMOVDQU(filled("slash", '\\'), slash)
	VMOVDQU(filled("control", ' '-1), control)

	Label("block")
	CMPQ(at, left)
	JG(LabelRef("done"))
	in, stops, other := YMM(), YMM(), YMM()
	VMOVDQU(Mem{Base: begin, Index: at, Scale: 1}, in)
	VPCMPEQB(in, quote, stops)
	VPCMPEQB(in, slash, other)
	VPOR(other, stops, stops)
	VPMINUB(in, control, other)
	VPCMPEQB(in, other, other)
	VPOR(other, stops, stops)
	found, beyond := GP32(), GP32()
	VPMOVMSKB(stops, found)
	VPOR(Mem{Base: begin, Index: at, Scale: 1, Disp: -3}, in, other)
	VPMOVMSKB(other, beyond)
	TESTL(beyond, beyond)
	JNZ(LabelRef("unicode"))
	Label("ascii")
	TESTL(found, found)
	JNZ(LabelRef("stop"))
	ADDQ(Imm(32), at)
	JMP(LabelRef("block"))

	Label("unicode")
	nibble, before, lookup, wrong := YMM(), YMM(), YMM(), YMM()
	VMOVDQU(filled("nibble", 15), nibble)
	VMOVDQU(Mem{Base: begin, Index: at, Scale: 1, Disp: -1}, before)
	VPSRLW(Imm(4), before, other)
	VPAND(nibble, other, other)
	VMOVDQU(table("upperBefore", upperBefore), lookup)
	VPSHUFB(other, lookup, wrong)
	VPAND(nibble, before, other)
	VMOVDQU(table("lowerBefore", lowerBefore), lookup)
	VPSHUFB(other, lookup, other)
	VPAND(other, wrong, wrong)
	VPSRLW(Imm(4), in, other)
	VPAND(nibble, other, other)
	VMOVDQU(table("upper", upper), lookup)
	VPSHUFB(other, lookup, other)
	VPAND(other, wrong, wrong)
	VMOVDQU(Mem{Base: begin, Index: at, Scale: 1, Disp: -2}, before)
	VPSUBUSB(filled("third", 0xe0-0x80), before, other)
	VMOVDQU(Mem{Base: begin, Index: at, Scale: 1, Disp: -3}, before)
	VPSUBUSB(filled("fourth", 0xf0-0x80), before, before)
	VPOR(before, other, other)
	VPAND(filled("top", 0x80), other, other) // where a continuation must follow another
	VPXOR(other, wrong, wrong)
	none := YMM()
	VPXOR(none, none, none)
	VPCMPEQB(none, wrong, wrong)
	bad := GP32()
	VPMOVMSKB(wrong, bad)
	NOTL(bad)
	TESTL(bad, bad)
	JZ(LabelRef("ascii"))
	upto := GP32() // the stop and what is before it
	LEAL(Mem{Base: found, Disp: -1}, upto)
	XORL(found, upto)
	TESTL(upto, bad)
	JNZ(LabelRef("done"))

	Label("stop")
	BSFL(found, found)
	ADDQ(found.As64(), at)
	VZEROUPPER()
	Store(at, ReturnIndex(0))
	MOVL(U32(1), bad)
	Store(bad.As8(), ReturnIndex(1))
	RET()

	Label("done")
	VZEROUPPER()
	Store(at, ReturnIndex(0))
	XORL(bad, bad)
	Store(bad.As8(), ReturnIndex(1))
	RET()
}
