//go:build linux && amd64 && !purego

package block

import (
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/internal/base/vector"
	"github.com/gcnsim/gcnsim/internal/testkit/golden"
)

// encoded is an instruction as text, in the Intel syntax of objdump, and the function that emits it.
type encoded struct {
	text string
	emit func(a *asm)
}

var (
	names64 = strings.Fields("rax rcx rdx rbx rsp rbp rsi rdi r8 r9 r10 r11 r12 r13 r14 r15")
	names32 = strings.Fields("eax ecx edx ebx esp ebp esi edi r8d r9d r10d r11d r12d r13d r14d r15d")
)

// general returns the name of a general register.
func general(wide bool, reg int) string {
	if wide {
		return names64[reg]
	}
	return names32[reg]
}

// place returns the text of memory operand m of the given size.
func place(m mem, size string) string {
	text := names64[m.base]
	if m.index >= 0 {
		text += "+" + names64[m.index] + "*1"
	}
	sign := "+"
	if m.disp < 0 {
		sign, m.disp = "-", -m.disp
	}
	return fmt.Sprintf("%s PTR [%s%s0x%x]", size, text, sign, m.disp)
}

// places are memory operands with and without an index, of low and of high registers.
var places = []mem{at(rdx, 0x40), at(r11, -8), laneOf(rdi, 0x2300), {base: r10, index: r11, disp: 12}}

