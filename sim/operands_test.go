package sim_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/testkit/memtest"
	"github.com/gcnsim/gcnsim/state"
)

// registersOf returns which VGPRs and scalar registers in names, and which of them it
// writes.
func registersOf(in *isa.Inst) (v, s, written [256]bool) {
	for _, o := range in.Operands(nil) {
		n := int(o.Dwords)
		if o.Field == isa.ADDR && in.Enc == isa.MIMG { // how many depends on the T#
			_, n = in.AddrRange()
		}
		for reg := int(o.Code); reg < int(o.Code)+n && reg < 256; reg++ {
			switch o.File {
			case isa.VReg:
				v[reg], written[reg] = true, written[reg] || o.Write
			case isa.SReg:
				s[reg] = true
			}
		}
	}
	return v, s, written
}

// elsewhere reports whether in reaches registers that its operands do not name.
func elsewhere(in *isa.Inst) bool {
	name := in.Row().Name
	return in.Row().Has(isa.IndexesVGPRs) || in.Enc == isa.EXP || strings.Contains(name, "movrel") ||
		strings.HasSuffix(name, "fork") || strings.HasSuffix(name, "join")
}

// TestOnlyOperandsAreRead runs instructions twice, with other values in the registers that
// they do not name: all that they leave is the same, and those registers are as before.
func TestOnlyOperandsAreRead(t *testing.T) {
	r := rand.New(rand.NewPCG(17, 18))
	const scalars = 100 // below all registers with a meaning of their own
	for round := range memtest.States(8000) {
		target, vgprs, seed := gcn.Target(round%gcn.NumTargets), vgprCount(uint8(r.Uint32())), r.Uint64()
		x, y := newWild(target, vgprs, seed), newWild(target, vgprs, seed)
		words := x.inst()
		y.inst()
		in, err := isa.Decode(target, words)
		if err != nil || elsewhere(&in) {
			continue
		}
		words = words[:in.Size/4]
		x.registers()
		y.registers()
		if executor.GPRIndexing(x.w) {
			continue
		}
		v, s, written := registersOf(&in)
		for reg := range y.w.V {
			if !v[reg] {
				y.w.V[reg] = lanePatterns[r.IntN(len(lanePatterns))]
			}
		}
		for code := range scalars {
			if !s[code] {
				y.w.S[code] = r.Uint32()
			}
		}
		before := append([]state.Lanes(nil), y.w.V...)
		scalarsBefore := y.w.S
		_, errX := x.m.Run(ctx, x.w, words)
		_, errY := y.m.Run(ctx, y.w, words)
		what := func() string { return target.String() + " " + in.Op.String() + " " + fmt.Sprintf("%08x", words) }
		require.Equal(t, kindOf(errX), kindOf(errY), what())
		for reg := range y.w.V {
			if v[reg] && x.w.V[reg] != y.w.V[reg] {
				t.Fatalf("%s: v%d depends on a register that is no operand", what(), reg)
			}
			if !written[reg] && y.w.V[reg] != before[reg] {
				t.Fatalf("%s: v%d is written and no operand", what(), reg)
			}
		}
		for code := range y.w.S {
			switch named := code >= scalars || s[code]; {
			case named && x.w.S[code] != y.w.S[code]:
				t.Fatalf("%s: s%d depends on a register that is no operand", what(), code)
			case !named && y.w.S[code] != scalarsBefore[code]:
				t.Fatalf("%s: s%d is written and no operand", what(), code)
			}
		}
		require.Equal(t, x.w.PC, y.w.PC, what())
		require.Equal(t, x.w.SCC, y.w.SCC, what())
		for i, b := range x.bufs {
			require.Equal(t, b.Bytes(), y.bufs[i].Bytes(), what())
		}
		require.Equal(t, x.m.LDS().Bytes(), y.m.LDS().Bytes(), what())
		require.Equal(t, x.m.GDS().Bytes(), y.m.GDS().Bytes(), what())
	}
}

// kindOf returns the kind of a fault, "" if there is none.
func kindOf(err error) string {
	if f := (*state.Fault)(nil); errors.As(err, &f) {
		return f.Kind.String()
	}
	return ""
}
