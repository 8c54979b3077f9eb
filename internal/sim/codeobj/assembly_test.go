package codeobj

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa/asm"
	"github.com/gcnsim/gcnsim/internal/testkit/effort"
)

// text is a program with two functions, constants, and a pointer to one of them.
const text = `	.amdgcn_target "amdgcn-amd-amdhsa--gfx803"
	.text
	.globl	k
	.p2align	8
	.type	k,@function
k:
	s_getpc_b64 s[0:1]
	s_add_u32 s0, s0, pointer@rel32@lo+4
	s_addc_u32 s1, s1, pointer@rel32@hi+12
.Lhere:
	s_endpgm
.Lfunc_end0:
	.p2align 4
helper:
	s_setpc_b64 s[30:31]
.Lfunc_end1:
	.section .rodata,"a",@progbits
	.p2align 6
	.amdhsa_kernel k
		.amdhsa_group_segment_fixed_size 16
		.amdhsa_kernarg_size 12
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_next_free_vgpr 9
		.amdhsa_next_free_sgpr 32
	.end_amdhsa_kernel
table:
	.long 7, 8
	.data
	.p2align 3
pointer:
	.quad table+4
	.amdgpu_metadata
---
amdhsa.kernels:
  - .args:
      - .address_space:  global
        .name:           out
        .offset:         0
        .size:           8
        .type_name:      'uint*'
        .value_kind:     global_buffer
      - .offset:         8
        .size:           4
        .value_kind:     by_value
    .kernarg_segment_size: 12
    .max_flat_workgroup_size: 256
    .name:           k
    .symbol:         k.kd
amdhsa.version:
  - 1
  - 2
...
	.end_amdgpu_metadata
`

func TestAssembly(t *testing.T) {
	require.True(t, IsAssembly([]byte(text)))
	o, err := Parse([]byte(text))
	require.NoError(t, err)
	assert.Equal(t, gcn.GFX803, o.Target)
	assert.Equal(t, 5, o.Version)
	k, err := o.Kernel("k")
	require.NoError(t, err)
	assert.EqualValues(t, 16, k.GroupBytes)
	assert.EqualValues(t, 12, k.KernargBytes)
	assert.EqualValues(t, 256, k.MaxFlatGroupSize)
	assert.Equal(t, 12, k.VGPRs)
	require.Len(t, k.Args, 2)
	assert.Equal(t, Arg{Name: "out", TypeName: "uint*", Size: 8, Kind: GlobalBuffer, ValueKind: "global_buffer",
		addressSpace: "global"}, k.Args[0])
	assert.EqualValues(t, 8, k.Args[1].Offset)

	entry := o.symbol("k")
	require.NotNil(t, entry)
	assert.Equal(t, k.Entry, entry.VAddr)
	assert.EqualValues(t, 24, entry.Size)
	require.NotNil(t, o.symbol("helper"))
	assert.EqualValues(t, 4, o.symbol("helper").Size)
	assert.Nil(t, o.symbol(".Lhere"))
	functions := o.Functions
	require.Len(t, functions, 2)
	for offset, want := range map[uint64]int{0: 7, 4: 8, 12: 9, 20: 11, 32: 15} {
		file, line := o.Line(k.Entry + offset)
		assert.Equal(t, "assembly", file)
		assert.Equal(t, want, line)
	}
	_, line := o.Line(k.Entry + 36)
	assert.Zero(t, line)

	const base = 0x7_0000_0000
	segments, err := Load(o, base)
	require.NoError(t, err)
	at := func(vaddr uint64) []byte {
		for _, s := range segments {
			if vaddr+base-s.VAddr < s.MemSize {
				return s.Data[vaddr+base-s.VAddr:]
			}
		}
		return nil
	}
	pointer, table := o.symbol("pointer").VAddr, o.symbol("table").VAddr
	assert.Equal(t, base+table+4, le.Uint64(at(pointer)))
	assert.EqualValues(t, 7, le.Uint32(at(table)))
	assert.Equal(t, uint32(pointer-k.Entry-4), le.Uint32(at(k.Entry+8))) // relative to the address that S_GETPC returns
	assert.True(t, segments[0].Exec)
	assert.True(t, segments[len(segments)-1].Write)
}

func TestAssemblyErrors(t *testing.T) {
	for _, c := range []struct{ from, to, want string }{
		{".amdgcn_target \"amdgcn-amd-amdhsa--gfx803\"", "", "no directive says for which GCN processor it is; write .amdgcn_target"},
		{"s_endpgm", "s_endpgn", "assembly: 11:2: "},
		{".amdhsa_next_free_vgpr 9", "", "needs .amdhsa_next_free_vgpr"},
		{".size:           8", ".size:           x", "metadata: .size is x, not a 32-bit unsigned integer"},
		{".args:", "&", "metadata: YAML line "},
		{".symbol:         k.kd", ".symbol: l.kd", `there is no symbol "l.kd"`},
		{"group_segment_fixed_size 16", "group_segment_fixed_size 65537", "it wants 65537 bytes of LDS"},
	} {
		_, err := Parse([]byte(strings.Replace(text, c.from, c.to, 1)))
		var e *Error
		require.ErrorAs(t, err, &e, c.want)
		assert.ErrorContains(t, err, c.want)
	}
	_, err := Parse([]byte(strings.Replace(text, "s_endpgm", "s_endpgn", 1)))
	var e *asm.Error
	require.ErrorAs(t, err, &e)
	assert.Equal(t, 11, e.Line)
	_, err = Parse([]byte("s_nop 0"))
	assert.ErrorContains(t, err, "this is not an ELF file, nor text with .amdhsa_kernel; give the output of ld.lld "+
		"-shared or of clang -S")
}

