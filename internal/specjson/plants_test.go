package specjson

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
	"github.com/gcnsim/gcnsim/gcn/asm"
	"github.com/gcnsim/gcnsim/internal/testkit/effort"
	"github.com/gcnsim/gcnsim/internal/tool/files"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/sim/check"
	"github.com/gcnsim/gcnsim/sim/compare"
)

// mistake is what a faulty compiler may do to an instruction without a change of its size.
type mistake struct {
	name string
	// make returns in with the mistake; ok is false if in has no place for it.
	make func(in gcn.Inst, r *rand.Rand) (wrong gcn.Inst, ok bool)
}

// renamed returns in as the instruction of another mnemonic with the same fields.
func renamed(in gcn.Inst, name string) (gcn.Inst, bool) {
	ops, _ := gcn.Lookup(name, in.Target)
	for _, op := range ops {
		out, err := gcn.New(in.Target, op, in.Enc)
		if err != nil {
			continue
		}
		for f := range gcn.Field(gcn.NumFields) {
			if !in.Has(f) || f == gcn.LITERAL && in.Size == 4 {
				continue
			}
			if out, err = out.Set(f, int64(in.Int(f))); err != nil {
				return in, false
			}
		}
		out.Size = in.Size
		return out, true
	}
	return in, false
}

// pairs renames by a table; each name of a pair becomes the other one.
func pairs(table ...[2]string) func(gcn.Inst, *rand.Rand) (gcn.Inst, bool) {
	return func(in gcn.Inst, _ *rand.Rand) (gcn.Inst, bool) {
		for _, p := range table {
			for i, name := range p {
				if in.Row().Name == name {
					return renamed(in, p[1-i])
				}
			}
		}
		return in, false
	}
}

// moved adds something to a field.
func moved(in gcn.Inst, f gcn.Field, by int64) (gcn.Inst, bool) {
	if !in.Has(f) {
		return in, false
	}
	for _, n := range []int64{by, -by} {
		if out, err := in.Set(f, int64(in.Int(f))+n); err == nil {
			return out, true
		}
	}
	return in, false
}

// swapped exchanges two fields.
func swapped(in gcn.Inst, a, b gcn.Field) (gcn.Inst, bool) {
	x, y := in.Get(a), in.Get(b)
	if in.Has(gcn.SRC0) && b == gcn.VSRC1 { // a VGPR in nine bits, in eight
		if x < gcn.VGPR0 {
			return in, false
		}
		x, y = x-gcn.VGPR0, y+gcn.VGPR0
	}
	if x == y || x == y-gcn.VGPR0 {
		return in, false
	}
	out, err := in.Set(a, int64(y))
	if err == nil {
		out, err = out.Set(b, int64(x))
	}
	return out, err == nil
}

