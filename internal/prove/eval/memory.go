package eval

import (
	"crypto/sha256"
	"fmt"
	"slices"

	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/prove/term"
	"github.com/gcnsim/gcnsim/internal/sim/codeobj"
)

// place is the address of an access of the lane: a term or, in private memory, a known offset.
type place struct {
	addr    *term.Term
	private bool
	at      uint64
}

// memory executes a load or a store.
func (p *program) memory(s *lane, in *instr) {
	m := &in.row.Mem
	switch {
	case in.row.Enc == isa.SMEM:
		p.scalarLoad(s, in)
	case in.row.Enc == isa.DS:
		p.shared(s, in)
	case in.row.Enc == isa.MIMG || in.row.Enc == isa.MTBUF || m.Format:
		p.fail("an image or a buffer with a format")
	case m.Op == isa.Atomic && (!m.Commutes || m.Second || in.Bool(isa.GLC)):
		p.fail("an atomic operation")
	case m.Op < isa.Load || m.Op > isa.Atomic || in.Bool(isa.TFE) || in.Bool(isa.LDS):
		p.fail("not followed")
	default:
		at, ok := p.place(s, in)
		switch {
		case !ok:
		case m.Op == isa.Load:
			p.load(s, in, at)
		case m.Op == isa.Store:
			p.store(s, in, at)
		case at.private:
			p.fail("an atomic operation in private memory")
		default:
			p.atomic(s, global, at.addr, int(in.Get(isa.VDATA)))
		}
	}
}

// scalarLoad executes a load to scalar registers.
func (p *program) scalarLoad(s *lane, in *instr) {
	if in.does == nil || in.does.Access == nil || !in.does.Access.Scalar {
		p.fail("a scalar access")
		return
	}
	a := in.does.Access
	addr := p.Add(p.sgpr64(s, int(a.Addr)), p.Const(64, uint64(int64(int32(a.Disp[0])))))
	var words []*term.Term
	for i := range a.N {
		at := p.Add(addr, p.Const(64, uint64(4*i)))
		words = append(words, p.read(s, at, 4, s.path))
	}
	for i, w := range words {
		p.setSGPR(s, int(a.Regs[0])+i, w)
	}
}

// place returns the address of a vector access. ok is false if it is not supported.
func (p *program) place(s *lane, in *instr) (at place, ok bool) {
	offset := p.Const(64, uint64(int64(in.Int(isa.OFFSET))))
	pair := func(n int) *term.Term { return p.Concat(p.vgpr(s, n+1), p.vgpr(s, n)) }
	addr := int(in.Get(isa.ADDR))
	switch {
	case in.row.Enc == isa.MUBUF:
		return p.bufferPlace(s, in)
	case in.row.Enc == isa.GLOBAL && in.Get(isa.SADDR) != isa.NoSADDR:
		base := p.sgpr64(s, int(in.Get(isa.SADDR)))
		at.addr = p.Add(p.Add(base, p.Zext(64, p.vgpr(s, addr))), offset)
		return at, true
	case in.row.Enc == isa.GLOBAL:
		at.addr = p.Add(pair(addr), offset)
		return at, true
	case in.row.Enc == isa.FLAT:
		at.addr = p.Add(pair(addr), offset)
		p.Assumed[Flat] = true
		return at, true
	}
	p.fail("private memory by flat scratch")
	return at, false
}

// bufferPlace is place for buffer instructions. It supports only the buffer of private memory.
func (p *program) bufferPlace(s *lane, in *instr) (at place, ok bool) {
	rsrc := int(in.Get(isa.SRSRC)) * 4
	var soffset *term.Term
	if code := in.Get(isa.SOFFSET); code < isa.NumScalarCodes {
		soffset = p.sgpr(s, int(code))
	} else if v, known := isa.InlineConstant(code, isa.B32); known {
		soffset = p.Const(32, v)
	} else {
		p.fail("a SOFFSET operand that is neither an SGPR nor a constant")
		return at, false
	}
	offset := p.Const(32, uint64(in.Get(isa.OFFSET)))
	if in.Bool(isa.OFFEN) {
		offset = p.Add(offset, p.vgpr(s, int(in.Get(isa.ADDR))))
	}
	if p.sgpr(s, rsrc+3) == p.Var(32, scratchWords+" 3", false) &&
		p.sgpr(s, rsrc+2) == p.Var(32, scratchWords+" 2", false) {
		return p.privatePlace(in, soffset, offset)
	}
	p.fail("a buffer")
	return at, false
}

