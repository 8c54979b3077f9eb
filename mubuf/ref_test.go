package mubuf_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/memtest"
	"github.com/gcnsim/gcnsim/mubuf"
	"github.com/gcnsim/gcnsim/state"
)

// vsharp reads bits of a V# by their positions in seed GcnMemHandling.
type vsharp [4]uint32

func (v vsharp) bits(lo, n int) (x uint64) {
	for i := range n {
		x |= uint64(v[(lo+i)/32]>>((lo+i)%32)&1) << i
	}
	return x
}

// refAddress is addressing and range check of one element of one lane, straight from
// seed GcnMemHandling and spec/memory.md 1 to 3.
func refAddress(r *memtest.Ref, in gcn.Inst, lane, i, size int, soffset uint64) (addr uint64, out bool) {
	var v vsharp
	copy(v[:], r.OldS[in.Get(gcn.SRSRC)*4:])
	var (
		base, stride, swizzle, records = v.bits(0, 48), v.bits(48, 14), v.bits(63, 1) == 1, v.bits(64, 32)
		elem, group                    = uint64(2) << v.bits(115, 2), uint64(8) << v.bits(117, 2)
		tid                            = v.bits(119, 1) == 1
		vega, volcanic                 = r.Gen >= gcn.GCN14, r.Gen == gcn.GCN12
		idxen, offen                   = in.Bool(gcn.IDXEN), in.Bool(gcn.OFFEN)
	)
	vaddr := int(in.Get(gcn.ADDR))
	if in.Bool(gcn.ADDR64) {
		va := uint64(r.Old[vaddr][lane]) | uint64(r.Old[vaddr+1][lane])<<32
		return base + va + uint64(in.Get(gcn.OFFSET)) + soffset + uint64(i*size), false
	}
	var index, voffset uint32
	switch {
	case idxen && offen:
		index, voffset = r.Old[vaddr][lane], r.Old[vaddr+1][lane]
	case idxen:
		index = r.Old[vaddr][lane]
	case offen:
		voffset = r.Old[vaddr][lane]
	}
	if vega && r.Driver {
		elem = 4                 // K2
		swizzle = swizzle && tid // K3
		if idxen && !swizzle {   // R2
			tid = false
		}
	}
	if (vega || volcanic) && tid {
		stride |= v.bits(111, 4) << 14 // R1
	}
	aindex := index
	if tid {
		aindex += uint32(lane)
	}
	aoffset := uint64(in.Get(gcn.OFFSET)+voffset) + uint64(i*size)
	var bufoffset uint64
	if swizzle {
		ix := uint64(aindex)
		bufoffset = aoffset%elem + elem*(ix%group) + group*(ix/group*stride+aoffset/elem*elem)
	} else {
		product := uint64(aindex) * stride
		if !(vega && r.Driver) {
			product = uint64(uint32(product))
		}
		bufoffset = product + aoffset
	}
	addr = (base + soffset + bufoffset) & (1<<48 - 1)
	switch {
	case vega && r.Driver:
		switch {
		case v.bits(119, 1) == 1 && !idxen: // C5
		case idxen && stride != 0: // C6
			out = uint64(index) >= records
		default: // C7
			out = aoffset+soffset+uint64(size) > records
		}
	case stride == 0 || volcanic && r.Driver && v.bits(63, 1) == 0: // C1, K4
		out = bufoffset+soffset >= records
	default: // C2
		out = uint64(aindex) >= records || (idxen || tid) && aoffset >= stride
	}
	return addr, out
}

// refAlign is spec/memory.md 4 L1, L2, L4.
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
	case state.AlignDword:
		addr = addr / small * small
	case state.AlignDwordStrict:
		viol = addr%small != 0
	case state.AlignStrict:
		viol = addr%uint64(bytes) != 0
	}
	return addr, viol || atomic && addr%uint64(bytes) != 0
}

func refSource(r *memtest.Ref, code uint32) uint64 {
	if code < 128 {
		return uint64(r.OldS[code])
	}
	if code <= 192 {
		return uint64(code - 128)
	}
	return uint64(uint32(-int32(code - 192)))
}

