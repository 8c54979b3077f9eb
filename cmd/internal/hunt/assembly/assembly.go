// Package assembly writes random kernels in assembly text that is valid for all processors: straight blocks of
// vector, scalar, LDS and memory instructions, with as few waits as possible. All assemblers must produce code with
// the same output, and checks of waits must find nothing.
package assembly

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/gcnsim/gcnsim/cmd/internal/hunt/edge"
)

// Work-groups have one wave. Each work-item has a fixed number of 32-bit words of input and of output.
const (
	Lanes   = 64
	inputs  = 6
	outputs = 4
)

// Registers: v0 has the work-item's number. The next ones have its address in the input, in the output, and in LDS.
// Values follow.
const (
	inputAt, outputAt, ldsAt = "v1", "v2", "v3"
	firstVector, vectors     = 4, 16
	firstScalar, scalars     = 16, 8
)

// Kernel is a generated kernel.
type Kernel struct {
	edge.Origin
	Groups int
	Input  []byte // content of the second argument
	Body   string // instructions between head and tail
}

// Output returns the size of the first argument in bytes.
func (k *Kernel) Output() int { return 4 * outputs * Lanes * k.Groups }

// head computes addresses: s[4:7] are the two pointers; s[8:11] and s[12:15] are V#s from these addresses on, without
// limit.
const head = `.text
.globl k
.p2align 8
.type k,@function
k:
  s_mov_b32 m0, -1
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_mov_b32 v3, s2
  v_mul_u32_u24 v3, 64, v3
  v_or_b32 v3, v3, v0
  v_mul_u32_u24 v1, 24, v3
  v_lshlrev_b32 v2, 4, v3
  v_lshlrev_b32 v3, 2, v0
  s_waitcnt lgkmcnt(0)
  s_mov_b32 s8, s4
  s_mov_b32 s9, s5
  s_mov_b32 s12, s6
  s_mov_b32 s13, s7
  s_mov_b32 s10, -1
  s_mov_b32 s14, -1
  s_mov_b32 s11, 0x27000
  s_mov_b32 s15, 0x27000
`

// tail ends the kernel, and contains its descriptor.
const tail = `  s_endpgm
.Lend:
.size k, .Lend-k
.section .rodata,"a"
.p2align 6
.amdhsa_kernel k
  .amdhsa_group_segment_fixed_size 256
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_system_sgpr_workgroup_id_x 1
  .amdhsa_next_free_vgpr 24
  .amdhsa_next_free_sgpr 32
.end_amdhsa_kernel
.amdgpu_metadata
amdhsa.kernels:
  - .args:
      - .address_space: global
        .offset: 0
        .size: 8
        .value_kind: global_buffer
      - .address_space: global
        .offset: 8
        .size: 8
        .value_kind: global_buffer
    .group_segment_fixed_size: 256
    .kernarg_segment_align: 8
    .kernarg_segment_size: 16
    .max_flat_workgroup_size: 64
    .name: k
    .private_segment_fixed_size: 0
    .sgpr_count: 32
    .symbol: k.kd
    .vgpr_count: 24
    .wavefront_size: 64
amdhsa.version:
  - 1
  - 1
.end_amdgpu_metadata
`

// Text returns the program for a body, the kernel's own or a reduced one.
func (k *Kernel) Text(body string) string {
	return fmt.Sprintf("// %v\n%s%s%s", k.Origin, head, body, tail)
}

// New returns the kernel for an origin, always the same.
func New(from edge.Origin) *Kernel {
	r := from.Rand(0x6173_6d)
	g := &generator{Rand: r, k: &Kernel{Origin: from, Groups: 1 + r.IntN(2)}}
	g.k.Input = edge.Data(r, inputs*Lanes*g.k.Groups)
	g.program()
	return g.k
}

// forms are instructions. D is a vector register that is written and V one that is read. S is a scalar register or a
// constant, A any of these. T is a scalar register that is written. N is a number below 32.
var forms = []string{
	"v_mov_b32 D, A", "v_not_b32 D, A", "v_bfrev_b32 D, A", "v_ffbh_u32 D, A", "v_ffbl_b32 D, A",
	"v_and_b32 D, A, V", "v_or_b32 D, A, V", "v_xor_b32 D, A, V", "v_min_i32 D, A, V", "v_max_u32 D, A, V",
	"v_lshlrev_b32 D, N, V", "v_lshrrev_b32 D, N, V", "v_ashrrev_i32 D, A, V", "v_mul_u32_u24 D, A, V",
	"v_mul_i32_i24 D, A, V", "v_mul_hi_u32_u24 D, A, V", "v_cndmask_b32 D, V, V, vcc",
	"v_bfe_u32 D, A, V, N", "v_bfe_i32 D, V, N, A", "v_bfi_b32 D, A, V, V", "v_alignbit_b32 D, A, V, N",
	"v_alignbyte_b32 D, V, A, V", "v_mad_u32_u24 D, A, V, V", "v_mad_i32_i24 D, V, A, V", "v_sad_u32 D, A, V, V",
	"v_sad_u8 D, V, A, V", "v_mul_lo_u32 D, A, V", "v_mul_hi_u32 D, A, V", "v_mul_hi_i32 D, A, V",
	"v_min3_u32 D, A, V, V", "v_med3_i32 D, A, V, V", "v_max3_i32 D, V, V, A", "v_cubeid_f32 D, V, V, V",
	"v_cvt_f32_u32 D, A", "v_cvt_f32_ubyte1 D, A", "v_bcnt_u32_b32 D, A, V", "v_mbcnt_lo_u32_b32 D, A, V",
	"v_cmp_lt_u32 vcc, A, V", "v_cmp_ge_i32 vcc, A, V", "v_cmp_ne_u32 vcc, A, V", "v_cmp_eq_u32 vcc, A, V",
	"s_mov_b32 T, S", "s_not_b32 T, S", "s_and_b32 T, S, S", "s_xor_b32 T, S, S", "s_add_u32 T, S, S",
	"s_mul_i32 T, S, S", "s_lshl_b32 T, S, N", "s_bfe_u32 T, S, 0x80003", "s_cselect_b32 T, S, S", "s_brev_b32 T, S",
}

