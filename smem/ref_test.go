package smem_test

import (
	"strings"
	"testing"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/testkit/memtest"
	"github.com/gcnsim/gcnsim/state"
)

// reference executes in on r, written from rules SM1 to SM8 alone.
func reference(r *memtest.Ref, in isa.Inst) {
	name := in.Row().Name
	if strings.HasPrefix(name, "s_dcache") || strings.HasPrefix(name, "s_atc") {
		return
	}
	sdata, sbase := int(in.Get(isa.SDST)), int(in.Get(isa.SBASE))*2
	if strings.HasPrefix(name, "s_mem") {
		return // TestClocks covers these
	}

	// The parts of the offset (rule SM1).
	word0, word1 := uint32(in.Words), uint32(in.Words>>32)
	var imm, reg int64
	sgpr := func(code uint32) int64 { return int64(r.OldS[code] &^ 3) }
	switch {
	case r.Gen == gcn.GCN11 && word0&0x1ff == 0xff:
		imm = int64(word1) * 4
	case r.Gen <= gcn.GCN11 && word0>>8&1 == 1:
		imm = int64(word0&0xff) * 4
	case r.Gen <= gcn.GCN11:
		reg = sgpr(word0 & 0xff)
	case r.Gen == gcn.GCN12 && word0>>17&1 == 1:
		imm = int64(word1 & 0xfffff)
	case r.Gen == gcn.GCN12:
		reg = sgpr(word1 & 0x7f)
	default:
		isImm, soe := word0>>17&1 == 1, word0>>14&1 == 1
		if isImm {
			imm = int64(int32(word1<<11) >> 11)
		}
		switch {
		case soe:
			reg = sgpr(word1 >> 25)
		case !isImm:
			reg = sgpr(word1 & 0x7f)
		}
	}
	if strings.HasPrefix(name, "s_scratch") {
		reg *= 64 // rule SM6
	}
	offset := uint64(imm&^3 + reg)
	d := memtest.ParseData(name)
	atomic := ""
	if _, op, ok := strings.Cut(name, "atomic_"); ok {
		d = memtest.Data{Bytes: 4, Count: 1}
		atomic = op
		if a, ok := strings.CutSuffix(op, "_x2"); ok {
			atomic, d.Bytes = a, 8
		}
	}
	base := uint64(r.OldS[sbase]) | uint64(r.OldS[sbase+1])<<32
	size := ^uint64(0)
	if strings.HasPrefix(name, "s_buffer") { // rule SM4
		stride := base >> 48 & 0x3fff
		base &= 1<<48 - 1
		size = max(stride, 1) * uint64(r.OldS[sbase+2])
	}
	base = base / 4 * 4
	for i := range d.Count {
		out := offset+uint64(4*i) >= size
		addr := base + offset + uint64(4*i)
		if atomic != "" {
			addr = addr / uint64(d.Bytes) * uint64(d.Bytes)
		}
		r.Note(i, 0, addr, out)
		var p uint64
		switch {
		case atomic != "":
			pair := func(reg int) (x uint64) {
				for j := range d.Bytes / 4 {
					x |= uint64(r.OldS[reg+j]) << (32 * j)
				}
				return x
			}
			if !out {
				p = r.Read(memtest.Global, addr, d.Bytes)
				r.Write(memtest.Global, addr, d.Bytes, memtest.Atomic(atomic, d.Bytes, p, pair(sdata), pair(sdata+d.Bytes/4)))
			}
			for j := range d.Bytes / 4 {
				if in.Bool(isa.GLC) {
					r.S[sdata+j] = uint32(p >> (32 * j))
				}
			}
		case strings.Contains(name, "store"):
			if !out {
				r.Write(memtest.Global, addr, 4, uint64(r.OldS[sdata+i]))
			}
		default:
			if !out {
				p = r.Read(memtest.Global, addr, 4)
			}
			r.S[sdata+i] = uint32(p)
		}
	}
}

func setup(w *memtest.World, op gcn.Op) isa.Inst {
	r, g := w.Rand, w.Wave.Target.Gen()
	row := isa.RowOf(op)
	f := memtest.Fields{}
	set := func(field isa.Field, v int64) {
		if _, width := isa.FieldBits(g, isa.SMEM, field); width > 0 {
			f[field] = v
		}
	}
	set(isa.SDST, int64(16+16*r.IntN(4)))
	set(isa.SBASE, 4)
	set(isa.GLC, int64(r.IntN(2)))
	mid := uint32(memtest.Low & 0xffffffff)
	w.Wave.S[8], w.Wave.S[9] = mid+0x1000+r.Uint32()%64, uint32(memtest.Low>>32)
	if row.Has(isa.BufferBase) {
		w.Wave.S[9] |= []uint32{0, 0, 4, 16}[r.IntN(4)] << 16
		w.Wave.S[10] = []uint32{0, 16, 100, 1000, 0xffffffff}[r.IntN(5)]
	}
	w.Wave.S[3], w.Wave.S[5] = r.Uint32()%64, r.Uint32()%2000
	w.Wave.S[gcn.M0] = r.Uint32() % 100
	register := []int64{3, 5, gcn.M0}[r.IntN(3)]
	switch mode := r.IntN(3); {
	case g >= gcn.GCN14:
		f[isa.IMM], f[isa.SOE] = int64(r.IntN(2)), int64(r.IntN(2))
		f[isa.SOFFSET] = register
		f[isa.OFFSET] = int64(r.IntN(0x300)) - 0x100
		if f[isa.IMM] == 0 {
			f[isa.OFFSET] = register
		}
	case mode == 0:
		f[isa.IMM], f[isa.OFFSET] = 1, int64(r.IntN(256))
	case mode == 1 && g == gcn.GCN11:
		f[isa.IMM], f[isa.OFFSET], f[isa.LITERAL] = 0, 255, int64(r.IntN(500))
	default:
		f[isa.IMM], f[isa.OFFSET] = 0, register
	}
	return memtest.Form(w.Wave.Target, op, f)
}

// TestAgainstReference executes every scalar memory row on random states.
func TestAgainstReference(t *testing.T) {
	(&memtest.Rows{
		Of:    func(row *isa.Row) bool { return row.Enc == isa.SMEM && !strings.HasPrefix(row.Name, "s_mem") },
		Rules: []state.Rules{state.SeedRules}, States: 20, Setup: setup, Reference: reference,
	}).Compare(t)
}

func TestRandomWords(t *testing.T) { memtest.Hammer(t, isa.SMEM) }
