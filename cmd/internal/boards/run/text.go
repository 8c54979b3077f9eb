package run

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/gcnsim/gcnsim/cmd/internal/boards"
	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/sim/timing"
	"github.com/gcnsim/gcnsim/sim"
)

// text is a kernel in assembly. It is used for figures that measure a few instructions of one wave, or so many
// instructions that a stored object would be large. s[0:1] has the address of a buffer.
type text struct {
	code   func(n int) string // n is the length; without s_endpgm
	vgprs  int                // 0 means 16
	group  int                // work-items in a work-group
	groups func(n int) int    // nil means one work-group

	// A figure is the difference in clocks of two executions with these lengths, divided by their difference.
	short, long int
	by          float64
	// If long is 0, it is instead the time between the issue of two instructions of a wave. Caches are warm.
	from, to int
}

// repeated returns code that repeats a line n times.
func repeated(line string) func(n int) string {
	return func(n int) string { return strings.Repeat(line+"\n", n) }
}

// fixedCode is code of one length.
func fixedCode(lines string) func(int) string { return func(int) string { return lines } }

// A vertex shader from AMD's documentation of the Radeon GPU Profiler: inputs, constants, then products and sums in
// four chains.
const (
	vertexInputs = "tbuffer_load_format_xyzw v[4:7], v0, s[4:7], 0 " +
		"format:[BUF_DATA_FORMAT_32_32_32_32,BUF_NUM_FORMAT_FLOAT] idxen\n"
	vertexStart = `s_load_dwordx2 s[4:5], s[0:1], 0
s_mov_b32 s7, 0x77fac
s_movk_i32 s6, 64
s_waitcnt lgkmcnt(0)
s_or_b32 s5, s5, 0x380000
s_nop 0
`
)

// texts are the kernels in assembly.
var texts = map[string]text{
	"launch_1": launch(1), "launch_2": launch(2), "launch_5": launch(5), "launch_7": launch(7), "launch_8": launch(8),
	"cold_code":     {code: repeated("v_add_f32 v1, v2, v3"), group: 64, short: 64, long: 128, by: 4},
	"flat_in_order": {code: loads, group: 64, short: 16, long: 48, by: 32},
	"trace_inputs": {group: 64, from: 6, to: 10, code: fixedCode(vertexStart + strings.Repeat(vertexInputs, 3) +
		strings.NewReplacer("_xyzw", "_xy", "v[4:7]", "v[4:5]", "32_32_32_32", "32_32").Replace(vertexInputs) + "s_nop 0")},
	"trace_chains": {group: 64, from: 6, to: 22, code: fixedCode(vertexStart +
		repeated("v_mul_f32 v4, s4, v0\nv_mac_f32 v5, s4, v0\nv_mac_f32 v6, s4, v0\nv_add_f32 v7, s4, v0")(4))},
	"trace_scalar": {group: 64, from: 6, to: 13, code: fixedCode(vertexStart + "s_load_dwordx4 s[8:11], s[0:1], 0\n" +
		repeated("v_add_f32 v1, v2, v3")(5) + "s_waitcnt lgkmcnt(0)")},
	"clock_lds":    clocked("v_mov_b32 v1, 0\ns_mov_b32 m0, -1", "ds_read_b32 v2, v1"),
	"clock_scalar": clocked("s_nop 0\ns_nop 0", "s_load_dword s8, s[0:1], 0"),
}

// launch is a kernel that ends at once, with the given number of waves in a work-group.
func launch(waves int) text {
	return text{code: fixedCode(""), group: 64 * waves, groups: func(n int) int { return n }, short: 128, long: 1024,
		by: 896}
}

// loads returns n loads of 64 consecutive dwords. The wave waits for each before it issues the next.
func loads(n int) string {
	return "s_load_dwordx2 s[2:3], s[0:1], 0\nv_lshlrev_b32 v0, 2, v0\ns_waitcnt lgkmcnt(0)\nv_mov_b32 v1, s3\n" +
		"v_or_b32 v0, s2, v0\n" + repeated("flat_load_dword v2, v[0:1]\ns_waitcnt vmcnt(0) & lgkmcnt(0)")(n)
}

