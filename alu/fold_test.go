package alu

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/state"
)

// TestAgainstLLVM compares with LLVM's constant folding of intrinsics (testdata).
func TestAgainstLLVM(t *testing.T) {
	text, err := os.ReadFile("testdata/llvm_fold.tsv")
	if err != nil {
		t.Fatal(err)
	}
	checked := 0
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		cells := strings.Split(strings.TrimSpace(line), "\t")
		values := make([]uint64, len(cells)-1)
		for i, cell := range cells[1:] {
			if values[i], err = strconv.ParseUint(cell, 16, 64); err != nil {
				t.Fatal(err)
			}
		}
		want := values[0]
		bits := uint(4 * len(cells[1]))
		for _, target := range []gcn.Target{gcn.GFX600, gcn.GFX701, gcn.GFX803, gcn.GFX900, gcn.GFX906} {
			if _, err := isa.Lookup(cells[0], target); err != nil || oldSpecials(target, cells[0]) {
				continue
			}
			w := state.NewWave(target, 16)
			w.Mode = 0xf0 // round to nearest even, keep denormals, as LLVM's folding does
			var got uint64
			if strings.HasPrefix(cells[0], "s_") {
				w.SetScalar64(4, values[1])
				execute(t, w, cells[0], isa.SOP1, map[isa.Field]int64{isa.SSRC0: 4, isa.SDST: 8})
				got = w.Scalar64(8)
			} else {
				for i, v := range values[1:] {
					w.V[2*i][0], w.V[2*i+1][0] = uint32(v), uint32(v>>32)
				}
				execute(t, w, cells[0], isa.VOP3A, map[isa.Field]int64{isa.SRC0: 256, isa.SRC1: 258, isa.SRC2: 260, isa.VDST: 8})
				got = uint64(w.V[8][0]) | uint64(w.V[9][0])<<32
			}
			if got &= 1<<bits - 1; got != want {
				t.Errorf("%v %s%x is %x, LLVM has %x", target, cells[0], values[1:], got, want)
			}
			checked++
		}
	}
	if checked < 4000 {
		t.Errorf("%d results checked", checked)
	}
}

// oldSpecials reports whether GCN 1.0 differs for an instruction (Traits.FrexpSpecial, FractBelowOne).
func oldSpecials(target gcn.Target, name string) bool {
	return target == gcn.GFX600 && (strings.HasPrefix(name, "v_frexp") || name == "v_fract_f64")
}