// generals returns the instructions on general registers.
func generals() (all []encoded) {
	add := func(emit func(a *asm), format string, args ...any) {
		all = append(all, encoded{fmt.Sprintf(format, args...), emit})
	}
	for op, name := range map[opcode]string{opADD: "add", opOR: "or", opADC: "adc", opSBB: "sbb", opAND: "and",
		opSUB: "sub",
		opXOR: "xor", opCMP: "cmp", opTEST: "test", opMOV: "mov"} {
		for _, wide := range []bool{false, true} {
			size := map[bool]string{false: "DWORD", true: "QWORD"}[wide]
			for _, r := range [][2]int{{rax, r9}, {r10, rbx}, {r9, r10}} {
				add(func(a *asm) { a.regs(wide, op, r[0], r[1]) }, "%s %s,%s", name, general(wide, r[1]), general(wide, r[0]))
			}
			for _, m := range places {
				add(func(a *asm) { a.op(wide, op, r9, m, 0) }, "%s %s,%s", name, place(m, size), general(wide, r9))
			}
		}
	}
	for op, name := range map[opcode]string{opADDFrom: "add", opORFrom: "or", opANDFrom: "and", opSUBFrom: "sub",
		opCMPFrom: "cmp", opMOVFrom: "mov", opIMUL: "imul", opBSF: "bsf", opCMOV | ccZero: "cmove",
		opCMOV | ccNotBelow: "cmovae", opCMOV | ccLess: "cmovl", opCMOV | ccMore: "cmovg"} {
		for _, m := range places {
			add(func(a *asm) { a.op(true, op, r9, m, 0) }, "%s r9,%s", name, place(m, "QWORD"))
		}
		add(func(a *asm) { a.regs(false, op, rax, r9) }, "%s eax,r9d", name)
	}
	for _, m := range places {
		add(func(a *asm) { a.op(false, opLEA, r9, m, 0) }, "lea r9d,%s", strings.TrimPrefix(place(m, ""), " PTR "))
		add(func(a *asm) { a.op(false, opMOVZXB, rax, m, 0) }, "movzx eax,%s", place(m, "BYTE"))
		add(func(a *asm) { a.op(false, opMOVZXW, rax, m, 0) }, "movzx eax,%s", place(m, "WORD"))
		add(func(a *asm) { a.op(false, opMOVB, rax, m, 0) }, "mov %s,al", place(m, "BYTE"))
		add(func(a *asm) { a.op(false, opMOVBFrom, rax, m, 0) }, "mov al,%s", place(m, "BYTE"))
		for op, name := range map[int]string{byADD: "add", bySUB: "sub", byCMP: "cmp"} {
			add(func(a *asm) { a.op(false, opByImmB, op, m, 1); a.emit(5) }, "%s %s,0x5", name, place(m, "BYTE"))
			add(func(a *asm) { a.op(true, opByImm8, op, m, 1); a.emit(1) }, "%s %s,0x1", name, place(m, "QWORD"))
			add(func(a *asm) { a.op(true, opByImm, op, m, 4); a.imm32(300) }, "%s %s,0x12c", name, place(m, "QWORD"))
		}
		add(func(a *asm) { a.op(false, opMOVImmB, byMOV, m, 1); a.emit(1) }, "mov %s,0x1", place(m, "BYTE"))
		add(func(a *asm) { a.op(true, opMOVImm, byMOV, m, 4); a.imm32(7) }, "mov %s,0x7", place(m, "QWORD"))
		add(func(a *asm) { a.op(true, opINC, byINC, m, 0) }, "inc %s", place(m, "QWORD"))
		add(func(a *asm) { a.op(false, opINC, byDEC, m, 0) }, "dec %s", place(m, "DWORD"))
		add(func(a *asm) { a.op(false, opINCB, byINC, m, 0) }, "inc %s", place(m, "BYTE"))
		add(func(a *asm) { a.op(false, opINC, byJMP, m, 0) }, "jmp %s", place(m, "QWORD"))
	}
	for _, reg := range []int{rax, rcx, r9, r12} {
		name := names32[reg]
		for op, text := range map[int]string{byADD: "add", bySUB: "sub", byCMP: "cmp"} {
			if reg != rax { // RAX has a form of its own
				add(func(a *asm) { a.byImm(op, reg, 512) }, "%s %s,0x200", text, name)
			}
		}
		for op, text := range map[int]string{bySHL: "shl", bySHR: "shr", bySAR: "sar", byROR: "ror"} {
			add(func(a *asm) { a.regs(false, opShiftImm, op, reg); a.emit(2) }, "%s %s,0x2", text, name)
			add(func(a *asm) { a.regs(true, opShiftCL, op, reg) }, "%s %s,cl", text, names64[reg])
		}
		add(func(a *asm) { a.regs(true, opUnary, byNOT, reg) }, "not %s", names64[reg])
		add(func(a *asm) { a.regs(true, opByImm8, byAND, reg); a.emit(0xfc) }, "and %s,0xfffffffffffffffc", names64[reg])
		add(func(a *asm) { a.value(reg, 1<<31) }, "mov %s,0x80000000", name)
		add(func(a *asm) { a.value(reg, ^uint64(4)) }, "mov %s,0xfffffffffffffffb", names64[reg])
		add(func(a *asm) { a.value(reg, 1<<40) }, "movabs %s,0x10000000000", names64[reg])
		add(func(a *asm) { a.regs(false, opMOVZXB, r10, reg) }, "movzx r10d,%s", map[int]string{rax: "al", rcx: "cl",
			r9: "r9b", r12: "r12b"}[reg])
		add(func(a *asm) { a.regs(true, opMOVSXD, reg, r9) }, "movsxd %s,r9d", names64[reg])
		add(func(a *asm) { a.kmovw(reg) }, "kmovw %s,k1", name)
	}
	for cc, name := range map[byte]string{ccOverflow: "o", ccBelow: "b", ccNotBelow: "ae", ccZero: "e", ccNotZero: "ne",
		ccNotAbove: "be", ccAbove: "a", ccSign: "s", ccLess: "l", ccNotLess: "ge", ccNotMore: "le", ccMore: "g"} {
		add(func(a *asm) { a.regs(false, opSET|opcode(cc), 0, r10) }, "set%s r10b", name)
	}
	add(func(a *asm) { a.op(false, opMXCSR, bySTMXCSR, at(rdx, 16), 0) }, "stmxcsr DWORD PTR [rdx+0x10]")
	add(func(a *asm) { a.op(false, opTESTImmB, byTEST, at(rdx, 16), 1); a.emit(17) }, "test BYTE PTR [rdx+0x10],0x11")
	add(func(a *asm) { a.opcode(opTESTAL); a.emit(3) }, "test al,0x3")
	add(func(a *asm) { a.opcode(opRET) }, "ret")
	add(func(a *asm) { a.opcode(opINT3) }, "int3")
	add(func(a *asm) { a.bitsToMask() }, "kmovw k1,eax")
	add(func(a *asm) { a.emit(kortestw...) }, "kortestw k1,k1")
	return all
}

