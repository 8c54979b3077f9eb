package verdict

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/isa/asm"
	"github.com/gcnsim/gcnsim/internal/sim/compare"
	"github.com/gcnsim/gcnsim/internal/testkit/effort"
	"github.com/gcnsim/gcnsim/internal/testkit/mistake"
	"github.com/gcnsim/gcnsim/internal/tool/files"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/sim/check"
	"github.com/gcnsim/gcnsim/sim/spec"
)

// plant is a wrong instruction in a kernel.
type plant struct {
	file    string
	mistake int
	pc      uint64 // relative to the load address
	right   isa.Inst
	wrong   isa.Inst
}

// bytes returns the encoding of the wrong instruction.
func (p *plant) bytes() []byte {
	words, n := p.wrong.Encode()
	var b []byte
	for _, w := range words[:n] {
		b = binary.LittleEndian.AppendUint32(b, w)
	}
	return b
}

// plants returns all mistakes of mistake.All that are possible in executed instructions of a kernel.
func plants(t *testing.T, file string, ran map[uint64]isa.Inst, r *rand.Rand) (all []plant) {
	t.Helper()
	pcs := make([]uint64, 0, len(ran))
	for pc := range ran {
		pcs = append(pcs, pc)
	}
	slices.Sort(pcs)
	for _, pc := range pcs {
		in := ran[pc]
		for i := range mistake.All {
			if wrong, ok := mistake.All[i].In(in, r); ok {
				all = append(all, plant{file, i, pc, in, wrong})
			}
		}
	}
	return all
}

// compare compares a kernel with a copy that has the mistake.
func (p *plant) compare(t *testing.T, setup compare.Setup) *compare.Difference {
	t.Helper()
	return p.against(t, setup, setup)
}

// against compares a program with a setup that has the mistake.
func (p *plant) against(t *testing.T, right, setup compare.Setup) *compare.Difference {
	t.Helper()
	res, err := compare.Programs(t.Context(), right, func() (*compare.Session, error) {
		s, err := setup()
		if err != nil {
			return nil, err
		}
		return s, s.Machine.Write(s.Launch.Module.Base+p.pc, p.bytes())
	})
	require.NoError(t, err, "%s %#x: %s -> %s", p.file, p.pc, asm.Format(gcn.Inst(p.right), asm.LLVM),
		asm.Format(gcn.Inst(p.wrong), asm.LLVM))
	return res.Difference
}

// plantCounts counts the results for one kind of mistake.All.
type plantCounts struct {
	made, changed, found, exact int
	checked                     int // mistakes that the checks of waits find
	others                      [2]otherCounts
}

// otherCounts counts comparisons with the code for another processor, or for another optimization level.
type otherCounts struct {
	found, marked, shown int // the wrong instruction is marked, or shown
	marks                int // number of marked instructions in all comparisons
}

func (c *otherCounts) add(o otherCounts) {
	c.found, c.marked, c.shown, c.marks = c.found+o.found, c.marked+o.marked, c.shown+o.shown, c.marks+o.marks
}

func (c *otherCounts) String() string {
	return fmt.Sprintf("%3d, marked %3d, shown %3d, of %3d marks", c.found, c.marked, c.shown, c.marks)
}

func (c *plantCounts) add(o plantCounts) {
	c.made, c.changed, c.found, c.exact, c.checked = c.made+o.made, c.changed+o.changed, c.found+o.found,
		c.exact+o.exact, c.checked+o.checked
	for i := range c.others {
		c.others[i].add(o.others[i])
	}
}

func (c *plantCounts) String() string {
	return fmt.Sprintf("made %3d, change a result %3d, found %3d, named exactly %3d, found by check wait %3d; across "+
		"processors %v; across levels %v", c.made, c.changed, c.found, c.exact, c.checked, &c.others[0], &c.others[1])
}

// planter makes the mistakes of mistake.All and counts the results.
type planter struct {
	*testing.T
	specs   []string
	r       *rand.Rand
	objects *sim.ObjectCache
	counts  []plantCounts
	missed  []string
	slowest time.Duration
}

func newPlanter(t *testing.T, specs []string) *planter {
	return &planter{T: t, specs: specs, r: rand.New(rand.NewPCG(17, 4)), objects: &sim.ObjectCache{},
		counts: make([]plantCounts, len(mistake.All))}
}

