package ir

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/cmd/internal/hunt/edge"
	"github.com/gcnsim/gcnsim/internal/testkit/effort"
)

// TestKernels: seeds give kernels that are defined, not empty, and reproducible.
func TestKernels(t *testing.T) {
	empty := 0
	for seed := range uint64(effort.Rounds(200)) {
		k, want := New(edge.Of(seed))
		again, out := New(edge.Of(seed))
		require.Equal(t, k, again)
		require.Equal(t, want, out)
		if k.Body == "" {
			empty++
			continue
		}
		require.Len(t, want, k.Output())
		out, err := k.Run(k.Body)
		require.NoError(t, err)
		require.Equal(t, want, out)
	}
	assert.Zero(t, empty)
}

// TestKernelsAreIR: LLVM accepts the text of kernels.
func TestKernelsAreIR(t *testing.T) {
	llc, err := exec.LookPath("llc-19")
	if err != nil {
		t.Skip("llc-19 is not installed")
	}
	dir := t.TempDir()
	for seed := range uint64(effort.Rounds(20)) {
		k, _ := New(edge.Of(seed))
		name := filepath.Join(dir, "k.ll")
		require.NoError(t, os.WriteFile(name, []byte(k.Text(k.Body)), 0o600))
		out, err := exec.Command(llc, "-O0", "-mcpu=gfx900", "-o", os.DevNull, name).CombinedOutput()
		require.NoError(t, err, "seed %d: %s\n%s", seed, out, k.Text(k.Body))
	}
}

// one executes a body that stores one word. Its inputs are 7, 0x80000001, 3, -4, 5 and 6 in all lanes.
func one(body string) (word uint32, err error) {
	k := &Kernel{Groups: 1}
	for range Lanes {
		for _, v := range []uint32{7, 0x80000001, 3, 0xfffffffc, 5, 6} {
			k.Input = append(k.Input, byte(v), byte(v>>8), byte(v>>16), byte(v>>24))
		}
	}
	out, err := k.Run(body)
	if err != nil {
		return 0, err
	}
	return uint32(out[0]) | uint32(out[1])<<8 | uint32(out[2])<<16 | uint32(out[3])<<24, nil
}

// TestInstructions compares results of instructions with the language reference.
func TestInstructions(t *testing.T) {
	for text, want := range map[string]uint32{
		"add i32 %x0, %x3": 3,
		"call i32 @llvm.amdgcn.perm(i32 %x1, i32 %x3, i32 12)":                                 0xfcfcfc00,
		"call i32 @llvm.amdgcn.perm(i32 %x1, i32 %x3, i32 117967885)":                          0x80ff00ff,
		"call i32 @llvm.amdgcn.perm(i32 %x1, i32 %x3, i32 185207048)":                          0xff00ffff,
		"call i32 @llvm.amdgcn.raw.buffer.load.i32(<4 x i32> %buffer, i32 12, i32 0, i32 0)":   0xfffffffc,
		"call i32 @llvm.amdgcn.raw.buffer.load.i32(<4 x i32> %buffer, i32 1532, i32 0, i32 0)": 6,
		"call i32 @llvm.amdgcn.raw.buffer.load.i32(<4 x i32> %buffer, i32 1536, i32 0, i32 0)": 0,
		"add nuw i32 %x0, %x2":                                     10,
		"sub i32 %x2, %x0":                                         0xfffffffc,
		"mul i32 %x1, %x2":                                         0x80000003,
		"ashr i32 %x1, 4":                                          0xf8000000,
		"lshr i32 %x1, 31":                                         1,
		"shl i32 %x0, 30":                                          0xc0000000,
		"sdiv i32 %x3, %x2":                                        0xffffffff,
		"srem i32 %x1, %x0":                                        0xffffffff,
		"urem i32 %x1, %x0":                                        3,
		"call i32 @llvm.ctlz.i32(i32 %x0, i1 false)":               29,
		"call i32 @llvm.cttz.i32(i32 0, i1 false)":                 32,
		"call i32 @llvm.fshl.i32(i32 %x0, i32 %x1, i32 33)":        15,
		"call i32 @llvm.fshr.i32(i32 %x0, i32 %x1, i32 0)":         0x80000001,
		"call i32 @llvm.ssub.sat.i32(i32 %x1, i32 %x0)":            0x80000000,
		"call i32 @llvm.usub.sat.i32(i32 %x2, i32 %x0)":            0,
		"call i32 @llvm.abs.i32(i32 %x3, i1 false)":                4,
		"call i32 @llvm.bswap.i32(i32 %x0)":                        0x07000000,
		"call i32 @llvm.amdgcn.sbfe.i32(i32 %x0, i32 1, i32 2)":    0xffffffff,
		"call i32 @llvm.amdgcn.sbfe.i32(i32 %x1, i32 28, i32 9)":   0xfffffff8,
		"call i32 @llvm.amdgcn.ubfe.i32(i32 %x0, i32 1, i32 2)":    3,
		"call i32 @llvm.amdgcn.ubfe.i32(i32 %x1, i32 28, i32 9)":   8,
		"call i32 @llvm.amdgcn.mul.i24(i32 %x1, i32 %x3)":          0xfffffffc,
		"call i32 @llvm.amdgcn.mul.u24(i32 %x1, i32 %x2)":          3,
		"call i32 @llvm.amdgcn.sad.u8(i32 %x0, i32 %x2, i32 1)":    5,
		"call i32 @llvm.amdgcn.alignbyte(i32 %x0, i32 %x1, i32 1)": 0x07800000,
		"call i32 @llvm.amdgcn.mbcnt.lo(i32 %x0, i32 9)":           9,
	} {
		got, err := one("%r = " + text + "\nstore i32 %r, ptr addrspace(1) %o0")
		require.NoError(t, err, text)
		assert.Equal(t, want, got, text)
	}
}