// mnemonics holds the host's names of the instructions of lists that have three operands.
var mnemonics = map[vector.Opcode]string{
	vector.Add: "vpaddd", vector.Sub: "vpsubd", vector.Mul: "vpmulld", vector.And: "vpand", vector.Or: "vpor",
	vector.Xor: "vpxor", vector.AndNot: "vpandn", vector.Shl: "vpsllvd", vector.Shr: "vpsrlvd", vector.Sar: "vpsravd",
	vector.MinS: "vpminsd", vector.MaxS: "vpmaxsd", vector.MinU: "vpminud", vector.MaxU: "vpmaxud",
	vector.Equal: "vpcmpeqd", vector.Greater: "vpcmpgtd", vector.MulEvenU: "vpmuludq", vector.MulEvenS: "vpmuldq",
	vector.AddB: "vpaddb", vector.SubB: "vpsubb", vector.AverageB: "vpavgb", vector.SubSatB: "vpsubusb",
	vector.SubSatW: "vpsubusw", vector.MaxB: "vpmaxub", vector.EqualB: "vpcmpeqb", vector.GreaterB: "vpcmpgtb",
	vector.MulAddW: "vpmaddwd", vector.MulAddB: "vpmaddubsw", vector.ShuffleB: "vpshufb", vector.AddPS: "vaddps",
	vector.SubPS: "vsubps", vector.MulPS: "vmulps", vector.MaxPS: "vmaxps", vector.DivPD: "vdivpd",
}

// bitwise holds the instructions whose names get the suffix d with sixteen lanes.
var bitwise = map[vector.Opcode]bool{vector.And: true, vector.Or: true, vector.Xor: true, vector.AndNot: true}