// plantAll makes mistakes, as many as wanted, in kernels for which suits returns true.
func (p *planter) plantAll(wanted int, suits func(file string) bool) {
	order := slices.DeleteFunc(slices.Clone(p.specs), func(file string) bool { return !suits(file) })
	p.r.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	for n, made := 0, 0; made < wanted && n < 20*len(order); n++ {
		if p.plant(order[n%len(order)], made%len(mistake.All)) {
			made++
		}
	}
}

// program returns the dispatch of a specification.
func (p *planter) program(file string) *spec.Dispatch {
	text, err := os.ReadFile(file)
	require.NoError(p, err)
	req, err := spec.ParseDispatch(text)
	require.NoError(p, err)
	req.Timing, req.Check = spec.NotTimed, nil
	d, err := req.Read(files.Dir(filepath.Dir(file)), p.objects)
	require.NoError(p, err)
	return d
}

// plant makes a mistake of a kind in a kernel. It returns false if the kernel has no suitable instruction.
func (p *planter) plant(file string, kind int) bool {
	setup := compare.SetupOf(p.program(file).Program(&spec.Options{Objects: p.objects}))
	ran, instructions := executed(p.T, setup)
	if instructions > 200_000 {
		return false
	}
	all := slices.DeleteFunc(plants(p.T, filepath.Base(file), ran, p.r), func(x plant) bool { return x.mistake != kind })
	if len(all) == 0 {
		return false
	}
	x := all[p.r.IntN(len(all))]
	c := &p.counts[kind]
	c.made++
	if mistake.All[kind].Name == "dropped wait" && waits(p.T, setup, &x) > waits(p.T, setup, nil) {
		c.checked++
	}
	start := time.Now()
	d := x.compare(p.T, setup)
	p.slowest = max(p.slowest, time.Since(start))
	if left(p.T, setup, nil) == left(p.T, setup, &x) {
		assert.Nil(p, d, "%s %#x", x.file, x.pc)
		return true
	}
	c.changed++
	if d == nil {
		p.missed = append(p.missed, fmt.Sprintf("%s %#x: not found", x.file, x.pc))
		return true
	}
	c.found++
	if !d.Faulted {
		for i, other := range others(file) {
			p.across(i, other, &x, setup)
		}
	}
	if b := d.Culprit[1]; b != nil && uint64(b.PC) == x.pc {
		c.exact++
		return true
	}
	where := "nothing"
	if b := d.Culprit[1]; b != nil {
		where = fmt.Sprintf("%#x %s", uint64(b.PC), b.Text)
	}
	p.missed = append(p.missed, fmt.Sprintf("%s %#x: %s -> %s, faulted %v, named %s, notes %v", x.file, x.pc,
		asm.Format(gcn.Inst(x.right), asm.LLVM), asm.Format(gcn.Inst(x.wrong), asm.LLVM), d.Faulted, where, d.Notes))
	return true
}

// others returns the specifications of the same kernel for another processor and for another optimization level.
func others(file string) [2]string {
	parts := strings.Split(file, ".")
	cpu := len(parts) - 2
	other := slices.Clone(parts)
	other[cpu] = map[string]string{"tahiti": "fiji", "hawaii": "gfx900", "fiji": "gfx900", "gfx900": "fiji",
		"gfx906": "hawaii"}[parts[cpu]]
	level := slices.DeleteFunc(slices.Clone(parts), func(part string) bool { return part == "O0" })
	if len(level) == len(parts) {
		level = slices.Insert(level, cpu, "O0")
	}
	return [2]string{strings.Join(other, "."), strings.Join(level, ".")}
}

// across compares a mistake with other code of the same kernel, if there is any.
func (p *planter) across(kind int, other string, x *plant, setup compare.Setup) {
	if !slices.Contains(p.specs, other) {
		return
	}
	right := compare.SetupOf(p.program(other).Program(&spec.Options{Objects: p.objects}))
	if left(p.T, right, nil) != left(p.T, setup, nil) {
		return // its specification differs
	}
	d := x.against(p.T, right, setup)
	c := &p.counts[x.mistake].others[kind]
	c.found++
	require.NotNil(p, d)
	marked, shown := false, false
	for _, s := range d.B.Slice {
		if s.Parts {
			c.marks++
		}
		marked = marked || s.Parts && uint64(s.PC) == x.pc
		shown = shown || uint64(s.PC) == x.pc
	}
	if marked {
		c.marked++
	}
	if shown {
		c.shown++
	}
	if !marked && os.Getenv("PLANTS") != "" {
		var b strings.Builder
		require.NoError(p, d.Write(&b))
		p.Logf("not marked, shown %v: %s %#x: %s -> %s\n%v", shown, x.file, x.pc, asm.Format(gcn.Inst(x.right), asm.LLVM),
			asm.Format(gcn.Inst(x.wrong), asm.LLVM), b.String())
	}
}