// constants are numbers that instructions encode without a literal.
var constants = []string{"0", "1", "2", "7", "31", "64", "-1", "-16"}

// generator writes the body of a kernel.
type generator struct {
	*rand.Rand
	k    *Kernel
	text strings.Builder
	// vm and lgkm are the registers with outstanding results, in order. A store is "".
	vm, lgkm []string
}

// program writes instructions, and stores of some values.
func (g *generator) program() {
	for i := range vectors {
		if i < inputs {
			g.issue(&g.vm, fmt.Sprintf("v%d", firstVector+i), "buffer_load_dword %s, %s, s[12:15], 0 offen offset:%d",
				inputAt, 4*i)
		} else {
			g.line("v_mov_b32 v%d, %#x", firstVector+i, edge.Number(g.Rand))
		}
	}
	for i := range scalars {
		g.line("s_mov_b32 s%d, %#x", firstScalar+i, edge.Number(g.Rand))
	}
	g.line("s_cmp_lg_u32 s%d, 3", firstScalar)
	g.line("s_mov_b64 vcc, s[%d:%d]", firstScalar, firstScalar+1)
	for range 20 + g.IntN(40) {
		switch g.IntN(12) {
		case 0:
			g.lds()
		case 1:
			g.issue(&g.vm, g.vector(), "buffer_load_dword %s, %s, s[12:15], 0 offen offset:%d", inputAt, 4*g.IntN(inputs))
		default:
			g.compute()
		}
	}
	for i := range outputs {
		v := g.vector()
		g.arrived(v)
		g.issue(&g.vm, "", "buffer_store_dword %s, %s, s[8:11], 0 offen offset:%d", v, outputAt, 4*i)
	}
	g.k.Body = g.text.String()
}

// line writes an instruction.
func (g *generator) line(format string, args ...any) { fmt.Fprintf(&g.text, "  "+format+"\n", args...) }

// vector returns a random vector register with a value.
func (g *generator) vector() string { return fmt.Sprintf("v%d", firstVector+g.IntN(vectors)) }

// scalar returns a random scalar register with a value.
func (g *generator) scalar() string { return fmt.Sprintf("s%d", firstScalar+g.IntN(scalars)) }

// compute writes an instruction without a memory access, with at most one scalar register or constant.
func (g *generator) compute() {
	form, rest, _ := strings.Cut(g.k.One(g.Rand, forms...), " ")
	scalar := ""
	var registers []string
	var text strings.Builder
	for _, c := range rest {
		word := string(c)
		switch c {
		case 'D', 'V':
			word = g.vector()
		case 'T':
			word = g.scalar()
		case 'N':
			word = fmt.Sprint(g.IntN(32))
		case 'S', 'A':
			word = g.vector()
			if c == 'S' || scalar == "" && g.IntN(3) == 0 {
				if word = g.scalar(); g.IntN(2) == 0 {
					word = constants[g.IntN(len(constants))]
				}
				scalar = word
			}
		}
		if word[0] == 'v' && len(word) > 1 {
			registers = append(registers, word)
		}
		text.WriteString(word)
	}
	g.arrived(registers...)
	g.line("%s %s", form, text.String())
}

// lds writes a value of every work-item to LDS, and reads a value of another work-item.
func (g *generator) lds() {
	v := g.vector()
	g.arrived(v)
	g.issue(&g.lgkm, "", "ds_write_b32 %s, %s", ldsAt, v)
	at, to := g.vector(), g.vector()
	g.arrived(at)
	g.line("v_and_b32 %s, 0xfc, %s", at, at)
	switch g.IntN(3) {
	case 0:
		g.issue(&g.lgkm, to, "ds_read_b32 %s, %s", at)
	case 1:
		g.issue(&g.lgkm, to, "ds_read_u8 %s, %s offset:1", at)
	default:
		g.arrived(v)
		g.issue(&g.lgkm, to, "ds_max_rtn_u32 %s, %s, %s", ldsAt, v)
	}
}

// issue writes an instruction that accesses memory. to is the loaded register, the first argument of the format.
func (g *generator) issue(counter *[]string, to, format string, args ...any) {
	if to != "" {
		g.arrived(to)
		args = append([]any{to}, args...)
	}
	g.line(format, args...)
	*counter = append(*counter, to)
}

// arrived writes the waits that are needed before registers are used.
func (g *generator) arrived(registers ...string) {
	for _, c := range []struct {
		counter *[]string
		name    string
	}{{&g.vm, "vmcnt"}, {&g.lgkm, "lgkmcnt"}} {
		for i, to := range slices.Backward(*c.counter) {
			if slices.Contains(registers, to) {
				*c.counter = (*c.counter)[i+1:]
				g.line("s_waitcnt %s(%d)", c.name, len(*c.counter))
				break
			}
		}
	}
}