// reference executes in on r.
func reference(r *memtest.Ref, in gcn.Inst) {
	name := in.Row().Name
	var v vsharp
	copy(v[:], r.OldS[in.Get(gcn.SRSRC)*4:])
	if strings.HasPrefix(name, "buffer_wbinvl1") || v.bits(126, 2) != 0 {
		return
	}
	soffset := refSource(r, in.Get(gcn.SOFFSET))
	d := memtest.ParseData(name)
	atomic, isAtomic := strings.CutPrefix(name, "buffer_atomic_")
	if isAtomic {
		d = memtest.Data{Bytes: 4, Count: 1}
		if a, ok := strings.CutSuffix(atomic, "_x2"); ok {
			atomic, d.Bytes = a, 8
		}
	}
	vdata, words := int(in.Get(gcn.VDATA)), d.Bytes/4
	m0 := uint64(r.OldS[gcn.M0] & 0xffff)
	for i := range d.Count {
		for lane := range 64 {
			if !r.Active(lane) {
				continue
			}
			first, _ := refAddress(r, in, lane, 0, d.Bytes, soffset)
			addr, out := refAddress(r, in, lane, i, d.Bytes, soffset)
			_, viol := refAlign(r, first, d.Bytes*d.Count, isAtomic)
			addr, _ = refAlign(r, addr, d.Bytes*d.Count, isAtomic)
			if viol {
				r.Viol, out = true, true
			}
			var p uint64
			switch {
			case name == "buffer_store_lds_dword":
				slot := (m0+uint64(in.Get(gcn.OFFSET)))/4*4 + uint64(4*lane)
				if slot+4 <= memtest.LDSSize {
					p = r.Read(memtest.LDS, slot, 4)
				}
				if !out {
					r.Write(memtest.Global, addr, 4, p)
				}
			case in.Bool(gcn.LDS):
				if !out {
					p = r.Read(memtest.Global, addr, d.Bytes)
				}
				slot := m0
				if r.Gen >= gcn.GCN14 && r.Driver {
					slot += uint64(in.Get(gcn.OFFSET))
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
				if in.Bool(gcn.GLC) {
					for j := range words {
						r.V[vdata+j][lane] = uint32(p >> (32 * j))
					}
				}
			case strings.Contains(name, "_load_"):
				if !out {
					p = r.Read(memtest.Global, addr, d.Bytes)
				}
				r.V[vdata+i][lane] = d.Into(r.Old[vdata+i][lane], p)
				if in.Bool(gcn.TFE) {
					r.V[vdata+d.Count][lane] = 0
				}
			default:
				if !out {
					r.Write(memtest.Global, addr, d.Bytes, d.From(r.Old[vdata+i][lane]))
				}
			}
		}
	}
}

func one[T any](r *rand.Rand, of ...T) T { return of[r.IntN(len(of))] }

// setup gives w a V#, offsets and VADDR registers that mostly hit mapped memory.
func setup(w *memtest.World, op gcn.Op) gcn.Inst {
	r := w.Rand
	b := gcn.Buffer{
		Base: memtest.Low + 0x4000 + uint64(r.IntN(64)), Stride: one[uint32](r, 0, 0, 1, 4, 12, 16, 20, 64),
		Swizzle: r.IntN(3) == 0, AddTID: r.IntN(3) == 0, ElemSize: one[uint32](r, 2, 4, 8, 16), IndexStride: one[uint32](r, 8, 16, 32, 64),
		NumRecords: one(r, 0, 5, 64, 100, 1000, 0xffffffff, r.Uint32()), NumFormat: uint8(r.IntN(8)),
	}
	if r.IntN(12) == 0 {
		b.DataFormat = uint8(r.IntN(16))
	}
	if r.IntN(40) == 0 {
		b.Type = 1
	}
	f := memtest.Fields{
		gcn.SRSRC: 2, gcn.VDATA: int64(r.IntN(16)), gcn.ADDR: int64(r.IntN(16)),
		gcn.SOFFSET: one[int64](r, 0, 0, 3, 3, gcn.M0, 128, 128, 129, 160, 192, 193),
		gcn.OFFSET:  one(r, 0, 4, int64(r.IntN(4096))), gcn.GLC: int64(r.IntN(2)),
	}
	copy(w.Wave.S[8:], b.Words())
	for _, s := range []int{0, 3, gcn.M0} {
		w.Wave.S[s] = uint32(r.IntN(300))
	}
	mem := op.Row().Mem
	mode := r.IntN(4)
	if !op.Row().Has(gcn.NoAddr) {
		f[gcn.IDXEN], f[gcn.OFFEN] = int64(mode&1), int64(mode>>1)
	}
	vaddr := int(f[gcn.ADDR])
	limit := one[uint32](r, 4, 64, 1000)
	align := one[uint32](r, 0, 0, 3)
	wild := r.IntN(16) == 0
	for i := range 2 {
		w.Set(vaddr+i, func(int) uint32 {
			if wild && r.IntN(100) == 0 {
				return r.Uint32()
			}
			return r.Uint32() % limit &^ align
		})
	}
	if w.Wave.Gen.HasField(gcn.MUBUF, gcn.ADDR64) && r.IntN(3) == 0 && !op.Row().Has(gcn.NoAddr) {
		f[gcn.ADDR64], f[gcn.IDXEN], f[gcn.OFFEN] = 1, 0, 0
		base := uint64(0)
		if r.IntN(2) == 0 {
			base = memtest.Low
		}
		copy(w.Wave.S[8:], gcn.Buffer{Base: base, NumFormat: 7, DataFormat: 1}.Words())
		w.Set(vaddr, func(int) uint32 { return r.Uint32() % 0x8000 &^ align })
		w.Set(vaddr+1, func(int) uint32 { return uint32((memtest.Low - base) >> 32) })
	}
	if mem.Op == gcn.Load && mem.Count == 1 && mem.Elem <= 4 && mem.D16 == gcn.Full && r.IntN(8) == 0 {
		f[gcn.LDS] = 1
	} else if mem.Op == gcn.Load && r.IntN(4) == 0 {
		f[gcn.TFE] = 1
	}
	in, err := gcn.New(w.Wave.Gen, op, gcn.Invalid)
	if err != nil {
		panic(err)
	}
	for field, v := range f {
		if in, err = in.Set(field, v); err != nil {
			panic(err)
		}
	}
	return in
}

// TestAgainstReference executes every MUBUF row on random states.
func TestAgainstReference(t *testing.T) {
	for _, target := range memtest.Targets {
		for _, rules := range []state.Rules{state.SeedRules, state.DriverRules} {
			t.Run(fmt.Sprintf("%v/%v", target, rules), func(t *testing.T) {
				t.Parallel()
				r := rand.New(rand.NewPCG(1, uint64(target)))
				executed, faults := 0, 0
				for op := gcn.Op(1); int(op) < gcn.NumOps(); op++ {
					row := op.Row()
					if row.Enc != gcn.MUBUF || !row.On(target.Gen()) || row.Mem.Format {
						continue
					}
					for range 20 {
						w := memtest.NewWorld(r, target, rules)
						w.Port.Align = state.Alignment(max(0, r.IntN(7)-3))
						in := setup(w, op)
						ref := memtest.NewRef(w)
						reference(ref, in)
						impl := mubuf.Bind(&in)
						require.NotNil(t, impl.Exec, "%s: %s", row.Name, impl.Why)
						var a state.Access
						f := impl.Exec(w.Wave, &w.Port, &in, &a)
						var v gcn.VSharp
						copy(v[:], ref.OldS[8:])
						ref.Compare(t, w, f, fmt.Sprintf("%s %v %#x align %d", row.Name, v, in.Words, w.Port.Align))
						executed++
						if f != nil {
							faults++
						}
					}
				}
				require.Less(t, faults*5, executed, "most accesses must hit mapped memory")
			})
		}
	}
}

func TestRandomWords(t *testing.T) { memtest.Hammer(t, mubuf.Bind, gcn.MUBUF) }
