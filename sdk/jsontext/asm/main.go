// Command asm writes the kernel of package jsontext in assembly. It is a module of its own, so that no program links avo.
package main

import (
	"encoding/binary"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

func main() {
	ConstraintExpr("amd64")
	passText()
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
	if t, ok := tables[name]; ok {
		return t
	}
	t := GLOBL(name, RODATA|NOPTR)
	for i := range 4 {
		DATA(8*i, U64(binary.LittleEndian.Uint64(of[i%2*8:])))
	}
	tables[name] = t
	return t
}

// tables are the constants by name.
var tables = map[string]Mem{}

func filled(name string, c uint8) Mem {
	var of [16]uint8
	for i := range of {
		of[i] = c
	}
	return table(name, of)
}

// passText writes the kernel that passes over the text of a string, 64 bytes a step.
func passText() {
	TEXT("passTextAVX2", NOSPLIT, "func(data []byte, at int) (end int)")
	Doc("passTextAVX2 returns the offset of the quote that ends the string which at lies in. It returns 0 when the string has no end or a mistake.",
		"At at begins a character, an escape or a control. Three bytes are before it, and data has 67 at least.")
	begin := Load(Param("data").Base(), GP64())
	last := Load(Param("data").Len(), GP64())
	at := Load(Param("at"), GP64())
	end := GP64()
	MOVQ(last, end)
	SUBQ(Imm(64), last) // the last place of a whole block
	k := kernel{quote: YMM(), slash: YMM(), control: YMM(), live: GP64(), escaped: GP64(), digits: GP64()}
	VMOVDQU(filled("quote", '"'), k.quote)
	VMOVDQU(filled("slash", '\\'), k.slash)
	VMOVDQU(filled("control", ' '-1), k.control)
	MOVQ(I64(-1), k.live)
	XORQ(k.escaped, k.escaped)
	XORQ(k.digits, k.digits)

	Label("block")
	CMPQ(at, last)
	JLE(LabelRef("whole"))
	CMPQ(at, end)
	JGE(LabelRef("none"))
	MOVQ(at, RCX) // the block ends where the data do, and what is before at has been passed over
	SUBQ(last, RCX)
	SHLQ(CL, k.live)
	SHLQ(CL, k.escaped)
	SHLQ(CL, k.digits)
	MOVQ(last, at)
	Label("whole")
	for i := range k.in {
		k.at[i] = Mem{Base: begin, Index: at, Scale: 1, Disp: 32 * i}
		k.in[i] = YMM()
		VMOVDQU(k.at[i], k.in[i])
	}
	k.found, k.bad = GP64(), GP64()
	k.mask(k.found, func(in, out Register) { VPCMPEQB(in, k.quote, out) })
	k.mask(k.bad, func(in, out Register) {
		VPMINUB(in, k.control, out)
		VPCMPEQB(in, out, out)
	})
	k.escapes()
	k.unicode()
	ANDQ(k.live, k.bad)
	ANDQ(k.live, k.found)
	JNZ(LabelRef("found"))
	TESTQ(k.bad, k.bad)
	JNZ(LabelRef("none"))
	ADDQ(Imm(64), at)
	JMP(LabelRef("block"))

	Label("found")
	upto := GP64() // the quote and what is before it
	LEAQ(Mem{Base: k.found, Disp: -1}, upto)
	XORQ(k.found, upto)
	TESTQ(upto, k.bad)
	JNZ(LabelRef("none"))
	BSFQ(k.found, k.found)
	ADDQ(k.found, at)
	VZEROUPPER()
	Store(at, ReturnIndex(0))
	RET()

	Label("none")
	VZEROUPPER()
	XORQ(at, at)
	Store(at, ReturnIndex(0))
	RET()
}

// A kernel holds the registers of passTextAVX2.
type kernel struct {
	quote, slash, control Register  // constants
	live                  GPVirtual // the bytes of the block that have not been passed over
	escaped               GPVirtual // the first one, if what is before it escapes it
	digits                GPVirtual // those that must be hexadecimal digits since an escape is before the block

	at    [2]Mem // the halves of the block
	in    [2]Register
	found GPVirtual // the quotes that end a string
	bad   GPVirtual // the mistakes
}

// mask sets the bits of to for the bytes of the block that set fills with ones.
func (k *kernel) mask(to GPVirtual, set func(in, out Register)) {
	low := GP64()
	for i, bits := range []GPVirtual{low, to} {
		out := YMM()
		set(k.in[i], out)
		VPMOVMSKB(out, bits.As32())
	}
	SHLQ(Imm(32), to)
	ORQ(low, to)
}

// escapes takes the quotes that a backslash escapes out of found, and checks what backslashes escape.
func (k *kernel) escapes() {
	slashes, any := GP64(), GP64()
	k.mask(slashes, func(in, out Register) { VPCMPEQB(in, k.slash, out) })
	ANDQ(k.live, slashes)
	MOVQ(slashes, any)
	ORQ(k.escaped, any)
	ORQ(k.digits, any)
	JZ(LabelRef("escaped"))

	// Every other backslash of a run escapes what follows it. An addition runs through those that begin at an odd bit.
	escaped, starts, odd, next := GP64(), GP64(), GP64(), GP64()
	MOVQ(k.escaped, next)
	NOTQ(next)
	ANDQ(next, slashes)
	LEAQ(Mem{Base: slashes, Index: slashes, Scale: 1}, escaped)
	MOVQ(U64(0xaaaaaaaaaaaaaaaa), odd)
	MOVQ(escaped, starts)
	NOTQ(starts)
	ANDQ(odd, starts)
	ANDQ(slashes, starts)
	XORQ(next, next)
	ADDQ(slashes, starts)
	ADCQ(Imm(0), next)
	ADDQ(starts, starts)
	XORQ(odd, starts)
	NOTQ(starts)
	ANDQ(starts, escaped)
	ORQ(k.escaped, escaped)
	MOVQ(next, k.escaped)
	MOVQ(escaped, any)
	NOTQ(any)
	ANDQ(any, k.found)

	others := GP64()
	k.mask(others, k.outside("escapes", map[uint8]string{2: "\"/", 5: "\\", 6: "bfn", 7: "rtu"}))
	ANDQ(escaped, others)
	ORQ(others, k.bad)

	letter := YMM()
	VMOVDQU(filled("letter", 'u'), letter)
	unicode := GP64()
	k.mask(unicode, func(in, out Register) { VPCMPEQB(in, letter, out) })
	ANDQ(escaped, unicode)
	MOVQ(unicode, any)
	ORQ(k.digits, any)
	JZ(LabelRef("escaped"))
	wanted := GP64()
	MOVQ(k.digits, wanted)
	XORQ(k.digits, k.digits)
	for n := range uint64(4) {
		MOVQ(unicode, any)
		SHLQ(Imm(n+1), any)
		ORQ(any, wanted)
		MOVQ(unicode, any)
		SHRQ(Imm(63-n), any)
		ORQ(any, k.digits)
	}
	k.mask(others, k.outside("digits", map[uint8]string{3: "0123456789", 4: "ABCDEF", 6: "abcdef"}))
	ANDQ(wanted, others)
	ORQ(others, k.bad)
	Label("escaped")
}

// outside returns code that fills the bytes outside of a set of ASCII, which is by the upper halves of its bytes. In the set is a byte for
// whose lower half a table has the bit of its upper half.
func (k *kernel) outside(name string, set map[uint8]string) func(in, out Register) {
	var lower, upper [16]uint8
	for half, chars := range set {
		upper[half] = 1 << half
		for _, c := range []byte(chars) {
			lower[c&15] |= 1 << half
		}
	}
	ofLower, ofUpper := table(name+"Lower", lower), table(name+"Upper", upper)
	return func(in, out Register) {
		half, lookup := YMM(), YMM()
		VMOVDQU(ofLower, lookup)
		VPSHUFB(in, lookup, out) // nothing beyond ASCII
		VPSRLW(Imm(4), in, half)
		VPAND(filled("nibble", 15), half, half)
		VMOVDQU(ofUpper, lookup)
		VPSHUFB(half, lookup, half)
		VPAND(half, out, out)
		VPXOR(half, half, half)
		VPCMPEQB(half, out, out)
	}
}

// unicode notes the mistakes in UTF-8.
func (k *kernel) unicode() {
	any, beyond := YMM(), GP32()
	VPOR(k.in[0], k.in[1], any)
	before := k.at[0]
	before.Disp -= 3
	VPOR(before, any, any)
	VPMOVMSKB(any, beyond)
	TESTL(beyond, beyond)
	JZ(LabelRef("checked"))
	nibble, none := YMM(), YMM()
	VMOVDQU(filled("nibble", 15), nibble)
	VPXOR(none, none, none)
	low, high := GP64(), GP64()
	for i, bits := range []GPVirtual{low, high} {
		in, wrong, lookup, other := k.in[i], YMM(), YMM(), YMM()
		back := func(n int) Register {
			v, at := YMM(), k.at[i]
			at.Disp -= n
			VMOVDQU(at, v)
			return v
		}
		before := back(1)
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
		third, fourth := back(2), back(3)
		VPSUBUSB(filled("third", 0xe0-0x80), third, other)
		VPSUBUSB(filled("fourth", 0xf0-0x80), fourth, fourth)
		VPOR(fourth, other, other)
		VPAND(filled("top", 0x80), other, other) // where a continuation must follow another
		VPXOR(other, wrong, wrong)
		VPCMPEQB(none, wrong, wrong)
		VPMOVMSKB(wrong, bits.As32())
	}
	SHLQ(Imm(32), high)
	ORQ(low, high)
	NOTQ(high)
	ORQ(high, k.bad)
	Label("checked")
}
