package mubuf_test

import (
	"strings"
	"testing"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/testkit/memtest"
	"github.com/gcnsim/gcnsim/state"
)

// refAlign implements rules L1, L2 and L4.
func refAlign(r *memtest.Ref, addr uint64, bytes int, atomic bool) (aligned uint64, viol bool) {
	small := uint64(min(bytes, 4))
	if bytes == 12 {
		bytes = 4
	}
	if r.Gen == gcn.GCN10 {
		if atomic {
			small = uint64(bytes)
		}
		return addr / small * small, false
	}
	switch r.Port.Align {
	case state.DefaultAlign, state.AlignDword:
		addr = addr / small * small
	case state.AlignDwordStrict:
		viol = addr%small != 0
	case state.AlignStrict:
		viol = addr%uint64(bytes) != 0
	}
	return addr, viol || atomic && addr%uint64(bytes) != 0
}

// splits reports whether the bytes of an element are swizzled one by one: in unaligned scratch of GCN 1.4, as
// compilers use it.
func splits(r *memtest.Ref, in isa.Inst) bool {
	v := r.VSharp(in)
	return r.Driver && r.Gen >= gcn.GCN14 && r.Port.Align == state.AlignNone && v.Bits(63, 1) == 1 && v.Bits(119, 1) == 1
}

// refRead reads element i of a lane, whose first byte is at addr.
func refRead(r *memtest.Ref, in isa.Inst, lane, i, n int, soffset, addr uint64) (p uint64) {
	if !splits(r, in) {
		return r.Read(memtest.Global, addr, n)
	}
	for b := range n {
		at, _ := r.BufferAddress(in, lane, i*n+b, 1, soffset)
		p |= r.Read(memtest.Global, at, 1) << (8 * b)
	}
	return p
}

func refWrite(r *memtest.Ref, in isa.Inst, lane, i, n int, soffset, addr, v uint64) {
	if !splits(r, in) {
		r.Write(memtest.Global, addr, n, v)
		return
	}
	for b := range n {
		at, _ := r.BufferAddress(in, lane, i*n+b, 1, soffset)
		r.Write(memtest.Global, at, 1, v>>(8*b)&0xff)
	}
}

// reference executes in on r.
func reference(r *memtest.Ref, in isa.Inst) {
	name := in.Row().Name
	v := r.VSharp(in)
	if strings.HasPrefix(name, "buffer_wbinvl1") || v.Bits(126, 2) != 0 {
		return
	}
	soffset := r.Source(in.Get(isa.SOFFSET))
	d := memtest.ParseData(name)
	atomic, isAtomic := strings.CutPrefix(name, "buffer_atomic_")
	if isAtomic {
		d = memtest.Data{Bytes: 4, Count: 1}
		if a, ok := strings.CutSuffix(atomic, "_x2"); ok {
			atomic, d.Bytes = a, 8
		}
	}
	vdata, words := int(in.Get(isa.VDATA)), d.Bytes/4
	m0 := uint64(r.OldS[gcn.M0] & 0xffff)
	for i := range d.Count {
		for lane := range 64 {
			if !r.Active(lane) {
				continue
			}
			first, _ := r.BufferAddress(in, lane, 0, d.Bytes, soffset)
			addr, out := r.BufferAddress(in, lane, i*d.Bytes, d.Bytes, soffset)
			_, viol := refAlign(r, first, d.Bytes*d.Count, isAtomic)
			addr, _ = refAlign(r, addr, d.Bytes*d.Count, isAtomic)
			if viol {
				r.Viol, out = true, true
			}
			r.Note(i, lane, addr, out)
			var p uint64
			switch {
			case name == "buffer_store_lds_dword":
				slot := (m0+uint64(in.Get(isa.OFFSET)))/4*4 + uint64(4*lane)
				if slot+4 <= memtest.LDSSize {
					p = r.Read(memtest.LDS, slot, 4)
				}
				if !out {
					r.Write(memtest.Global, addr, 4, p)
				}
			case in.Bool(isa.LDS):
				if !out {
					p = r.Read(memtest.Global, addr, d.Bytes)
				}
				slot := m0
				if r.Gen >= gcn.GCN12 && r.Driver {
					slot += uint64(in.Get(isa.OFFSET))
				}
				slot = slot/4*4 + uint64(4*lane)
				if slot+4 <= memtest.LDSSize {
					r.Write(memtest.LDS, slot, 4, p)
				}
			case isAtomic:
				pair := func(reg int) (x uint64) {
					for j := range words {
						x |= uint64(r.Old[reg+j][lane]) << (32 * j)
					}
					return x
				}
				if !out {
					p = r.Read(memtest.Global, addr, d.Bytes)
					r.Write(memtest.Global, addr, d.Bytes, memtest.Atomic(atomic, d.Bytes, p, pair(vdata), pair(vdata+words)))
				}
				if in.Bool(isa.GLC) {
					for j := range words {
						r.V[vdata+j][lane] = uint32(p >> (32 * j))
					}
				}
			case strings.Contains(name, "_load_"):
				if !out {
					p = refRead(r, in, lane, i, d.Bytes, soffset, addr)
				}
				r.V[vdata+i][lane] = d.Into(r.Old[vdata+i][lane], p)
				if in.Bool(isa.TFE) {
					r.V[vdata+d.Count][lane] = 0
				}
			default:
				if !out {
					refWrite(r, in, lane, i, d.Bytes, soffset, addr, d.From(r.Old[vdata+i][lane]))
				}
			}
		}
	}
}

// TestAgainstReference executes every MUBUF row on random states.
func TestAgainstReference(t *testing.T) {
	(&memtest.Rows{
		Of:     func(row *isa.Row) bool { return row.Enc == isa.MUBUF && !row.Mem.Format },
		Rules:  []state.Rules{state.SeedRules, state.DriverRules, state.RDNARules},
		States: 20, Setup: (*memtest.World).BufferInst, Reference: reference,
	}).Compare(t)
}

func TestRandomWords(t *testing.T) { memtest.Hammer(t, isa.MUBUF) }
