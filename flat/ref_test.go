package flat_test

import (
	"strings"
	"testing"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/testkit/memtest"
	"github.com/gcnsim/gcnsim/state"
)

// apertures returns the high dwords of the shared and private aperture that KFD sets up (rule F11).
func apertures(g gcn.Gen) (shared, private uint64) {
	if g >= gcn.GCN14 {
		return 1 << 48, 2 << 48
	}
	return 1 << 61, 1<<61 + 1<<32
}

const scratchBase = memtest.Low + 0x100 // where the tests map SH_HIDDEN_PRIVATE_BASE

// reference executes in on r, written from rules F1 to F13 alone.
func reference(r *memtest.Ref, in isa.Inst) {
	segment, rest, _ := strings.Cut(in.Row().Name, "_")
	d := memtest.ParseData(in.Row().Name)
	atomic, isAtomic := strings.CutPrefix(rest, "atomic_")
	if isAtomic {
		d = memtest.Data{Bytes: 4, Count: 1}
		if a, ok := strings.CutSuffix(atomic, "_x2"); ok {
			atomic, d.Bytes = a, 8
		}
	}
	vega := r.Gen >= gcn.GCN14
	shared, private := apertures(r.Gen)
	offset := int64(0)
	if vega {
		offset = int64(in.Words & 0xfff)
		if segment != "flat" && in.Words>>12&1 == 1 {
			offset -= 4096
		}
	}
	vaddr, vdata, vdst := int(in.Get(isa.ADDR)), int(in.Get(isa.VDATA)), int(in.Get(isa.VDST))
	saddr := int(in.Words >> 48 & 0x7f)
	scalar := segment != "flat" && saddr != 0x7f

	// FLAT_SCRATCH: rules F12 and K1.
	var base, size uint64
	switch {
	case vega:
		base, size = uint64(r.OldS[102])|uint64(r.OldS[103])<<32, 1<<32
	default:
		code := 102
		if r.Gen == gcn.GCN11 {
			code = 104
		}
		lo, hi := uint64(r.OldS[code]), uint64(r.OldS[code+1])
		if r.Driver {
			lo, hi = hi, lo
		}
		base, size = scratchBase+(lo&0xffffff)*256, hi&0x7ffff
	}

	for i := range d.Count {
		for lane := range 64 {
			if !r.Active(lane) {
				continue
			}
			var addr uint64
			switch {
			case segment == "scratch" && scalar:
				addr = uint64(r.OldS[saddr] + uint32(offset))
			case segment == "scratch":
				addr = uint64(r.Old[vaddr][lane] + uint32(offset))
			case scalar:
				addr = uint64(r.OldS[saddr]) | uint64(r.OldS[saddr+1])<<32
				addr += uint64(r.Old[vaddr][lane]) + uint64(offset)
			default:
				addr = uint64(r.Old[vaddr][lane]) | uint64(r.Old[vaddr+1][lane])<<32
				addr += uint64(offset)
			}
			where := memtest.Global
			switch {
			case segment == "scratch" || segment == "flat" && addr>>32 == private>>32:
				where, addr = "private", addr&0xffffffff
			case segment == "flat" && addr>>32 == shared>>32:
				where, addr = memtest.LDS, addr&0xffffffff
			}
			bytes := d.Bytes * d.Count
			align, viol := uint64(min(bytes, 4)), false
			switch r.Port.Align {
			case state.DefaultAlign, state.AlignDword:
				addr = addr / align * align
			case state.AlignDwordStrict:
				viol = addr%align != 0
			case state.AlignStrict:
				viol = addr%map[int]uint64{1: 1, 2: 2, 4: 4, 8: 8, 12: 4, 16: 16}[bytes] != 0
			}
			viol = viol || isAtomic && addr%uint64(bytes) != 0
			out := viol
			addr += uint64(i * d.Bytes)
			offset := addr
			// at returns the address of byte b: private memory is interleaved by dwords.
			at := func(b int) uint64 { return addr + uint64(b) }
			switch where {
			case memtest.LDS:
				limit := uint64(memtest.LDSSize)
				if !vega {
					limit = min(limit, uint64(r.OldS[gcn.M0]))
				}
				out = out || addr+uint64(d.Bytes) > limit
			case "private":
				if addr >= size || isAtomic {
					viol, out = true, true
				}
				at = func(b int) uint64 {
					o := offset + uint64(b)
					return base + o/4*256 + uint64(lane)*4 + o%4
				}
				where, addr = memtest.Global, at(0)
			}
			r.Viol = r.Viol || viol
			r.Note(i, lane, addr, out)
			var p uint64
			if !out && !strings.HasPrefix(rest, "store") {
				for b := range d.Bytes {
					p |= r.Read(where, at(b), 1) << (8 * b)
				}
			}
			switch {
			case isAtomic:
				pair := func(reg int) (x uint64) {
					for j := range d.Bytes / 4 {
						x |= uint64(r.Old[reg+j][lane]) << (32 * j)
					}
					return x
				}
				if !out {
					r.Write(where, addr, d.Bytes, memtest.Atomic(atomic, d.Bytes, p, pair(vdata), pair(vdata+d.Bytes/4)))
				}
				for j := range d.Bytes / 4 {
					if in.Bool(isa.GLC) {
						r.V[vdst+j][lane] = uint32(p >> (32 * j))
					}
				}
			case strings.HasPrefix(rest, "load"):
				r.V[vdst+i][lane] = d.Into(r.Old[vdst+i][lane], p)
				if in.Bool(isa.TFE) {
					r.V[vdst+d.Count][lane] = 0
				}
			case !out:
				for b := range d.Bytes {
					r.Write(where, at(b), 1, d.From(r.Old[vdata+i][lane])>>(8*b))
				}
			}
		}
	}
}