// TestAssemblyOfCompilers compares clang's text output with its object output: kernels and code words must be equal.
func TestAssemblyOfCompilers(t *testing.T) {
	sources, err := filepath.Glob("../../../testdata/kernels/*.cl")
	require.NoError(t, err)
	compared := 0
	every := 16
	if !effort.Full() {
		every = 64
	}
	defer func() { t.Log(compared, "kernels") }()
	for _, c := range []struct{ clang, options string }{
		{"clang-14", "-mcpu=fiji -mcode-object-version=2"}, {"clang-14", "-mcpu=gfx906 -mcode-object-version=3"},
		{"clang-19", "-mcpu=hawaii -O0"}, {"clang-22", "-mcpu=gfx900"},
	} {
		if _, err := exec.LookPath(c.clang); err != nil {
			t.Log(c.clang, "is not installed")
			continue
		}
		for i := 0; i < len(sources); i += every {
			source := sources[i]
			compile := func(how, file string) []byte {
				args := append(strings.Fields("-target amdgcn-amd-amdhsa -nogpulib -O2 -x cl "+c.options), how, "-o", file, source)
				if exec.Command(c.clang, args...).Run() != nil {
					return nil // the compiler does not support the target or the source
				}
				data, err := os.ReadFile(file)
				require.NoError(t, err)
				return data
			}
			dir := t.TempDir()
			object, text := compile("-c", dir+"/k.o"), compile("-S", dir+"/k.s")
			if object == nil || text == nil {
				continue
			}
			want, err := Parse(object)
			if err != nil {
				continue // it needs other objects
			}
			got, err := Parse(text)
			require.NoError(t, err, "%s %s %s", c.clang, c.options, source)
			require.Len(t, got.Kernels, len(want.Kernels))
			compared += len(want.Kernels)
			for i := range want.Kernels {
				w, g := want.Kernels[i], got.Kernels[i]
				w.Entry, w.Descriptor, g.Entry, g.Descriptor = 0, 0, 0, 0
				require.Empty(t, cmp.Diff(w, g, cmp.AllowUnexported(Kernel{}, Arg{})), "%s %s %s", c.clang, c.options, source)
				size := want.symbol(w.Name).Size
				a, _ := want.Bytes(want.Kernels[i].Entry, 4)
				b, _ := got.Bytes(got.Kernels[i].Entry, 4)
				require.Equal(t, a, b)
				if want.Version > 2 {
					require.Equal(t, size, got.symbol(w.Name).Size, "%s %s %s", c.clang, c.options, source)
				}
			}
		}
	}
}

// TestAssemblyMarksNames: LLVM marks names that YAML would parse as another type.
func TestAssemblyMarksNames(t *testing.T) {
	const source = "kernel void n(global int *y, int n, int on, int off, int yes, int no, int null, int nan, int inf) " +
		"{ *y = n + on + off + yes + no + null + nan + inf; }"
	tried := 0
	for _, clang := range []string{"clang-14", "clang-15", "clang-19", "clang-22"} {
		if _, err := exec.LookPath(clang); err != nil {
			t.Log(clang, "is not installed")
			continue
		}
		cmd := exec.Command(clang, strings.Fields("-target amdgcn-amd-amdhsa -mcpu=gfx900 -nogpulib -O2 -x cl "+
			"-cl-kernel-arg-info -S -o - -")...)
		cmd.Stdin, cmd.Stderr = strings.NewReader(source), os.Stderr
		text, err := cmd.Output()
		require.NoError(t, err)
		o, err := Parse(text)
		require.NoError(t, err, clang)
		k, err := o.Kernel("n")
		require.NoError(t, err)
		for i, want := range strings.Fields("y n on off yes no null nan inf") {
			assert.Equal(t, want, k.Args[i].Name, clang)
		}
		tried++
	}
	t.Log(tried, "compilers")
}

// FuzzAssembly replaces a piece of a text. The result must be an object with an image, or an *Error.
func FuzzAssembly(f *testing.F) {
	f.Add(uint16(0), uint16(0), "")
	f.Add(uint16(700), uint16(8), "0x7fffffff")
	f.Add(uint16(1300), uint16(1), "  - [")
	f.Fuzz(func(t *testing.T, at, n uint16, piece string) {
		start := int(at) % len(text)
		end := min(start+int(n), len(text))
		o, err := Parse([]byte(text[:start] + piece + text[end:]))
		var e *Error
		if err != nil {
			require.ErrorAs(t, err, &e)
			return
		}
		_, err = Load(o, 0x1_0000_0000)
		require.NoError(t, err)
		for _, k := range o.Kernels {
			o.Line(k.Entry)
		}
	})
}