var mistakes = []mistake{
	{"wrong offset", func(in gcn.Inst, r *rand.Rand) (gcn.Inst, bool) {
		if in.Row().Mem.Op == gcn.NoMem {
			return in, false
		}
		if in.Has(gcn.OFFSET0) && in.Row().Has(gcn.Two) {
			return moved(in, gcn.OFFSET0, 1)
		}
		by := int64(4)
		if in.Enc == gcn.SMEM && in.Target.Gen() < gcn.GCN12 {
			by = 1
		}
		return moved(in, gcn.OFFSET, by<<r.IntN(2))
	}},
	{"wrong mask", func(in gcn.Inst, r *rand.Rand) (gcn.Inst, bool) {
		name := in.Row().Name
		if !strings.Contains(name, "_and_b32") && !strings.Contains(name, "_bfe_") && !strings.Contains(name, "lshl") &&
			!strings.Contains(name, "lshr") {
			return in, false
		}
		if in.Size == 8 && in.Has(gcn.LITERAL) && in.Get(gcn.LITERAL) != 0 {
			out, err := in.Set(gcn.LITERAL, int64(in.Get(gcn.LITERAL)^1<<r.IntN(8)))
			return out, err == nil
		}
		for _, f := range []gcn.Field{gcn.SRC0, gcn.SSRC0, gcn.SSRC1, gcn.SRC1, gcn.SRC2} {
			if code := in.Get(f); in.Has(f) && code > gcn.ConstZero && code < gcn.ConstNeg1-1 {
				return moved(in, f, 1)
			}
		}
		return in, false
	}},
	{"dropped carry", pairs([2]string{"v_addc_u32", "v_add_u32"}, [2]string{"v_addc_co_u32", "v_add_co_u32"}, [2]string{"v_addc_u32", "v_add_i32"},
		[2]string{"v_subb_co_u32", "v_sub_co_u32"}, [2]string{"s_addc_u32", "s_add_u32"},
		[2]string{"s_subb_u32", "s_sub_u32"})},
	{"swapped operands", func(in gcn.Inst, _ *rand.Rand) (gcn.Inst, bool) {
		switch in.Row().Enc {
		case gcn.SOP2, gcn.SOPC:
			return swapped(in, gcn.SSRC0, gcn.SSRC1)
		case gcn.VOP2, gcn.VOPC, gcn.VOP3A:
			if in.Has(gcn.VSRC1) {
				return swapped(in, gcn.SRC0, gcn.VSRC1)
			}
			return swapped(in, gcn.SRC0, gcn.SRC1)
		}
		return in, false
	}},
	{"wrong swizzle", func(in gcn.Inst, r *rand.Rand) (gcn.Inst, bool) {
		switch {
		case in.Has(gcn.DPPCTRL):
			return moved(in, gcn.DPPCTRL, 1)
		case in.Has(gcn.SRC0SEL):
			out, err := in.Set(gcn.SRC0SEL, int64(in.Get(gcn.SRC0SEL)+1)%6)
			return out, err == nil
		case in.Row().Name == "ds_swizzle_b32":
			out, err := in.Set(gcn.OFFSET, int64(in.Get(gcn.OFFSET)^1<<10))
			return out, err == nil
		case strings.HasPrefix(in.Row().Name, "v_cvt_f32_ubyte"):
			return renamed(in, fmt.Sprintf("v_cvt_f32_ubyte%d", (in.Row().Name[15]-'0'+1)%4))
		case in.Row().Has(gcn.Two) && in.Enc == gcn.DS:
			return swapped(in, gcn.OFFSET0, gcn.OFFSET1)
		case in.Enc == gcn.VOP3P:
			out, err := in.Set(gcn.OPSEL, int64(in.Get(gcn.OPSEL)^1))
			return out, err == nil
		case in.Row().Name == "v_perm_b32" || in.Row().Name == "v_alignbyte_b32" || in.Row().Name == "v_alignbit_b32":
			return swapped(in, gcn.SRC0, gcn.SRC1)
		}
		return in, false
	}},
	{"dropped wait", func(in gcn.Inst, _ *rand.Rand) (gcn.Inst, bool) {
		if in.Row().Name != "s_waitcnt" {
			return in, false
		}
		return renamed(in, "s_nop")
	}},
	{"wrong EXEC", func(in gcn.Inst, _ *rand.Rand) (gcn.Inst, bool) {
		writes := slices.ContainsFunc(in.Effects(nil),
			func(f gcn.Effect) bool { return f.Write && f.File == gcn.SReg && f.Code == gcn.EXEC })
		if !writes {
			return in, false
		}
		return pairs([2]string{"s_or_b64", "s_and_b64"}, [2]string{"s_and_saveexec_b64", "s_xor_saveexec_b64"},
			[2]string{"s_andn2_b64", "s_and_b64"}, [2]string{"s_xor_b64", "s_or_b64"},
			[2]string{"s_or_saveexec_b64", "s_and_saveexec_b64"}, [2]string{"s_mov_b64", "s_not_b64"})(in, nil)
	}},
}

// plant is a mistake at an instruction of a kernel.
type plant struct {
	spec    string
	mistake int
	pc      uint64 // from the load address
	right   gcn.Inst
	wrong   gcn.Inst
}

// bytes returns the words of the wrong instruction as bytes.
func (p *plant) bytes() []byte {
	words, n := p.wrong.Encode()
	var b []byte
	for _, w := range words[:n] {
		b = binary.LittleEndian.AppendUint32(b, w)
	}
	return b
}

