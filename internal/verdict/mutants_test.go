package verdict_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/isa/asm"
	"github.com/gcnsim/gcnsim/internal/sim/codeobj"
	"github.com/gcnsim/gcnsim/internal/sim/compare"
	"github.com/gcnsim/gcnsim/internal/testkit/effort"
	"github.com/gcnsim/gcnsim/internal/testkit/mistake"
	"github.com/gcnsim/gcnsim/internal/verdict"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/sim/spec"
	"github.com/gcnsim/gcnsim/state"
)

// mutant is a code object with one wrong instruction.
type mutant struct {
	name   string // the file, the kernel, the address and both instructions
	right  []byte
	wrong  []byte
	kernel string
	insts  [2]isa.Inst // the correct and the wrong instruction
}

// mutants returns n code objects for each file. Each code object has one wrong instruction.
func mutants(t *testing.T, files []string, n int, r *rand.Rand) (all []mutant) {
	kinds := slices.Concat(mistake.All, mistake.Anywhere, mistake.Anywhere)
	kinds = slices.DeleteFunc(kinds, func(m mistake.Mistake) bool { return m.Name == "dropped wait" })
	for _, file := range files {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		o, err := codeobj.Parse(data)
		require.NoError(t, err)
		for made, tries := 0, 0; made < n && tries < 1000; tries++ {
			k := &o.Kernels[r.IntN(len(o.Kernels))]
			m, ok := mutate(o, data, k, &kinds[r.IntN(len(kinds))], r)
			if ok {
				m.name = filepath.Base(file) + " " + m.name
				all = append(all, m)
				made++
			}
		}
	}
	return all
}

// mutate replaces one instruction of a kernel by a wrong one.
func mutate(o *codeobj.Object, data []byte, k *codeobj.Kernel, kind *mistake.Mistake,
	r *rand.Rand) (m mutant, ok bool) {
	at := slices.IndexFunc(o.Functions, func(s codeobj.Symbol) bool { return s.Name == k.Name })
	if at < 0 {
		return m, false
	}
	code, _ := o.Bytes(k.Entry, o.Functions[at].Size)
	from := bytes.Index(data, code)
	words := make([]uint32, len(code)/4)
	_, _ = binary.Decode(code, binary.LittleEndian, words)
	var insts []isa.Inst
	var offsets []int
	for at := 0; at < len(words); {
		in, err := isa.Decode(o.Target, words[at:])
		if err != nil {
			break
		}
		insts, offsets = append(insts, in), append(offsets, 4*at)
		at += int(in.Size) / 4
		if in.Row().Name == "s_endpgm" {
			break
		}
	}
	if len(insts) == 0 || from < 0 {
		return m, false
	}
	n := r.IntN(len(insts))
	wrong, ok := kind.In(insts[n], r)
	if !ok || strings.HasSuffix(asm.Format(gcn.Inst(wrong), asm.LLVM), "// "+asm.Format(gcn.Inst(insts[n]), asm.LLVM)) {
		return m, false // no change, or a change in an unused field
	}
	m = mutant{right: data, wrong: bytes.Clone(data), kernel: k.Name, insts: [2]isa.Inst{insts[n], wrong}}
	m.name = fmt.Sprintf("%s %#x %s: %s -> %s", k.Name, offsets[n], kind.Name, asm.Format(gcn.Inst(insts[n]), asm.LLVM),
		asm.Format(gcn.Inst(wrong), asm.LLVM))
	encoded, size := wrong.Encode()
	for i, w := range encoded[:size] {
		binary.LittleEndian.PutUint32(m.wrong[from+offsets[n]+4*i:], w)
	}
	return m, true
}

// means reports whether both instructions have the same effects for all register values, as commuted sums have.
func (m *mutant) means(t *testing.T, r *rand.Rand) bool {
	for range 200 {
		var left [2]*state.Wave
		random := spec.Registers{Exec: new(uint64), VCC: new(uint64), SCC: new(bool), SGPRs: map[int][]uint32{0: nil},
			VGPRs: map[int][]uint32{}}
		*random.Exec, *random.VCC, *random.SCC = r.Uint64(), r.Uint64(), r.IntN(2) == 1
		number := func() uint32 { return r.Uint32() >> (r.IntN(4) * 8) }
		for range 100 {
			random.SGPRs[0] = append(random.SGPRs[0], number())
		}
		for v := range 64 {
			for range 64 {
				random.VGPRs[v] = append(random.VGPRs[v], number())
			}
		}
		for i, in := range m.insts {
			words, n := in.Encode()
			e := &spec.Exec{Target: in.Target, Words: append(words[:n:n], 0xbf810000), Registers: random}
			res, err := e.Run(t.Context(), nil)
			if err != nil {
				return false
			}
			left[i] = res.Waves[0]
			left[i].PC = 0
		}
		if a, b := left[0], left[1]; a.S != b.S || a.SCC != b.SCC || !slices.Equal(a.V, b.V) {
			return false
		}
	}
	return true
}

// verdict compares a mutant with the original.
func (m *mutant) verdict(t *testing.T, launches int, cache *sim.ObjectCache) (compare.Verdict, string) {
	o := &verdict.ObjectsOptions{Kernel: m.kernel}
	o.Launches, o.Objects, o.MaxInstructions = launches, cache, 1<<16
	all, err := verdict.DiffObjects(t.Context(), m.right, m.wrong, [2]string{"right", "wrong"}, o)
	if err != nil {
		return compare.NoVerdict, err.Error()
	}
	return all[0].Verdict()
}

// TestMutants changes one instruction of a program and compares the program with the original. The verdict must be
// "different", or else three times as many launches must find no difference either. The variable MUTANTS of the
// environment has the files, the number of changes in each file and a seed, for example
// '../../testdata/kernels/*.gfx900.co:2:7'. By default the test uses every eleventh file, so that all five chips occur.
// It skips builds of spill.flat, which read s32 without setting it.
func TestMutants(t *testing.T) {
	if !effort.Full() {
		t.Skip("compares dozens of programs")
	}
	pattern, n, seed, stride := "../../testdata/kernels/*.co", 1, uint64(1), 11
	if text := os.Getenv("MUTANTS"); text != "" {
		_, err := fmt.Sscan(strings.ReplaceAll(text, ":", " "), &pattern, &n, &seed)
		require.NoError(t, err)
		stride = 1
	}
	files, err := filepath.Glob(pattern)
	require.NoError(t, err)
	var chosen []string
	for i := 0; i < len(files); i += stride {
		if !strings.Contains(files[i], "spill.flat") {
			chosen = append(chosen, files[i])
		}
	}
	count, cache := map[compare.Verdict]int{}, &sim.ObjectCache{}
	equal, r := 0, rand.New(rand.NewPCG(34, 0))
	for _, m := range mutants(t, chosen, n, rand.New(rand.NewPCG(34, seed))) {
		v, why := m.verdict(t, 0, cache)
		count[v]++
		switch {
		case v == compare.NoVerdict:
			t.Errorf("none: %s: %s", m.name, why)
		case v == compare.Same && m.insts[0].Row().Mem.Op == gcn.NoMem && m.means(t, r):
			equal++
		case v == compare.Same:
			more, _ := m.verdict(t, 3*verdict.DefaultLaunches, cache)
			assert.Equal(t, compare.Same, more, "more launches tell them apart: %s", m.name)
			t.Logf("same: %s", m.name)
		}
	}
	t.Logf("%v; of those that are the same %d have an instruction that means the same", count, equal)
}
