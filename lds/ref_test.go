package lds_test

import (
	"math/bits"
	"strings"
	"testing"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/testkit/memtest"
	"github.com/gcnsim/gcnsim/state"
)

// atomicNames maps the operation in a DS mnemonic to its name in rule DP9.
var atomicNames = map[string]string{
	"min_i": "smin", "max_i": "smax", "min_u": "umin", "max_u": "umax", "min_f": "fmin", "max_f": "fmax",
	"cmpst_f": "cmpst_f", "cmpst_b": "cmpst", "add_f": "fadd",
}

// operation returns the operation and the operand size in bytes of an atomic mnemonic.
func operation(name string) (op string, n int) {
	name = strings.TrimPrefix(name, "ds_")
	for _, part := range []string{"_rtn", "_src2", "2st64"} {
		name = strings.Replace(name, part, "", 1)
	}
	name = strings.Replace(name, "wrxchg2", "wrxchg", 1)
	cut := strings.LastIndex(name, "_")
	op, kind := name[:cut], name[cut+1:]
	n = 4
	if strings.HasSuffix(kind, "64") {
		n = 8
	}
	if special, ok := atomicNames[op+"_"+kind[:1]]; ok {
		op = special
	}
	return op, n
}

// reference executes in on r, written from rules DS1 to DS15 alone.
func reference(r *memtest.Ref, in isa.Inst) {
	name := in.Row().Name
	space, low, limit := memtest.LDS, uint64(0), uint64(memtest.LDSSize)
	m0 := uint64(r.OldS[gcn.M0])
	if r.Gen < gcn.GCN14 {
		limit = min(limit, m0)
	}
	if in.Bool(isa.GDS) {
		space = memtest.GDS
		low = min(m0>>16, memtest.GDSSize)
		limit = min(m0&0xffff, memtest.GDSSize-low)
	}
	addr, data0, data1, vdst := int(in.Get(isa.ADDR)), int(in.Get(isa.DATA0)), int(in.Get(isa.DATA1)),
		int(in.Get(isa.VDST))
	offset := in.Get(isa.OFFSET)

	// align returns the address that is accessed. Atomics and older generations round down to the size.
	align := func(a uint64, size int, atomic bool) (uint64, bool) {
		round := map[int]uint64{1: 1, 2: 2, 4: 4, 8: 8, 12: 16, 16: 16}[size]
		if atomic || r.Gen < gcn.GCN14 || size <= 8 && r.Port.Align <= state.AlignDword {
			return a / round * round, false
		}
		switch r.Port.Align {
		case state.DefaultAlign, state.AlignDword:
			return a / 4 * 4, false
		case state.AlignDwordStrict:
			return a, a%uint64(min(size, 4)) != 0
		case state.AlignStrict:
			if size == 12 {
				round = 4
			}
			return a, a%round != 0
		}
		return a, false
	}
	pair := func(reg, lane, n int) (x uint64) {
		for j := range n / 4 {
			x |= uint64(r.Old[reg+j][lane]) << (32 * j)
		}
		return x
	}
	lanes := func(f func(lane int)) {
		for lane := range 64 {
			if r.Active(lane) {
				f(lane)
			}
		}
	}

	switch {
	case name == "ds_nop":
		return
	case name == "ds_swizzle_b32":
		lanes(func(lane int) {
			var src int
			if r.Gen >= gcn.GCN12 && offset >= 0xe000 {
				for bit := range 5 {
					src = src<<1 | lane>>bit&1
				}
				src = src>>bits.OnesCount32(offset&31) | lane&int(offset&31) | lane&32
			} else if r.Gen >= gcn.GCN12 && offset >= 0xc000 {
				by := int(offset >> 5 & 31)
				if offset>>10&1 == 1 {
					by = -by
				}
				src = lane&int(offset&31) | (lane+by)&31&^int(offset&31) | lane&32
			} else if offset>>15 == 1 {
				src = lane/4*4 + int(offset>>(2*(lane%4)))&3
			} else {
				src = lane/32*32 + ((lane % 32 & int(offset&31)) | int(offset>>5&31)) ^ int(offset>>10&31)
			}
			r.V[vdst][lane] = 0
			if r.Active(src) {
				r.V[vdst][lane] = r.Old[addr][src]
			}
		})
		return
	case name == "ds_permute_b32":
		var out [64]uint32
		lanes(func(lane int) { out[(r.Old[addr][lane]+offset)/4%64] = r.Old[data0][lane] })
		lanes(func(lane int) { r.V[vdst][lane] = out[lane] })
		return
	case name == "ds_bpermute_b32":
		lanes(func(lane int) {
			src := int((r.Old[addr][lane] + offset) / 4 % 64)
			r.V[vdst][lane] = 0
			if r.Active(src) {
				r.V[vdst][lane] = r.Old[data0][src]
			}
		})
		return
	case name == "ds_append" || name == "ds_consume":
		at, top := m0&0xffff, uint64(memtest.LDSSize)
		if in.Bool(isa.GDS) {
			at, top = m0>>16, memtest.GDSSize
		}
		at = (at + uint64(offset)) / 4 * 4
		var p uint64
		if r.Exec != 0 && at+4 <= top {
			p = r.Read(space, at, 4)
			n := uint64(bits.OnesCount64(r.Exec))
			if name == "ds_consume" {
				n = -n
			}
			r.Write(space, at, 4, p+n)
		}
		lanes(func(lane int) {
			r.V[vdst][lane] = uint32(p)
			r.Note(0, lane, at, at+4 > top)
		})
		return
	case strings.HasSuffix(name, "_addtid_b32"):
		lanes(func(lane int) {
			at := (m0&0xffff+uint64(offset))/4*4 + 4*uint64(lane)
			ok := at+4 <= memtest.LDSSize
			switch {
			case name == "ds_write_addtid_b32" && ok:
				r.Write(memtest.LDS, at, 4, uint64(r.Old[data0][lane]))
			case name == "ds_read_addtid_b32":
				r.V[vdst][lane] = 0
				if ok {
					r.V[vdst][lane] = uint32(r.Read(memtest.LDS, at, 4))
				}
			}
		})
		return
	case strings.Contains(name, "_src2_"):
		op, n := operation(name)
		if op == "write" {
			op = "swap"
		}
		lanes(func(lane int) {
			v := r.Old[addr][lane]
			a, delta := int64(v)/4*4, int64(offset&0x7fff)
			if offset>>14&1 == 1 {
				delta -= 0x8000
			}
			if offset>>15 == 1 {
				a, delta = int64(v>>2&0x7fff)*4, int64(v>>17)
				if v>>31 == 1 {
					delta -= 0x8000
				}
			}
			b := (a + 4*delta) & 0x3ffff
			first, second := uint64(a)/uint64(n)*uint64(n), uint64(b)/uint64(n)*uint64(n)
			out := max(first, second)+uint64(n) > limit
			r.Note(0, lane, low+first, out)
			r.Note(1, lane, low+second, false) // bit 0 was recorded already
			if out {
				return
			}
			r.Write(space, low+first, n, memtest.Atomic(op, n, r.Read(space, low+first, n), r.Read(space, low+second, n), 0))
		})
		return
	}

	atomic := !strings.Contains(name, "_read") && !strings.Contains(name, "_write")
	d := memtest.ParseData(name)
	op := ""
	if atomic {
		op, d.Bytes = operation(name)
	}
	// locate returns the addresses of the elements of a lane and which of them can be accessed.
	locate := func(lane int) (at []uint64, ok []bool) {
		base := r.Old[addr][lane]
		var offsets []uint32
		whole := d.Bytes * d.Count
		if strings.Contains(name, "2st64") || strings.Contains(name, "read2_") || strings.Contains(name, "write2_") ||
			strings.Contains(name, "wrxchg2_") {
			step := uint32(d.Bytes)
			if strings.Contains(name, "st64") {
				step *= 64
			}
			offsets, whole = []uint32{offset & 0xff * step, offset >> 8 * step}, d.Bytes
		} else {
			offsets = []uint32{offset}
		}
		bad := false
		for i, off := range offsets {
			a, viol := align(uint64(base+off), whole, atomic)
			if strings.Contains(name, "condxchg32") {
				a &= 0xfff8
			}
			if viol && i == 0 { // the check of element 0 covers the whole lane
				bad, r.Viol = true, true
			}
			if len(offsets) == 2 {
				at = append(at, a)
				continue
			}
			for j := range d.Count {
				at = append(at, a+uint64(j*d.Bytes))
			}
		}
		for i := range at {
			ok = append(ok, !bad && at[i]+uint64(d.Bytes) <= limit)
			at[i] += low
			r.Note(i, lane, at[i], !ok[i])
		}
		return at, ok
	}
	words := max(d.Bytes/4, 1)
	if atomic {
		lanes(func(lane int) {
			at, ok := locate(lane)
			old := make([]uint64, len(at))
			for i := range at {
				if ok[i] {
					old[i] = r.Read(space, at[i], d.Bytes)
				}
			}
			for i := range at {
				x, c := pair(data0, lane, d.Bytes), pair(data1, lane, d.Bytes)
				if i == 1 {
					x = c
				}
				if ok[i] {
					r.Write(space, at[i], d.Bytes, memtest.Atomic(op, d.Bytes, old[i], x, c))
				}
				for j := range words {
					if strings.Contains(name, "_rtn") {
						r.V[vdst+i*words+j][lane] = uint32(old[i] >> (32 * j))
					}
				}
			}
		})
		return
	}
	for i := range 4 {
		lanes(func(lane int) {
			at, ok := locate(lane)
			if i >= len(at) {
				return
			}
			if strings.Contains(name, "_write") {
				reg := data0 + i*words
				if i == 1 && strings.Contains(name, "write2") {
					reg = data1
				}
				v := pair(reg, lane, 4*words)
				if d.Half == "hi" {
					v >>= 16
				}
				if ok[i] {
					r.Write(space, at[i], d.Bytes, v)
				}
				return
			}
			var p uint64
			if ok[i] {
				p = r.Read(space, at[i], d.Bytes)
			}
			for j := range words {
				r.V[vdst+i*words+j][lane] = d.Into(r.Old[vdst+i*words+j][lane], p>>(32*j))
			}
		})
	}
}