// plants returns the mistakes that can be made in instructions of a kernel that execute.
func plants(t *testing.T, spec string, ran map[uint64]gcn.Inst, r *rand.Rand) (all []plant) {
	t.Helper()
	pcs := make([]uint64, 0, len(ran))
	for pc := range ran {
		pcs = append(pcs, pc)
	}
	slices.Sort(pcs)
	for _, pc := range pcs {
		in := ran[pc]
		for i, m := range mistakes {
			if wrong, ok := m.make(in, r); ok && wrong != in && wrong.Size == in.Size {
				if w, n := wrong.Encode(); n > 0 {
					if back, err := in.Target.Decode(w[:n]); err == nil && back == wrong {
						all = append(all, plant{spec, i, pc, in, wrong})
					}
				}
			}
		}
	}
	return all
}

// compare compares a kernel with one that has a mistake.
func (p *plant) compare(t *testing.T, setup compare.Setup) (*compare.Difference, uint64) {
	t.Helper()
	return p.against(t, setup, setup)
}

// against compares a program with one that has a mistake.
func (p *plant) against(t *testing.T, right, setup compare.Setup) (*compare.Difference, uint64) {
	t.Helper()
	base := uint64(0)
	res, err := compare.Programs(t.Context(), right, func() (*compare.Session, error) {
		s, err := setup()
		if err != nil {
			return nil, err
		}
		base = s.Launch.Module.Base
		return s, s.Machine.Write(base+p.pc, p.bytes())
	})
	require.NoError(t, err, "%s %#x: %s -> %s", p.spec, p.pc, asm.Format(p.right, asm.LLVM), asm.Format(p.wrong, asm.LLVM))
	return res.Difference, base
}

// plantCounts are what came of the mistakes of a kind.
type plantCounts struct {
	made, changed, found, exact int
	checked                     int // those that checks of waits find
	// compared with another processor's code; the wrong instruction is among those marked, or shown
	across, marked, shown int
}

func (c *plantCounts) add(o plantCounts) {
	c.made, c.changed, c.found, c.exact, c.checked = c.made+o.made, c.changed+o.changed, c.found+o.found,
		c.exact+o.exact, c.checked+o.checked
	c.across, c.marked, c.shown = c.across+o.across, c.marked+o.marked, c.shown+o.shown
}

func (c *plantCounts) String() string {
	return fmt.Sprintf("made %3d, change a result %3d, found %3d, named exactly %3d, found by check wait %3d; across "+
		"processors %3d, marked %3d, shown %3d",
		c.made, c.changed, c.found, c.exact, c.checked, c.across, c.marked, c.shown)
}

// planter makes mistakes and counts what comes of them.
type planter struct {
	*testing.T
	specs   []string
	r       *rand.Rand
	objects *sim.ObjectCache
	counts  []plantCounts
	missed  []string
	slowest time.Duration
}

// program returns the dispatch that a specification describes.
func (p *planter) program(spec string) DiffProgram {
	text, err := os.ReadFile(spec)
	require.NoError(p, err)
	req, err := ParseDispatch(text)
	require.NoError(p, err)
	req.Timing, req.Check = NotTimed, nil
	return DiffProgram{Request: req, Files: files.Dir(filepath.Dir(spec))}
}

// plant makes a mistake of a kind in a kernel, if it has a place for it.
func (p *planter) plant(spec string, kind int) bool {
	program := p.program(spec)
	setup := setupOf(p.T, &program, p.objects)
	ran, instructions := executed(p.T, setup)
	if instructions > 200_000 {
		return false
	}
	all := slices.DeleteFunc(plants(p.T, filepath.Base(spec), ran, p.r), func(x plant) bool { return x.mistake != kind })
	if len(all) == 0 {
		return false
	}
	x := all[p.r.IntN(len(all))]
	c := &p.counts[kind]
	c.made++
	if mistakes[kind].name == "dropped wait" && waits(p.T, setup, &x) > waits(p.T, setup, nil) {
		c.checked++
	}
	start := time.Now()
	d, base := x.compare(p.T, setup)
	p.slowest = max(p.slowest, time.Since(start))
	if left(p.T, setup, nil) == left(p.T, setup, &x) {
		assert.Nil(p, d, "%s %#x", x.spec, x.pc)
		return true
	}
	c.changed++
	if d == nil {
		p.missed = append(p.missed, fmt.Sprintf("%s %#x: not found", x.spec, x.pc))
		return true
	}
	c.found++
	p.across(spec, &x, setup, d.Faulted)
	if b := d.Culprit[1]; b != nil && b.PC-base == x.pc {
		c.exact++
		return true
	}
	where := "nothing"
	if b := d.Culprit[1]; b != nil {
		where = fmt.Sprintf("%#x %s", b.PC-base, b.Text)
	}
	p.missed = append(p.missed, fmt.Sprintf("%s %#x: %s -> %s, faulted %v, named %s, notes %v", x.spec, x.pc,
		asm.Format(x.right, asm.LLVM), asm.Format(x.wrong, asm.LLVM), d.Faulted, where, d.Notes))
	return true
}