// privatePlace is place for private memory. SOFFSET counts bytes of all 64 lanes of the wave.
func (p *program) privatePlace(in *instr, soffset, offset *term.Term) (at place, ok bool) {
	soffset = p.without(soffset, p.Var(32, waveOffset, false))
	if in.Bool(isa.IDXEN) || soffset.Op != term.Const || soffset.K%256 != 0 || offset.Op != term.Const {
		p.fail("private memory at an address that is not known")
		return at, false
	}
	at.private, at.at = true, soffset.K/64+offset.K
	return at, true
}

// without returns t - x if x is a part of the sum t, and t if it is not.
func (p *program) without(t, x *term.Term) *term.Term {
	if t == x {
		return p.Const(t.Width, 0)
	}
	if t.Op == term.Sum {
		for i, a := range t.Args {
			if a == x && t.Coef[i] == 1 {
				return p.Sub(t, x)
			}
		}
	}
	return t
}

// load executes a vector load.
func (p *program) load(s *lane, in *instr, at place) {
	m, first := &in.row.Mem, int(in.Get(isa.VDST))
	if in.row.Enc == isa.MUBUF {
		first = int(in.Get(isa.VDATA))
	}
	if m.D16 != isa.Full {
		p.fail("half a register")
		return
	}
	bytes := uint64(m.Elem) * uint64(m.Count)
	var words []*term.Term
	for n := uint64(0); n < bytes; n += 4 {
		size := min(bytes-n, 4)
		w := p.loadWord(s, at, n, size)
		if m.Signed {
			w = p.Sext(32, w)
		}
		words = append(words, p.Zext(32, w))
	}
	for i, w := range words {
		p.setVGPR(s, first+i, w)
	}
	if lanes := s.spilled[at.at]; at.private && bytes == 4 && lanes != nil && p.exec(s).IsTrue() {
		s.lanes[first] = lanes
	}
}

// loadWord loads size bytes, at most four, from offset n of an address.
func (p *program) loadWord(s *lane, at place, n, size uint64) *term.Term {
	if at.private {
		return p.privateWord(s, at.at+n, size)
	}
	return p.read(s, p.Add(at.addr, p.Const(64, n)), size, p.cond(s))
}

// privateWord loads size bytes, at most four, of private memory.
func (p *program) privateWord(s *lane, at, size uint64) *term.Term {
	if at%4+size > 4 {
		p.fail("private memory that is not aligned")
		return p.Const(uint8(8*size), 0)
	}
	w := s.private[at&^3]
	if w == nil {
		w = p.undefined(32, true)
		s.private[at&^3] = w
	}
	return p.Extract(uint8(8*(at%4+size)-1), uint8(8*(at%4)), p.Under(w, p.laneFacts(s)))
}

// store executes a vector store.
func (p *program) store(s *lane, in *instr, at place) {
	m, first := &in.row.Mem, int(in.Get(isa.VDATA))
	if m.D16 != isa.Full {
		p.fail("half a register")
		return
	}
	bytes := uint64(m.Elem) * uint64(m.Count)
	for n := uint64(0); n < bytes; n += 4 {
		size := min(bytes-n, 4)
		v := p.Extract(uint8(8*size-1), 0, p.vgpr(s, first+int(n/4)))
		if at.private {
			p.storePrivate(s, at.at+n, size, v)
			continue
		}
		p.write(s, p.Add(at.addr, p.Const(64, n)), size, v)
	}
	if at.private {
		delete(s.spilled, at.at&^3)
		if lanes := s.lanes[first]; bytes == 4 && lanes != nil && p.exec(s).IsTrue() {
			s.spilled[at.at] = lanes
		}
	}
}

// atomic executes an atomic operation that returns nothing and commutes with the same operation of other lanes. It is
// modelled as the store of a function of the old value and the operand. Equal stores of all lanes leave equal memory.
func (p *program) atomic(s *lane, space int, addr *term.Term, data int) {
	m := &p.at.row.Mem
	size := uint64(m.Elem)
	v := p.vgpr(s, data)
	if size == 8 {
		v = p.Concat(p.vgpr(s, data+1), v)
	}
	old := p.old(s, space, addr)
	for i := uint64(p.Unit); i < size; i += uint64(p.Unit) {
		old = p.Concat(p.old(s, space, p.Add(addr, p.Const(addr.Width, i))), old)
	}
	name := fmt.Sprintf("atomic %v of %d bytes", m.Atomic, size)
	p.InOrder = p.InOrder || p.lockstep()
	v = p.function(uint8(8*size), name, p.at.row.Name, []*term.Term{old, v})
	if space == global {
		p.write(s, addr, size, v)
		return
	}
	p.keep(s, space, addr, size, v)
}