// TestOtherLanes checks which lanes the operations across lanes read.
func TestOtherLanes(t *testing.T) {
	for text, want := range map[string]uint32{ // the value that lane 1 reads if each lane has its own number
		"ds.swizzle(i32 %l, i32 31)":                                      1,
		"ds.swizzle(i32 %l, i32 1055)":                                    0, // xor 1
		"ds.swizzle(i32 %l, i32 512)":                                     16,
		"update.dpp.i32(i32 0, i32 %l, i32 166, i32 15, i32 15, i1 true)": 1,
		"update.dpp.i32(i32 0, i32 %l, i32 27, i32 15, i32 15, i1 true)":  2,
		"update.dpp.i32(i32 0, i32 %l, i32 289, i32 15, i32 15, i1 true)": 0,
		"update.dpp.i32(i32 0, i32 %l, i32 290, i32 15, i32 15, i1 true)": 15,
	} {
		got, err := one("%l = call i32 @llvm.amdgcn.mbcnt.lo(i32 -1, i32 0)\n%r = call i32 @llvm.amdgcn." + text +
			"\n%s = call i32 @llvm.amdgcn.readlane(i32 %r, i32 1)\nstore i32 %s, ptr addrspace(1) %o0")
		require.NoError(t, err, text)
		assert.Equal(t, want, got, text)
	}
}

// TestFloatSizes: floats of all sizes, with one rounding.
func TestFloatSizes(t *testing.T) {
	for body, want := range map[string]uint32{
		"%h = sitofp i16 7 to half\n%f = fpext half %h to float\n%r = bitcast float %f to i32":                0x40e00000,
		"%d = uitofp i32 %x1 to double\n%f = fptrunc double %d to float\n%r = bitcast float %f to i32":        0x4f000000,
		"%h = fptrunc float 0x3FF0020000000000 to half\n%i = bitcast half %h to i16\n%r = zext i16 %i to i32": 0x3c00,
		"%h = fptrunc float 0x3FF0020020000000 to half\n%i = bitcast half %h to i16\n%r = zext i16 %i to i32": 0x3c01,
		"%d = call double @llvm.rint.f64(double -0.5)\n%i = bitcast double %d to i64\n%s = lshr i64 %i, 63\n" +
			"%r = trunc i64 %s to i32": 1,
		"%h = fadd half 2048.0, 1.0\n%i = bitcast half %h to i16\n%r = zext i16 %i to i32": 0x6800,
	} {
		got, err := one(body + "\nstore i32 %r, ptr addrspace(1) %o0")
		require.NoError(t, err, body)
		assert.Equal(t, want, got, body)
	}
	_, err := one("%h = fptrunc float 0x3EF0000000000000 to half\n%i = bitcast half %h to i16\n%r = zext i16 %i to i32\n" +
		"store i32 %r, ptr addrspace(1) %o0")
	require.ErrorContains(t, err, "poison") // 2^-16 is a denormal of half
}