// setup gives w addresses in all apertures that mostly lie in mapped memory.
func setup(w *memtest.World, op gcn.Op) isa.Inst {
	r, g := w.Rand, w.Wave.Target.Gen()
	row := isa.RowOf(op)
	vaddr := r.IntN(16)
	f := memtest.Fields{isa.ADDR: int64(vaddr), isa.VDATA: int64(r.IntN(16)), isa.VDST: int64(r.IntN(16)),
		isa.GLC: int64(r.IntN(2))}
	w.Wave.S[gcn.M0] = []uint32{0xffffffff, 0x1000, 0}[r.IntN(3)]
	w.Port.ScratchBase = scratchBase
	switch {
	case g >= gcn.GCN14:
		w.Wave.SetFlatScratch(memtest.Low + 0x1000)
	case w.Port.Rules == state.DriverRules:
		w.Wave.SetFlatScratch(0x10<<32 | 0x80)
	default:
		w.Wave.SetFlatScratch(0x10 | 0x80<<32)
	}
	offset := int64(0)
	if g >= gcn.GCN14 {
		offset = int64(r.IntN(4096))
		if row.Enc != isa.FLAT {
			offset -= int64(r.IntN(4096))
			f[isa.SADDR] = isa.NoSADDR
			if r.IntN(2) == 0 {
				f[isa.SADDR] = 10
			}
		}
		f[isa.OFFSET] = offset
	} else if row.Mem.Op == gcn.Load {
		f[isa.TFE] = int64(r.IntN(2))
	}
	shared, private := apertures(g)
	align := []uint32{0, 3, 7, 7}[r.IntN(4)]
	mix := r.IntN(3)
	for lane := range 64 {
		var a uint64
		kind := mix
		if r.IntN(2) == 0 {
			kind = r.IntN(3)
		}
		switch {
		case row.Enc == isa.SCRATCH:
			a = uint64(r.Uint32()%128&^align) - uint64(offset)
		case row.Enc == isa.FLAT && kind == 1:
			a = shared + uint64(r.Uint32()%(memtest.LDSSize+64)&^align) - uint64(offset)
		case row.Enc == isa.FLAT && kind == 2:
			a = private + uint64(r.Uint32()%132&^align) - uint64(offset)
		default:
			a = memtest.Low + uint64(r.Uint32()%0x8000&^align) - uint64(offset)
			if r.IntN(4) == 0 {
				a = memtest.High + uint64(r.Uint32()%0x800&^align) - uint64(offset)
			}
		}
		if f[isa.SADDR] == 10 && row.Enc == isa.GLOBAL {
			a = uint64(r.Uint32() % 0x8000 &^ align)
		}
		w.Wave.V[vaddr][lane], w.Wave.V[vaddr+1][lane] = uint32(a), uint32(a>>32)
	}
	if row.Enc == isa.SCRATCH {
		w.Wave.S[10] = r.Uint32()%256 - uint32(offset)
	} else {
		w.Wave.SetScalar64(10, memtest.Low+uint64(-offset))
	}
	return memtest.Form(w.Wave.Target, op, f)
}

// TestAgainstReference executes every FLAT, GLOBAL and SCRATCH row on random states.
func TestAgainstReference(t *testing.T) {
	(&memtest.Rows{
		Of:    func(row *isa.Row) bool { return row.Enc == isa.FLAT || row.Enc == isa.GLOBAL || row.Enc == isa.SCRATCH },
		Rules: []state.Rules{state.SeedRules, state.DriverRules}, States: 12, Setup: setup, Reference: reference,
	}).Compare(t)
}

func TestRandomWords(t *testing.T) { memtest.Hammer(t, isa.FLAT, isa.GLOBAL, isa.SCRATCH) }