// vectors returns the instructions on vectors of so many lanes.
func vectors(lanes int) (all []encoded) {
	add := func(emit func(a *asm), format string, args ...any) {
		all = append(all, encoded{fmt.Sprintf(format, args...), emit})
	}
	v, size := "ymm", "YMMWORD"
	if lanes == 16 {
		v, size = "zmm", "ZMMWORD"
	}
	wide := laneOf(rdi, 0x2300)
	for op, name := range mnemonics {
		first := v + "3"
		if lanes == 16 {
			if bitwise[op] {
				name += "d"
			}
			switch op {
			case vector.Equal, vector.Greater, vector.EqualB, vector.GreaterB: // to a mask register
				first = "k3"
			}
		}
		add(func(a *asm) { a.vex(two(op), 3, 9, 14, mem{}) }, "%s %s,%s9,%s14", name, first, v, v)
		add(func(a *asm) { a.vex(two(op), 3, 9, -1, wide) }, "%s %s,%s9,%s", name, first, v, place(wide, size))
	}
	for op, name := range map[vector.Opcode]string{vector.FromInt: "vcvtdq2ps", vector.Truncate: "vcvttps2dq",
		vector.SqrtPD: "vsqrtpd"} {
		add(func(a *asm) { a.vex(unary[op], 12, 0, 5, mem{}) }, "%s %s12,%s5", name, v, v)
	}
	for op, name := range map[vector.Opcode]string{vector.ShlBy: "vpslld", vector.ShrBy: "vpsrld", vector.SarBy: "vpsrad",
		vector.ShlByW: "vpsllw", vector.ShrByW: "vpsrlw", vector.SarByW: "vpsraw", vector.ShrByQ: "vpsrlq"} {
		c := byCount[op]
		add(func(a *asm) { a.vex(c.form, c.ext, 12, 5, mem{}, 7) }, "%s %s12,%s5,0x7", name, v, v)
	}
	half := map[int]string{8: "xmm", 16: "ymm"}[lanes]
	add(func(a *asm) { a.vex(vmovups, 13, 0, -1, wide) }, "vmovups %s13,%s", v, place(wide, size))
	add(func(a *asm) { a.vex(vmovupsTo, 13, 0, -1, wide) }, "vmovups %s,%s13", place(wide, size), v)
	add(func(a *asm) { a.vex(vmovaps, 13, 0, 2, mem{}) }, "vmovaps %s13,%s2", v, v)
	add(func(a *asm) { a.vex(vbroadcast, 13, 0, -1, at(rsi, 0x40)) }, "vbroadcastss %s13,DWORD PTR [rsi+0x40]", v)
	add(func(a *asm) { a.vex(vspread, 13, 0, 2, mem{}) }, "vpbroadcastd %s13,xmm2", v)
	add(func(a *asm) { a.vex(vmovd, 13, 0, r9, mem{}) }, "vmovd xmm13,r9d")
	add(func(a *asm) { a.vex(vmovdTo, 13, 0, r9, mem{}) }, "vmovd r9d,xmm13")
	add(func(a *asm) { a.vex(toDoubles, 13, 0, 2, mem{}) }, "vcvtps2pd %s13,%s2", v, half)
	add(func(a *asm) { a.vex(toSingles, 13, 0, 2, mem{}) }, "vcvtpd2ps %s13,%s2", half, v)
	add(func(a *asm) { a.vex(vfmadd213ps, 13, 2, 9, mem{}) }, "vfmadd213ps %s13,%s2,%s9", v, v, v)
	if lanes == 16 {
		add(func(a *asm) { a.evex(vmovups, 1|zeroes, 13, 0, -1, wide) }, "vmovups zmm13{k1}{z},%s", place(wide, size))
		add(func(a *asm) { a.evex(vmovupsTo, 1, 13, 0, -1, wide) }, "vmovups %s{k1},zmm13", place(wide, size))
		add(func(a *asm) { a.evex(vpgatherdd, 1, 13, 0, -1, mem{base: r10, index: 9, disp: 8}) },
			"vpgatherdd zmm13{k1},DWORD PTR [r10+zmm9*1+0x8]")
		add(func(a *asm) { a.evex(vpscatterdd, 1, 13, 0, -1, mem{base: r10, index: 9, disp: 8}) },
			"vpscatterdd DWORD PTR [r10+zmm9*1+0x8]{k1},zmm13")
		add(func(a *asm) { a.evex(vpblendmd, 1, 13, 2, 9, mem{}) }, "vpblendmd zmm13{k1},zmm2,zmm9")
		add(func(a *asm) { a.evex(vpblendmb, 1, 13, 2, 9, mem{}) }, "vpblendmb zmm13{k1},zmm2,zmm9")
		add(func(a *asm) { a.evex(vpcmpud, 0, 1, 2, 9, mem{}, 1) }, "vpcmpltud k1,zmm2,zmm9")
		add(func(a *asm) { a.evex(vptestmd, 0, 1, 2, 9, mem{}) }, "vptestmd k1,zmm2,zmm9")
		add(func(a *asm) { a.vex(vpternlogd, 13, 2, 9, mem{}, 0x96) }, "vpternlogd zmm13,zmm2,zmm9,0x96")
		add(func(a *asm) { a.toMask(maskOfLanes, 13) }, "vpmovd2m k1,zmm13")
		add(func(a *asm) { a.toMask(maskOfBytes, 13) }, "vpmovb2m k1,zmm13")
		add(func(a *asm) { a.vex(lanesOfMask, 13, 0, 1, mem{}) }, "vpmovm2d zmm13,k1")
		add(func(a *asm) { a.vex(bytesOfMask, 13, 0, 1, mem{}) }, "vpmovm2b zmm13,k1")
		add(func(a *asm) { a.upperHalf(13, 2) }, "vextractf32x8 ymm13,zmm2,0x1")
		add(func(a *asm) { a.halves(13, 2, 9) }, "vinsertf32x8 zmm13,zmm2,ymm9,0x1")
		return all
	}
	add(func(a *asm) { a.vex(vmaskmovps, 13, 2, -1, wide) }, "vmaskmovps ymm13,ymm2,%s", place(wide, size))
	add(func(a *asm) { a.vex(vmaskmovTo, 13, 2, -1, wide) }, "vmaskmovps %s,ymm2,ymm13", place(wide, size))
	add(func(a *asm) { a.vex(vpgatherdd, 13, 2, -1, mem{base: r10, index: 9, disp: 8}) },
		"vpgatherdd ymm13,DWORD PTR [r10+ymm9*1+0x8],ymm2")
	add(func(a *asm) { a.vex(vblendvps, 13, 2, 9, mem{}, 4<<4) }, "vblendvps ymm13,ymm2,ymm9,ymm4")
	add(func(a *asm) { a.vex(vpblendvb, 13, 2, 9, mem{}, 4<<4) }, "vpblendvb ymm13,ymm2,ymm9,ymm4")
	add(func(a *asm) { a.vex(two(vector.OddOf), 13, 2, 9, mem{}, 0xaa) }, "vpblendd ymm13,ymm2,ymm9,0xaa")
	add(func(a *asm) { a.vex(two(vector.ComparePS), 13, 2, 9, mem{}, unordered) }, "vcmpunordps ymm13,ymm2,ymm9")
	add(func(a *asm) { a.vex(unary[vector.RoundPS], 13, 0, 9, mem{}, 8) }, "vroundps ymm13,ymm9,0x8")
	add(func(a *asm) { a.signs(r9, 13) }, "vmovmskps r9d,ymm13")
	add(func(a *asm) { a.vex(vptest, 13, 0, 2, mem{}) }, "vptest ymm13,ymm2")
	add(func(a *asm) { a.upperHalf(13, 2) }, "vextractf128 xmm13,ymm2,0x1")
	add(func(a *asm) { a.halves(13, 2, 9) }, "vinsertf128 ymm13,ymm2,xmm9,0x1")
	return all
}