// TestDefined: Run refuses programs that use undefined values, and accepts others.
func TestDefined(t *testing.T) {
	const store = "\nstore i32 %r, ptr addrspace(1) %o0"
	for name, body := range map[string]string{
		"poison stored":    "%r = add nsw i32 2147483647, %x0" + store,
		"poison of nuw":    "%r = sub nuw i32 %x2, %x0" + store,
		"shift":            "%r = shl i32 %x0, 32" + store,
		"exact":            "%r = lshr exact i32 %x0, 1" + store,
		"division by 0":    "%z = and i32 %x0, 0\n%r = udiv i32 %x0, %z",
		"overflow":         "%r = sdiv i32 -2147483648, -1",
		"poison condition": "%p = shl i1 true, true\nbr i1 %p, label %a, label %a\na:",
		"no value":         "%r = add i32 %x0, %y",
		"other type":       "%r = add i64 %x0, 1",
		"NaN": "%i = fmul float 0x47E0000000000000, 0x47E0000000000000\n%n = fsub float %i, %i\n" +
			"%r = bitcast float %n to i32",
		"denormal": "%a = fmul float 0x3810000000000000, 0.5",
		"endless":  "br label %a\na:\nbr label %a\nb:",
		"inactive lane": "%b = call i32 @llvm.amdgcn.mbcnt.lo(i32 -1, i32 0)\n%c = icmp eq i32 %b, 3\n" +
			"br i1 %c, label %a, label %b\na:\n%r = call i32 @llvm.amdgcn.readlane(i32 %x0, i32 4)\nbr label %b\nb:",
		"nonsense":           "%r = frobnicate i32 %x0",
		"no branch":          "a:\n%r = add i32 1, 1\nb:",
		"a branch within":    "br label %a\nadd\na:",
		"zeros of two signs": "%r = call float @llvm.minnum.f32(float 0.0, float -0.0)",
	} {
		_, err := one(body)
		assert.ErrorIs(t, err, ErrUndefined, name)
	}
	for name, body := range map[string]string{
		"poison that is not used": "%p = add nsw i32 2147483647, %x0\n%r = select i1 true, i32 4, i32 %p" + store,
		"another block":           "br i1 true, label %a, label %b\na:\n%r = add i32 0, 4" + store + "\nbr label %b\nb:",
		"phi": "br label %loop\nloop:\n%n = phi i32 [ 0, %entry ], [ %m, %loop ]\n%m = add i32 %n, 1\n" +
			"%c = icmp eq i32 %m, 4\nbr i1 %c, label %end, label %loop\nend:\n%r = phi i32 [ %m, %loop ]" + store,
		"phis at once": "br label %loop\nloop:\n%r = phi i32 [ 3, %entry ], [ %s, %loop ]\n%s = phi i32 [ 4, %entry ], " +
			"[ %r, %loop ]\n%n = phi i32 [ 0, %entry ], [ %m, %loop ]\n%m = add i32 %n, 1\n" +
			"%c = icmp eq i32 %m, 4\nbr i1 %c, label %end, label %loop\nend:" + store,
	} {
		got, err := one(body)
		require.NoError(t, err, name)
		assert.EqualValues(t, 4, got, name)
	}
	_, err := one(strings.Repeat("%r = add i32 %x0, 1\n", maxSteps+1))
	assert.ErrorContains(t, err, "executes more than")
}

// smallest applies simplifying steps as long as the body is defined and passes a test.
func smallest(k *Kernel, body string, has func(body string) bool) string {
	for again := true; again; {
		again = false
		for next := range Simpler(body) {
			if _, err := k.Run(next); err == nil && len(next) < len(body) && has(next) {
				body, again = next, true
				break
			}
		}
	}
	return body
}

