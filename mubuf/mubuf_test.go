package mubuf_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/memtest"
	"github.com/gcnsim/gcnsim/mubuf"
	"github.com/gcnsim/gcnsim/state"
)

const base = 0x10000

func TestLoadOffen(t *testing.T) {
	mem := memtest.Memory{memtest.NewSpan(base, 4096)}
	p := &state.Ports{Mem: mem}
	for _, target := range memtest.Targets {
		w := state.NewWave(target, 8)
		w.SetSGPRs(0, gcn.Buffer{Base: base, NumRecords: 128}.Words()...)
		for i := range w.V[0] {
			w.V[0][i] = uint32(i * 4)
			w.V[1][i] = 0x55
		}
		w.SetExec(0xffff00ffff)
		in := memtest.Inst(w.Gen, "buffer_load_dword", memtest.Fields{gcn.OFFEN: 1, gcn.VDATA: 1, gcn.SOFFSET: gcn.ConstZero})
		var a state.Access
		impl := mubuf.Bind(&in)
		require.NotNil(t, impl.Exec, impl.Why)
		require.Nil(t, impl.Exec(w, p, &in, &a))
		for i, v := range w.V[1] {
			want := mem[0].Words[i]
			if i >= 32 {
				want = 0
			}
			if w.Exec()>>i&1 == 0 {
				want = 0x55
			}
			require.Equal(t, want, v, "lane %d", i)
		}
		require.Equal(t, uint64(0xff00000000), a.Out[0])
	}
}

func BenchmarkLoadDword(b *testing.B) {
	span := memtest.NewSpan(base, 1<<16)
	p := &state.Ports{Mem: memtest.Memory{span}}
	patterns := []struct {
		name string
		addr func(lane int) uint32
	}{
		{"contiguous", func(lane int) uint32 { return uint32(lane) * 4 }},
		{"random", func(lane int) uint32 { return uint32(lane) * 2654435761 >> 16 &^ 3 }},
	}
	masks := []struct {
		name string
		exec uint64
	}{{"full", state.FullExec}, {"half", 0x5555555555555555}, {"one", 1 << 40}}
	for _, pat := range patterns {
		var off state.Lanes
		for i := range off {
			off[i] = pat.addr(i)
		}
		for _, mask := range masks {
			b.Run(pat.name+"/"+mask.name, func(b *testing.B) {
				w := state.NewWave(gcn.GFX803, 8)
				w.SetSGPRs(0, gcn.Buffer{Base: base, NumRecords: 1 << 16}.Words()...)
				w.SetVGPR(0, off)
				w.SetExec(mask.exec)
				in := memtest.Inst(w.Gen, "buffer_load_dword", memtest.Fields{gcn.OFFEN: 1, gcn.VDATA: 1, gcn.SOFFSET: gcn.ConstZero})
				exec := mubuf.Bind(&in).Exec
				var a state.Access
				for b.Loop() {
					if f := exec(w, p, &in, &a); f != nil {
						b.Fatal(f)
					}
				}
			})
		}
		b.Run(pat.name+"/plain gather", func(b *testing.B) {
			var dst state.Lanes
			for b.Loop() {
				for i, o := range &off {
					dst[i] = span.Words[o/4]
				}
			}
		})
	}
}