var spaces = regexp.MustCompile(` +`)

// disassembled returns the text of each instruction of code, printed by objdump; nil if there is no objdump.
func disassembled(t *testing.T, code []byte) (texts []string) {
	if _, err := exec.LookPath("objdump"); err != nil {
		t.Log("objdump is not installed: bytes are compared with those recorded, whose text it said")
		return nil
	}
	file := filepath.Join(t.TempDir(), "code")
	require.NoError(t, os.WriteFile(file, code, 0o600))
	out, err := exec.CommandContext(t.Context(), "objdump", "-D", "-b", "binary", "-m", "i386:x86-64", "-M", "intel",
		"--no-show-raw-insn", file).Output()
	require.NoError(t, err)
	for line := range strings.Lines(string(out)) {
		if _, text, ok := strings.Cut(line, ":\t"); ok {
			text, _, _ = strings.Cut(strings.TrimSpace(text), " #")
			texts = append(texts, strings.TrimPrefix(spaces.ReplaceAllString(text, " "), "rex "))
		}
	}
	return texts
}

// TestEncodings checks that each instruction which the compiler emits has the bytes recorded beside its text, and
// that objdump prints this text for them.
func TestEncodings(t *testing.T) {
	var recorded strings.Builder
	for _, lanes := range []int{8, 16} {
		all := vectors(lanes)
		if lanes == 8 {
			all = append(generals(), all...)
		}
		slices.SortFunc(all, func(a, b encoded) int { return strings.Compare(a.text, b.text) })
		a := newAsm(lanes, 1)
		for _, e := range all {
			from := len(a.code)
			e.emit(a)
			fmt.Fprintf(&recorded, "%-26s%s\n", hex.EncodeToString(a.code[from:]), e.text)
		}
		for i, text := range disassembled(t, a.code) {
			require.Equal(t, all[i].text, text)
		}
	}
	golden.Compare(t, "testdata/encodings.txt", []byte(recorded.String()))
}

// TestAllInstructionsHaveNames checks that TestEncodings tries each instruction on two vectors.
func TestAllInstructionsHaveNames(t *testing.T) {
	for op, f := range binary2 {
		if f != (form{}) && vector.Opcode(op) != vector.OddOf && vector.Opcode(op) != vector.ComparePS {
			require.NotEmpty(t, mnemonics[vector.Opcode(op)], vector.Opcode(op).Name())
		}
	}
}