func setup(w *memtest.World, op gcn.Op) isa.Inst {
	r := w.Rand
	row := isa.RowOf(op)
	vaddr := r.IntN(20)
	f := memtest.Fields{
		isa.ADDR: int64(vaddr), isa.DATA0: int64(r.IntN(18)), isa.DATA1: int64(r.IntN(18)), isa.VDST: int64(r.IntN(16)),
	}
	w.Wave.S[gcn.M0] = []uint32{0xffffffff, memtest.LDSSize / 2, uint32(r.IntN(memtest.LDSSize)), 0x04000200}[r.IntN(4)]
	if r.IntN(4) == 0 {
		f[isa.GDS] = 1
	}
	span := []uint32{16, 256, memtest.LDSSize, 0x3000, 0x20000}[r.IntN(5)]
	align := []uint32{0, 3, 15}[r.IntN(3)]
	wide := r.IntN(4)
	w.Set(vaddr, func(lane int) uint32 {
		a := r.Uint32() % span &^ align
		if strings.Contains(row.Name, "src2") {
			a |= uint32(r.IntN(128)-64) << 17
			if wide == 0 {
				a = r.Uint32()
			}
		}
		if r.IntN(200) == 0 {
			a = r.Uint32()
		}
		return a
	})
	offset := int64(r.IntN(64))
	if r.IntN(3) == 0 {
		offset = int64(r.Uint32() & 0xffff)
	}
	if row.Name == "ds_swizzle_b32" && r.IntN(3) == 0 {
		offset |= 0xc000
	}
	if strings.Contains(row.Name, "ds_append") && r.IntN(2) == 0 { // addresses around the last dword
		w.Wave.S[gcn.M0] = (memtest.GDSSize-8)<<16 | memtest.LDSSize - 8
		offset %= 16
	}
	f[isa.OFFSET] = offset
	return memtest.Form(w.Wave.Target, op, f)
}

// unsupported lists the rows that do not execute because their effect is not documented.
var unsupported = map[string]bool{"ds_condxchg32_rtn_b128": true}

// alone lists the rows whose effect depends on other waves; package sim tests them.
var alone = map[string]bool{
	"ds_ordered_count": true, "ds_gws_sema_release_all": true, "ds_gws_init": true, "ds_gws_sema_v": true,
	"ds_gws_sema_br": true, "ds_gws_sema_p": true, "ds_gws_barrier": true,
}

// TestAgainstReference executes every DS row on random states.
func TestAgainstReference(t *testing.T) {
	(&memtest.Rows{
		Of:    func(row *isa.Row) bool { return row.Enc == isa.DS && !alone[row.Name] },
		Rules: []state.Rules{state.SeedRules}, States: 20, Setup: setup, Reference: reference,
		Missing: func(in isa.Inst) bool {
			return unsupported[in.Row().Name] || in.Row().Mem.ByLane && in.Bool(isa.GDS)
		},
	}).Compare(t)
}

func TestRandomWords(t *testing.T) { memtest.Hammer(t, isa.DS) }