// across compares a mistake with the code of another processor, if there is some.
func (p *planter) across(spec string, x *plant, setup compare.Setup, faulted bool) {
	parts := strings.Split(spec, ".")
	cpu := &parts[len(parts)-2]
	*cpu = map[string]string{"tahiti": "fiji", "hawaii": "gfx900", "fiji": "gfx900", "gfx900": "fiji",
		"gfx906": "hawaii"}[*cpu]
	other := strings.Join(parts, ".")
	if !slices.Contains(p.specs, other) || faulted {
		return
	}
	program := p.program(other)
	right := setupOf(p.T, &program, p.objects)
	if left(p.T, right, nil) != left(p.T, setup, nil) {
		return // its specification is another one
	}
	d, base := x.against(p.T, right, setup)
	c := &p.counts[x.mistake]
	c.across++
	require.NotNil(p, d)
	marked, shown := false, false
	for _, s := range d.B.Slice {
		marked = marked || s.Parts && s.PC-base == x.pc
		shown = shown || s.PC-base == x.pc
	}
	if marked {
		c.marked++
	}
	if shown {
		c.shown++
	} else if os.Getenv("PLANTS") != "" {
		p.Logf("not shown: %s %#x: %s -> %s; %v", x.spec, x.pc, asm.Format(x.right, asm.LLVM),
			asm.Format(x.wrong, asm.LLVM), d.Notes)
	}
}

// TestPlants makes mistakes in compiled kernels and compares them with the right ones: all
// that change a result are found, nearly all by the instruction that is wrong. PLANTS in the
// environment is how many to make, PLANTS_KERNELS a directory of other specifications. Against
// the code of another processor the wrong instruction is marked, or shown with one that uses its result.
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
	p := &planter{T: t, specs: specs, r: rand.New(rand.NewPCG(17, 4)), objects: &sim.ObjectCache{},
		counts: make([]plantCounts, len(mistakes))}
	order := slices.Clone(specs)
	p.r.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	for n, made := 0, 0; made < wanted && n < 20*len(order); n++ {
		if p.plant(order[n%len(order)], made%len(mistakes)) {
			made++
		}
	}
	var sum plantCounts
	for i := range p.counts {
		t.Logf("%-17s %v", mistakes[i].name, &p.counts[i])
		sum.add(p.counts[i])
	}
	t.Logf("%-17s %v; slowest %v", "all", &sum, p.slowest)
	for _, m := range p.missed {
		t.Log(m)
	}
	assert.Equal(t, sum.changed, sum.found)
	assert.GreaterOrEqual(t, sum.exact*100, sum.changed*90)
	assert.GreaterOrEqual(t, sum.shown*100, sum.across*40)
	assert.Positive(t, sum.changed)
	assert.Positive(t, sum.checked)
}

// waits returns how many findings there are about waits, with a mistake if p is not nil.
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

// left returns what a program leaves in its buffers, with a mistake if p is not nil, or why it
// leaves nothing.
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

// executed returns the instructions of a program that execute, by address from the load
// address, and how many do.
func executed(t *testing.T, setup compare.Setup) (map[uint64]gcn.Inst, int) {
	t.Helper()
	s, err := setup()
	require.NoError(t, err)
	ran, n := map[uint64]gcn.Inst{}, 0
	require.NoError(t, s.Launch.Watch(sim.Observer(func(e *sim.Event) {
		ran[e.PC-s.Launch.Module.Base] = *e.Inst
		n++
	})))
	_, err = s.Machine.Dispatch(t.Context(), s.Launch)
	require.NoError(t, err)
	return ran, n
}
