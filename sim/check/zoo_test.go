package check_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa/asm"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/sim/check"
	"github.com/gcnsim/gcnsim/state"
)

// specimen is a program of testdata/zoo.tsv.
type specimen struct {
	id, setup, expected string
	target              gcn.Target
	lines               []string
	fixAt               int
	fix                 []string // the lines that mend the program, inserted at fixAt; nil if there is no defect
}

func zoo(t testing.TB) (all []specimen) {
	data, err := os.ReadFile("testdata/zoo.tsv")
	require.NoError(t, err)
	for line := range strings.Lines(string(data)) {
		f := strings.Split(strings.TrimRight(line, "\n"), "\t")
		if strings.HasPrefix(line, "#") || f[0] == "id" {
			continue
		}
		require.Len(t, f, 7, line)
		for cpu := range strings.SplitSeq(f[1], ",") {
			s := specimen{id: f[0] + "/" + cpu, setup: f[2], expected: f[4], lines: strings.Split(f[3], `\n`)}
			s.target, err = gcn.ParseTarget(cpu)
			require.NoError(t, err)
			if at, fix, ok := strings.Cut(f[5], " "); ok {
				s.fixAt, err = strconv.Atoi(at)
				require.NoError(t, err)
				s.fix = strings.Split(fix, `\n`)
			}
			all = append(all, s)
		}
	}
	return all
}

// TestZoo runs programs with defects from compilers, libraries and games, and others that
// only look so. Each must have exactly its expected finding, and no finding after it is
// mended.
func TestZoo(t *testing.T) {
	for _, s := range zoo(t) {
		t.Run(s.id, func(t *testing.T) {
			require.Equal(t, s.expected, s.run(t, s.lines))
			if s.fix == nil {
				return
			}
			mended := slices.Insert(slices.Clone(s.lines), s.fixAt, s.fix...)
			require.Equal(t, "none", s.run(t, mended), mended)
		})
	}
}

// run executes lines and returns the findings in the format of testdata/zoo.tsv.
func (s *specimen) run(t *testing.T, lines []string) string {
	c, err := check.New("wait", "wait-state")
	require.NoError(t, err)
	c.Options.XNACK = strings.Contains(s.setup, "xnack")
	p, err := asm.Assemble(s.target, strings.Join(lines, "\n"), asm.LLVM)
	require.NoError(t, err)
	var pcs []uint64
	for d := range asm.Disassemble(s.target, p.Words) {
		pcs = append(pcs, uint64(d.Offset))
	}
	require.Len(t, pcs, len(lines))
	m := sim.New(s.target)
	w := s.wave(t, m, pcs)
	require.NoError(t, m.Watch(c))
	_, err = m.Run(context.Background(), w, p.Words)
	var f *state.Fault
	if errors.As(err, &f) && f.Kind == state.FaultUnsupported && len(c.Findings()) == 0 {
		c, err = check.New("wait", "wait-state")
		require.NoError(t, err)
		unexecuted(c, s.target, p.Words, 1)
	} else if f == nil {
		require.NoError(t, err)
	}
	number := func(pc uint64) string {
		for i := range pcs {
			if pcs[i] == pc {
				return strconv.Itoa(i)
			}
		}
		return "?"
	}
	text := "none"
	for i, f := range c.Findings() {
		from := ""
		if f.Producer != nil {
			from = "<-" + number(f.Producer.PC)
		}
		one := fmt.Sprintf("%v %s@%s%s %s%s %s", f.Severity, f.Kind, number(f.PC), from, f.Reg, f.Space, f.Rule)
		if i > 0 {
			one = text + ", " + one
		}
		text = one
	}
	return text
}

// unexecuted passes c the events of the first wave of a work-group, for a program without
// branches. It does not execute the program, which may have unsupported instructions.
func unexecuted(c *check.Checker, target gcn.Target, words []uint32, waves int) {
	group := make([]*state.Wave, waves)
	for i := range group {
		group[i] = state.NewWave(target, state.MaxVGPRs)
	}
	w := group[0]
	p := sim.NewProgram(target, 0, words, w.NumVGPRs)
	c.Begin(group)
	e := sim.Event{Wave: w, Access: &state.Access{}, Program: p}
	for in, ok := p.Inst(0); ok; in, ok = p.Inst(e.PC) {
		e.Inst = &in
		c.Issue(&e)
		w.Executed++
		c.Retire(&e)
		e.PC += uint64(in.Size)
	}
}

// wave returns a wave for the specimen. Each four SGPRs have the V# of a buffer, so that
// the first two also have its address. VGPRs are 0.
func (s *specimen) wave(t *testing.T, m *sim.Machine, pcs []uint64) *state.Wave {
	buf := m.Alloc(1 << 12)
	w := m.NewWave()
	vsharp := gcn.Buffer{Base: buf.Addr, NumRecords: uint32(buf.Size)}.Words()
	for n := 0; n < 100; n += 4 {
		w.SetSGPRs(n, vsharp...)
	}
	w.S[gcn.M0] = ^uint32(0)
	if s.target.Gen() >= gcn.GCN14 {
		w.S[gcn.M0] = 0
	}
	for one := range strings.SplitSeq(s.setup, "; ") {
		f := strings.Fields(one)
		var first int
		vector := false
		if len(f) > 1 {
			_, err := fmt.Sscanf(f[1][2:], "%d", &first)
			require.NoError(t, err)
			vector = f[1][0] == 'v'
		}
		put := func(addr uint64, from, to int) {
			if !vector {
				w.SetSGPRs(first, uint32(addr), uint32(addr>>32))
				return
			}
			lo, hi := w.VGPR(first), w.VGPR(first+1)
			for lane := from; lane < to; lane++ {
				lo[lane], hi[lane] = uint32(addr), uint32(addr>>32)
			}
			w.SetVGPR(first, lo)
			w.SetVGPR(first+1, hi)
		}
		switch f[0] {
		case "-", "xnack":
		case "addr":
			put(buf.Addr, 0, state.NumLanes)
		case "lds":
			put(uint64(w.SharedBase)<<32, 0, state.NumLanes)
		case "mixed":
			put(buf.Addr, 0, 32)
			put(uint64(w.SharedBase)<<32, 32, state.NumLanes)
		case "jump":
			n, err := strconv.Atoi(f[2])
			require.NoError(t, err)
			put(pcs[n], 0, 0)
		case "image":
			img := gcn.Image{Base: buf.Addr, Type: gcn.Image1D, Width: 4, Height: 1, DataFormat: 10, NumFormat: 4,
				DstSel: [4]gcn.Sel{4, 5, 6, 7}}
			w.SetSGPRs(first, img.Words(s.target.Gen())...)
			w.SetSGPRs(16, gcn.SamplerState{}.Words(s.target.Gen())...)
		case "sums": // two V#s and a count of dwords
			buf.SetUint32s(slices.Concat(vsharp, vsharp, []uint32{0, 1})...)
		default:
			t.Fatalf("setup %q", one)
		}
	}
	return w
}