// TestPlants makes mistakes of mistake.All in compiled kernels and compares these with the originals. The comparison
// finds all mistakes that change a result, nearly all at the wrong instruction. PLANTS in the environment is the number
// of mistakes, PLANTS_KERNELS a directory of other specifications. In comparisons with the code for another
// processor, the wrong instruction is marked, or shown with an instruction that uses its result.
func TestPlants(t *testing.T) {
	effort.Long(t)
	wanted, dir := 21, "../../testdata/kernels"
	if text := os.Getenv("PLANTS"); text != "" {
		_, err := fmt.Sscan(text, &wanted)
		require.NoError(t, err)
	}
	if text := os.Getenv("PLANTS_KERNELS"); text != "" {
		dir = text
	}
	specs, err := filepath.Glob(filepath.Join(dir, "*.json"))
	require.NoError(t, err)
	p := newPlanter(t, specs)
	p.plantAll(wanted, func(string) bool { return true })
	var sum plantCounts
	for i := range p.counts {
		t.Logf("%-17s %v", mistake.All[i].Name, &p.counts[i])
		sum.add(p.counts[i])
	}
	t.Logf("%-17s %v; slowest %v", "all", &sum, p.slowest)
	for _, m := range p.missed {
		t.Log(m)
	}
	assert.Equal(t, sum.changed, sum.found)
	assert.GreaterOrEqual(t, sum.exact*100, sum.changed*90)
	assert.GreaterOrEqual(t, sum.others[0].marked*100, sum.others[0].found*50)
	assert.Positive(t, sum.changed)
	assert.Positive(t, sum.checked)
}

// TestPlantsAcrossLevels makes mistakes in optimized kernels and compares these with the originals at -O0. The wrong
// instruction is marked in two of five comparisons.
func TestPlantsAcrossLevels(t *testing.T) {
	effort.Long(t)
	specs, err := filepath.Glob("../../testdata/kernels/*.json")
	require.NoError(t, err)
	p := newPlanter(t, specs)
	p.plantAll(36, func(file string) bool {
		return !strings.Contains(file, ".O0.") && slices.Contains(specs, others(file)[1])
	})
	var sum plantCounts
	for i := range p.counts {
		sum.add(p.counts[i])
	}
	levels := &sum.others[1]
	t.Log(levels)
	assert.Greater(t, levels.found, 12)
	assert.GreaterOrEqual(t, 5*levels.marked, 2*levels.found)
}

// waits returns the number of findings about waits. If p is not nil, the program has the mistake p.
func waits(t *testing.T, setup compare.Setup, p *plant) int {
	t.Helper()
	s, err := setup()
	require.NoError(t, err)
	if p != nil {
		require.NoError(t, s.Machine.Write(s.Launch.Module.Base+p.pc, p.bytes()))
	}
	c, err := check.New("wait")
	require.NoError(t, err)
	require.NoError(t, s.Launch.Watch(c))
	_, err = s.Machine.Dispatch(t.Context(), s.Launch)
	require.NoError(t, err)
	return len(c.Findings())
}

// left returns the buffers of a program after a run as text, or the reason why it has none. If p is not nil, the
// program has the mistake p.
func left(t *testing.T, setup compare.Setup, p *plant) string {
	t.Helper()
	s, err := setup()
	require.NoError(t, err)
	if p != nil {
		require.NoError(t, s.Machine.Write(s.Launch.Module.Base+p.pc, p.bytes()))
		s.Launch.Limit = 1 << 20
	}
	if _, err := s.Machine.Dispatch(t.Context(), s.Launch); err != nil {
		return err.Error()
	}
	var all strings.Builder
	for _, b := range s.Buffers {
		if b != nil {
			all.Write(b.Bytes())
		}
	}
	return all.String()
}

// executed returns the executed instructions of a program, by address relative to the load address, and how many were
// executed.
func executed(t *testing.T, setup compare.Setup) (map[uint64]isa.Inst, int) {
	t.Helper()
	s, err := setup()
	require.NoError(t, err)
	ran, n := map[uint64]isa.Inst{}, 0
	require.NoError(t, s.Launch.Watch(sim.Observer(func(e *sim.Event) {
		ran[e.PC-s.Launch.Module.Base] = isa.Inst(*e.Inst)
		n++
	})))
	_, err = s.Machine.Dispatch(t.Context(), s.Launch)
	require.NoError(t, err)
	return ran, n
}