// old returns the value of a cell after the lane's own stores.
func (p *program) old(s *lane, space int, addr *term.Term) *term.Term {
	return p.overlay(s.stores[space], addr, p.Fn(8*p.Unit, s.memory[space], addr))
}

// storePrivate stores size bytes, at most four, to private memory.
func (p *program) storePrivate(s *lane, at, size uint64, v *term.Term) {
	old := s.private[at&^3]
	if old == nil {
		old = p.undefined(32, true)
	}
	if at%4+size > 4 {
		p.fail("private memory that is not aligned")
		return
	}
	lo, hi := uint8(8*(at%4)), uint8(8*(at%4+size))
	if hi < 32 {
		v = p.Concat(p.Extract(31, hi, old), v)
	}
	if lo > 0 {
		v = p.Concat(v, p.Extract(lo-1, 0, old))
	}
	delete(s.spilled, at&^3)
	s.private[at&^3] = p.Ite(p.exec(s), v, old)
}

// special returns the variable that addr is based on if it points to the kernel arguments or to the dispatch packet.
func (p *program) special(addr *term.Term) (name string, offset uint64, ok bool) {
	for _, name := range []string{kernarg, packet} {
		if d := p.Sub(addr, p.Var(64, name, false)); d.Op == term.Const {
			return name, d.K, true
		}
	}
	return "", 0, false
}

// read loads size bytes of global memory. cond is the condition of the access.
func (p *program) read(s *lane, addr *term.Term, size uint64, cond *term.Term) *term.Term {
	byteOf := p.memoryByte(addr)
	if byteOf != nil {
		r := byteOf(0)
		for i := uint64(1); i < size; i++ {
			r = p.Concat(byteOf(i), r)
		}
		return r
	}
	return p.cells(s, global, addr, size, cond)
}

// cells loads size bytes of a space, as whole cells. cond is the condition of the access.
func (p *program) cells(s *lane, space int, addr *term.Term, size uint64, cond *term.Term) *term.Term {
	unit := uint64(p.Unit)
	if size < unit {
		p.small = true
		return p.Const(uint8(8*size), 0)
	}
	if len(s.stores[space]) > 0 && p.lockstep() {
		p.InOrder = true
		p.cut(s)
	}
	r := p.cell(s, space, addr, cond)
	for i := unit; i < size; i += unit {
		r = p.Concat(p.cell(s, space, p.Add(addr, p.Const(addr.Width, i)), cond), r)
	}
	return r
}

// memoryByte returns a function that reads byte i after addr, or nil if memory at addr may change.
func (p *program) memoryByte(addr *term.Term) func(i uint64) *term.Term {
	name, offset, ok := p.special(addr)
	switch {
	case ok && name == kernarg:
		return func(i uint64) *term.Term { return p.argument(offset + i) }
	case ok:
		return func(i uint64) *term.Term { return p.dispatched(offset + i) }
	}
	if d := p.Sub(addr, p.base()); d.Op == term.Const {
		return func(i uint64) *term.Term {
			b, ok := codeobj.Constant(p.object, d.K+i, 1)
			if !ok {
				p.fail("data of the object that may change")
				return p.Const(8, 0)
			}
			return p.Const(8, uint64(b[0]))
		}
	}
	if table := p.table(addr); table != nil {
		return table
	}
	if rest := p.runtime(addr, map[*term.Term]bool{}); rest != "" {
		p.fail("memory of the runtime: " + rest)
	}
	return nil
}

// table returns a function that reads byte i after addr if addr is in a table of constants of the object, and nil if it
// is not. Tables with the same bytes use the same function of the offset.
func (p *program) table(addr *term.Term) func(i uint64) *term.Term {
	rest := p.Sub(addr, p.base())
	if slices.Contains(rest.Args, p.base()) || !slices.Contains(addr.Args, p.base()) {
		return nil
	}
	start, data, ok := codeobj.Table(p.object, rest.K)
	if !ok {
		return nil
	}
	p.Assumed[InTable] = true
	name, offset := fmt.Sprintf("constants %x", sha256.Sum256(data)), p.Sub(rest, p.Const(64, start))
	return func(i uint64) *term.Term { return p.Fn(8, name, p.Add(offset, p.Const(64, i))) }
}

// runtime returns the name of the runtime's variable that an address depends on, "" if it depends on none.
func (p *program) runtime(t *term.Term, seen map[*term.Term]bool) string {
	if seen[t] || t.Op == term.Fn {
		return ""
	}
	seen[t] = true
	if t.Op == term.Var {
		for _, name := range pointers {
			if t.Name == name {
				return name
			}
		}
		if t == p.base() || t.Name == privateBase {
			return t.Name
		}
	}
	for _, a := range t.Args {
		if name := p.runtime(a, seen); name != "" {
			return name
		}
	}
	return ""
}