// clocked reads the clock before and after an access and its wait.
func clocked(before, access string) text {
	const wait = "s_waitcnt lgkmcnt(0)\ns_waitcnt vmcnt(0)\n"
	return text{group: 64, from: 4, to: 8, code: fixedCode(before + "\n" + wait + "s_memtime s[2:3]\n" + access + "\n" +
		wait + "s_memtime s[4:5]\n" + wait)}
}

// mixes are the element types of mixbench, with the code of a step, t = t * t + s, and of the final sum.
var mixes = map[byte]struct {
	size       int
	steps, sum string
}{
	'f': {4, "v_mad_f32 vAT, vAT, vAT, s11\n", "v_add_f32 v6, v6, vAT\n"},
	'i': {4, "v_mul_lo_u32 vAT, vAT, vAT\nv_add_i32 vAT, vcc, s11, vAT\n", "v_add_i32 v6, vcc, v6, vAT\n"},
	'd': {8, "v_fma_f64 v[AT:LAST], v[AT:LAST], v[AT:LAST], s[12:13]\n", "v_add_f64 v[6:7], v[6:7], v[AT:LAST]\n"},
}

const mixElements, mixGroups, mixGroup = 32, 4096, 256

// mix returns the code of a mixbench that only reads, such as mix_f16. Each item processes 32 elements of a type,
// whose distance is the number of items, with a number of steps each. Like compilers, it computes addresses from
// 64-bit indices.
func mix(name string, target gcn.Target, groups int) (kernel text, size, steps int) {
	k := mixes[name[0]]
	steps, _ = strconv.Atoi(name[1:])
	width := k.size / 4
	at := func(i int) int { return 8 + i*width }
	var b strings.Builder
	fmt.Fprintf(&b, "s_load_dwordx2 s[4:5], s[0:1], 0\ns_mul_i32 s8, s2, %d\nv_add_i32 v0, vcc, s8, v0\n"+
		"s_mov_b32 s9, %d\ns_waitcnt lgkmcnt(0)\nv_mov_b32 v5, s5\n", mixGroup, groups*mixGroup)
	for i := range mixElements {
		load := fmt.Sprintf("dword v%d", at(i))
		if width == 2 {
			load = fmt.Sprintf("dwordx2 v[%d:%d]", at(i), at(i)+1)
		}
		fmt.Fprintf(&b, "v_ashrrev_i32 v1, 31, v0\nv_lshl_b64 v[2:3], v[0:1], %d\nv_add_i32 v2, vcc, s4, v2\n"+
			"v_addc_u32 v3, vcc, v3, v5, vcc\nflat_load_%s, v[2:3]\nv_add_i32 v0, vcc, s9, v0\n", 1+width, load)
	}
	for i := range mixElements {
		fmt.Fprintf(&b, "s_waitcnt vmcnt(%d)\n", min(mixElements-1-i, 15))
		reg := strings.NewReplacer("LAST", strconv.Itoa(at(i)+width-1), "AT", strconv.Itoa(at(i)))
		b.WriteString(reg.Replace(strings.Repeat(k.steps, steps) + k.sum))
	}
	code := b.String()
	if target.Gen() >= gcn.GCN12 { // the same instructions have other names there
		code = strings.ReplaceAll(code, "v_add_i32", "v_add_u32")
		code = strings.NewReplacer("v_lshl_b64 v[2:3], v[0:1], 2", "v_lshlrev_b64 v[2:3], 2, v[0:1]",
			"v_lshl_b64 v[2:3], v[0:1], 3", "v_lshlrev_b64 v[2:3], 3, v[0:1]").Replace(code)
	}
	return text{code: fixedCode(code), vgprs: at(mixElements), group: mixGroup,
		groups: func(int) int { return groups }}, k.size, steps
}