// TestSimpler: blocks, loops, phis and stores that the test does not need are removed, and their uses are replaced by
// an operand or a constant.
func TestSimpler(t *testing.T) {
	const body = `  %c = icmp ult i32 %x0, %x1
  br i1 %c, label %then, label %else
then:
  %a = add i32 %x2, 5
  br label %join
else:
  %b = urem i32 %x0, 9
  br label %join
join:
  %v = phi i32 [ %a, %then ], [ %b, %else ]
  br label %loop
loop:
  %n = phi i32 [ 0, %join ], [ %m, %loop ]
  %m = add i32 %n, 1
  %d = icmp uge i32 %m, 3
  br i1 %d, label %done, label %loop
done:
  %z = mul i32 %v, %m
  store i32 %z, ptr addrspace(1) %o0
  store i32 %x0, ptr addrspace(1) %o1
`
	k := &Kernel{Groups: 1, Input: make([]byte, 4*inputs*Lanes)}
	for _, want := range []string{`  %b = urem i32 %x0, 9
  store i32 %b, ptr addrspace(1) %o0
`, `  br i1 1, label %then, label %else
then:
  br label %join
else:
  br label %join
join:
  %v = phi i32 [ %x2, %then ], [ %x0, %else ]
  store i32 %v, ptr addrspace(1) %o0
`, `  %z = mul i32 %x2, 0
  store i32 %z, ptr addrspace(1) %o0
`} {
		word := regexp.MustCompile(`urem|phi|mul`).FindString(want)
		got := smallest(k, body, func(body string) bool {
			return strings.Contains(body, word) && strings.Contains(body, "%o0")
		})
		assert.Equal(t, want, got, word)
		assert.Equal(t, word, Signature(got))
	}
}

// TestSignatures: small programs with the same bug, from real hunts, have the same signature; different bugs have
// different ones.
func TestSignatures(t *testing.T) {
	for line := range strings.Lines(smallPrograms) {
		bug, body, _ := strings.Cut(strings.TrimSpace(line), ": ")
		assert.Equal(t, bug, Signature(strings.ReplaceAll(body, "; ", "\n")), body)
	}
}

// smallPrograms are lines of small programs, each list after its signature.
const smallPrograms = `i48: %a = sext i32 %x0 to i48; %b = lshr i48 %a, 16; %c = trunc i48 %b to i32
i48: %a = zext i32 %x2 to i48; %b = add i48 %a, %a; %c = lshr i48 %b, 16; %d = trunc i48 %c to i32
i48: %a = zext i32 %x3 to i48; %b = sdiv i48 %a, 32767; %c = lshr i48 %b, 16; %d = trunc i48 %c to i32
i48: %a = zext i32 %x5 to i48; %b = or i48 %a, 1; %c = urem i48 %a, %b; %d = icmp sgt i48 %c, 32
i24: %a = trunc i32 %x4 to i24; %b = sdiv i24 %a, 8388607; %c = zext i24 %b to i32
sat: %a = call i32 @llvm.usub.sat.i32(i32 %x0, i32 16777216)
sat: %a = call i32 @llvm.uadd.sat.i32(i32 %x2, i32 255)
mbcnt: %a = call i32 @llvm.amdgcn.mbcnt.hi(i32 %x5, i32 %x5); %b = sitofp i32 %a to float
mbcnt: %a = call i32 @llvm.amdgcn.mbcnt.lo(i32 0, i32 %x5); %b = trunc i32 %a to i16; %c = zext i16 %b to i32
mbcnt: %a = call i32 @llvm.amdgcn.mbcnt.hi(i32 %x3, i32 -32); %b = trunc i32 %a to i24; %c = zext i24 %b to i32
sbfe: %a = call i32 @llvm.amdgcn.sbfe.i32(i32 %x3, i32 9, i32 38); %b = mul i32 8, %a; %c = sext i24 1 to i32
ubfe: %a = call i32 @llvm.amdgcn.ubfe.i32(i32 %x5, i32 0, i32 31)
phi: %a = icmp ule i32 255, %x3; %b = phi double [ 1.0, %then31 ], [ 0.5, %else31 ]; %c = bitcast double %b to i64
phi: %a = sitofp i16 %b to half; %c = fcmp ult half %a, %a; %d = phi float [ 1.0, %join57 ], [ -1.0, %else56 ]
mul: %a = and i32 %x3, 16777215; %b = zext i32 %a to i64; %c = mul i64 %b, 255; %d = add i64 %c, 1
mul: %a = and i32 %x3, 16777215; %b = sext i32 %a to i64; %c = mul i64 8, %b; %d = lshr i64 %c, 32
fptrunc: %a = uitofp i32 %x1 to float; %b = fmul float %a, -0.0; %c = fptrunc float %b to half
fptrunc: %a = fpext half %b to float; %c = fmul float %a, %a; %d = fptrunc float %c to half
ashr: %a = bitcast i32 %x5 to <2 x i16>; %b = ashr <2 x i16> %a, <i16 8, i16 8>; %c = bitcast <2 x i16> %b to i32
floor: %a = uitofp i32 %x1 to double; %b = fmul double %a, 0.125; %c = call double @llvm.floor.f64(double %b)
rint: %a = fpext float -0.0 to double; %b = call double @llvm.rint.f64(double %a)
udiv: %a = sext i32 %x1 to i64; %b = udiv i64 %a, 3; %c = lshr i64 %b, 32
ballot: %a = icmp ult i16 %b, 2; %c = call i64 @llvm.amdgcn.ballot.i64(i1 %a); %d = phi i64 [ 1, %b ], [ %c, %e ]
sub: %sum7 = phi i32 [ %x4, %entry ], [ %a, %loop7 ]; %a = sub i32 %sum7, %count7; %b = icmp uge i32 %c, %d`