// cell loads one cell: the value that the lane has stored there, or the value before its stores.
func (p *program) cell(s *lane, space int, addr, cond *term.Term) *term.Term {
	if space == global {
		p.res.Loads = append(p.res.Loads, Access{Cond: cond, Addr: addr, PC: p.at.pc})
	}
	return p.old(s, space, addr)
}

// overlay returns the value of a cell after stores. before is its value before them.
func (p *program) overlay(stores []Access, addr, before *term.Term) *term.Term {
	from := len(stores)
	for from > 0 {
		from--
		if a := &stores[from]; a.Addr == addr && a.Cond.IsTrue() {
			break
		}
	}
	v := before
	for _, a := range stores[from:] {
		if p.Full {
			break
		}
		d := p.Sub(addr, a.Addr)
		if d.Op == term.Const && d.K != 0 {
			if p.Unit > 1 && (d.K < uint64(p.Unit) || -d.K < uint64(p.Unit)) {
				p.small = true
			}
			continue
		}
		v = p.Ite(p.And(a.Cond, p.Eq(addr, a.Addr)), a.Value, v)
	}
	return v
}

// Overlay returns the value of a cell after stores. before is its value before them.
func (w *World) Overlay(stores []Access, addr, before *term.Term) *term.Term {
	return (&program{World: w}).overlay(stores, addr, before)
}

// write stores size bytes to global memory.
func (p *program) write(s *lane, addr *term.Term, size uint64, v *term.Term) {
	if name, _, ok := p.special(addr); ok || p.runtime(addr, map[*term.Term]bool{}) != "" {
		p.fail("a store to memory of the runtime " + name)
		return
	}
	p.keep(s, global, addr, size, v)
}

// keep records a store of size bytes to a space.
func (p *program) keep(s *lane, space int, addr *term.Term, size uint64, v *term.Term) {
	unit := uint64(p.Unit)
	if size < unit {
		p.small = true
		return
	}
	cond := p.cond(s)
	if cond.IsFalse() {
		return
	}
	if n := len(s.stores[space]); n > 0 && s.stores[space][n-1].PC != p.at.pc && p.lockstep() {
		p.InOrder = true // another lane may have stored to this address
	}
	for i := uint64(0); i < size; i += unit {
		a := Access{Cond: cond, Addr: p.Add(addr, p.Const(addr.Width, i)), PC: p.at.pc}
		a.Value = p.Extract(uint8(8*(i+unit)-1), uint8(8*i), v)
		s.stores[space] = append(slices.Clip(s.stores[space]), a)
	}
}

// shared executes a load or a store of LDS.
func (p *program) shared(s *lane, in *instr) {
	m := &in.row.Mem
	if m.Op < isa.Load || m.Op > isa.Atomic || m.InLDS || m.ByLane || m.Move != isa.NoMove || m.D16 != isa.Full ||
		in.Bool(isa.GDS) || m.Op == isa.Atomic && (!m.Commutes || m.Second || m.Ret) {
		p.fail("an operation in LDS")
		return
	}
	p.Assumed[InLDS] = true
	addr, elem := p.vgpr(s, int(in.Get(isa.ADDR))), uint64(m.Elem)
	if m.Op == isa.Atomic {
		p.atomic(s, local, p.Add(addr, p.Const(32, uint64(in.Get(isa.OFFSET)))), int(in.Get(isa.DATA0)))
		return
	}
	var words []*term.Term
	for n := range uint64(m.Count) {
		offset := uint64(in.Get(isa.OFFSET)) + n*elem
		data, dword := in.Get(isa.DATA0), n*elem/4
		if in.row.Has(isa.Two) {
			scale := elem
			if m.Stride64 {
				scale *= 64
			}
			offset = uint64(in.Get([]isa.Field{isa.OFFSET0, isa.OFFSET1}[n])) * scale
			if n == 1 {
				data, dword = in.Get(isa.DATA1), 0
			}
		}
		at := p.Add(addr, p.Const(32, offset))
		for i := uint64(0); i < elem; i += 4 {
			size := min(elem-i, 4)
			to := p.Add(at, p.Const(32, i))
			if m.Op == isa.Store {
				v := p.vgpr(s, int(data)+int(dword+i/4))
				p.keep(s, local, to, size, p.Extract(uint8(8*size-1), 0, v))
				continue
			}
			w := p.cells(s, local, to, size, p.cond(s))
			if m.Signed {
				w = p.Sext(32, w)
			}
			words = append(words, p.Zext(32, w))
		}
	}
	for i, w := range words {
		p.setVGPR(s, int(in.Get(isa.VDST))+i, w)
	}
}