// mixed predicts a figure of mixbench. It simulates a part of the board with the board's number of waves on a compute
// unit.
func mixed(ctx context.Context, f *boards.Figure, p timing.Params, target gcn.Target) (float64, *timing.Result, error) {
	groups := mixGroups
	if p.CUs%part == 0 {
		reduce(&p)
		groups /= part
	}
	k, size, steps := mix(strings.TrimPrefix(f.Kernel, "mix_"), target, groups)
	res, err := k.run(ctx, p, target, 0, groups*mixGroup*mixElements*size, nil)
	if err != nil {
		return 0, nil, err
	}
	counted := float64(1 + 2*steps)
	if f.Unit == "GB/s" {
		counted = float64(size)
	}
	return counted * mixGroups * mixGroup * mixElements / float64(res.Cycles) * float64(p.ClockMHz) / 1000, res, nil
}

// run executes k with length n and a buffer of the given size. It executes k twice if the spans of the second, warm
// execution are needed.
func (k *text) run(ctx context.Context, p timing.Params, target gcn.Target, n, bytes int, on func(*timing.Span)) (
	*timing.Result, error) {
	m := sim.New(target)
	groups := 1
	if k.groups != nil {
		groups = k.groups(n)
	}
	r := job{machine: m, params: p, object: k.object(target, n), kernel: "k", times: 1}
	if on != nil {
		r.times, r.span = 2, on
	}
	return r.run(ctx, sim.Launch{Grid: [3]uint32{uint32(groups * k.group)}, Group: [3]uint32{uint32(k.group)},
		Args: []sim.Arg{sim.BufferArg(m.Alloc(bytes))}})
}

// predict returns the number of clocks that f measures.
func (k *text) predict(ctx context.Context, p timing.Params, target gcn.Target) (float64, *timing.Result, error) {
	const bytes = 4096
	if k.long == 0 {
		p.CUs, p.ShaderEngines = 1, 1 // both executions use the same compute unit
		issue := map[int]uint64{}     // issue times of the latest wave
		res, err := k.run(ctx, p, target, 0, bytes, func(s *timing.Span) { issue[s.Seq] = s.Issue })
		return float64(issue[k.to] - issue[k.from]), res, err
	}
	short, err := k.run(ctx, p, target, k.short, bytes, nil)
	if err != nil {
		return 0, nil, err
	}
	long, err := k.run(ctx, p, target, k.long, bytes, nil)
	if err != nil {
		return 0, nil, err
	}
	return float64(long.Cycles-short.Cycles) / k.by, long, nil
}

// object returns the text of a code object with k.
func (k *text) object(target gcn.Target, n int) []byte {
	vgprs := max(k.vgprs, 16)
	return fmt.Appendf(nil, `.amdgcn_target "amdgcn-amd-amdhsa--%[1]v"
k:
%[2]s
s_endpgm
.rodata
.p2align 6
.amdhsa_kernel k
.amdhsa_user_sgpr_kernarg_segment_ptr 1
.amdhsa_next_free_vgpr %[3]d
.amdhsa_next_free_sgpr 16
.amdhsa_group_segment_fixed_size 64
.end_amdhsa_kernel
.amdgpu_metadata
amdhsa.kernels:
  - .args:
      - .offset: 0
        .size: 8
        .value_kind: global_buffer
    .group_segment_fixed_size: 64
    .kernarg_segment_align: 8
    .kernarg_segment_size: 8
    .max_flat_workgroup_size: 1024
    .name: k
    .private_segment_fixed_size: 0
    .symbol: k.kd
    .wavefront_size: 64
amdhsa.target: amdgcn-amd-amdhsa--%[1]v
amdhsa.version:
  - 1
  - 2
.end_amdgpu_metadata
`, target, k.code(n), vgprs)
}