// TestSimplerIsIR: LLVM accepts the texts after each step on random kernels.
func TestSimplerIsIR(t *testing.T) {
	if !effort.Full() {
		t.Skip("GCNSIM_TESTS=full makes programs smaller")
	}
	llc, err := exec.LookPath("llc-19")
	if err != nil {
		t.Skip("llc-19 is not installed: apt-get install llvm-19")
	}
	name := filepath.Join(t.TempDir(), "k.ll")
	for seed := range uint64(4) {
		k, _ := New(edge.Of(seed))
		body := smallest(k, k.Body, func(body string) bool { return strings.Contains(body, "phi") })
		require.NoError(t, os.WriteFile(name, []byte(k.Text(body)), 0o600))
		out, err := exec.Command(llc, "-O0", "-mcpu=gfx900", "-o", os.DevNull, name).CombinedOutput()
		require.NoError(t, err, "seed %d: %s\n%s", seed, out, k.Text(body))
	}
}

// TestTornTexts: if any piece of a text is removed, as a reduction may do, Run returns a result or an error.
func TestTornTexts(t *testing.T) {
	effort.Long(t)
	word := regexp.MustCompile(`\S+\s*|[(),]`)
	for seed := range uint64(effort.Rounds(14)) {
		k, _ := New(edge.Of(seed))
		pieces := word.FindAllStringIndex(k.Body, -1)
		for n := 0; n < len(pieces); n += 2 + int(seed)%3*2 {
			from, to := pieces[n][0], pieces[min(n+int(seed)%5, len(pieces)-1)][1]
			assert.NotPanics(t, func() { _, _ = k.Run(k.Body[:from] + k.Body[to:]) }, "seed %d, word %d", seed, n)
		}
	}
	for line := range strings.SplitSeq(strings.TrimSpace(calledWith), "\n") {
		for n := range 4 { // too few and too many operands
			operands := strings.TrimSuffix(strings.Repeat("i32 %x0, ", n), ", ")
			assert.NotPanics(t, func() { _, _ = one("%r = call " + fmt.Sprintf(line, operands)) }, line)
		}
	}
}

// calledWith are calls without their operands.
const calledWith = `
i64 @llvm.amdgcn.ballot.i64(%s)
i32 @llvm.amdgcn.readfirstlane(%s)
i32 @llvm.amdgcn.readlane(%s)
i32 @llvm.amdgcn.ds.swizzle(%s)
i32 @llvm.amdgcn.update.dpp.i32(%s)
i32 @llvm.amdgcn.raw.buffer.load.i32(<4 x i32> %%buffer, %s)
i32 @llvm.amdgcn.mbcnt.lo(%s)
i32 @llvm.amdgcn.perm(%s)
i32 @llvm.ctlz.i32(%s)
float @llvm.amdgcn.fmed3.f32(%s)
`
