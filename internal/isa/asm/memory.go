package asm

import (
	"fmt"
	"math"
	"math/bits"
	"strconv"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa"
)

// width returns the number of registers of operand p of in.
func width(in isa.Inst, p *part) int {
	switch p.kind {
	case vdata:
		switch in.Enc {
		case isa.MUBUF, isa.MTBUF, isa.MIMG:
			return in.DataDwords()
		}
		return int(p.n) + int(in.Get(isa.TFE))
	case vaddr:
		return in.AddrDwords()
	case resource:
		if in.Bool(isa.R128) {
			return 4
		}
	case vflat:
		if in.Enc == isa.SCRATCH || in.Enc == isa.GLOBAL && in.Get(isa.SADDR) != isa.NoSADDR {
			return 1
		}
		return 2
	}
	return int(p.n)
}

func appendSMEMOffset(b []byte, in isa.Inst, p *part) []byte {
	switch {
	case in.Bool(isa.SOE):
		return appendOperandCode(b, in, p, in.Get(isa.SOFFSET))
	case in.Bool(isa.IMM) && p.syntax == CLRX:
		return appendHexField(b, in, p)
	case in.Bool(isa.IMM):
		return appendSignedHex(b, in.Int(p.field))
	case in.Has(isa.LITERAL) && in.Size == 8:
		v := in.Get(isa.LITERAL)
		if p.syntax == CLRX && v <= 0xff { // the number fits in an immediate
			return append(strconv.AppendUint(append(b, "lit("...), uint64(v), 10), ')')
		}
		return appendHex(b, uint64(v))
	case p.syntax == CLRX:
		return appendOperandCode(b, in, p, in.Get(p.field)&0xff)
	}
	return appendOperandCode(b, in, p, in.Get(p.field)&0x7f)
}

func appendSMEMMore(b []byte, in isa.Inst, p *part) []byte {
	return appendSignedHex(appendKey(b, p), in.Int(p.field))
}

// smemOffset parses the offset of a scalar memory instruction. It is a register, or a number in
// the units of the generation. Source: rule SM1.
func (p *parser) smemOffset(*part) *syntaxError {
	at := p.begin()
	r, ok, err := p.register()
	if err != nil {
		return err
	}
	if ok {
		switch {
		case r.vector || r.code >= isa.NumScalarCodes:
			return p.errorf(at, "expected a scalar register or an offset, found %s", p.s[at:p.at])
		case r.n != 1:
			return p.wrongWidth(r, 1)
		}
		p.moffset = true
		p.set(isa.OFFSET, int64(r.code))
		return nil
	}
	p.set(isa.IMM, 1)
	if p.syntax == LLVM && (p.end() || p.beginsModifier()) { // no offset means 0
		return nil
	}
	return p.smemImmediate()
}

func (p *parser) smemOffsetCLRX(q *part) *syntaxError {
	if !isa.GenTraits(p.g).SMRDLiteral || p.size != 8 && !p.call("lit") {
		return p.smemOffset(q)
	}
	return p.literalOffset()
}

// literalOffset parses the rest of lit(N), or the N of an instruction with a suffix for a literal.
func (p *parser) literalOffset() *syntaxError {
	at := p.begin()
	v, err := p.expr()
	if err == nil && p.size != 8 {
		err = p.expect(")")
	}
	switch {
	case err != nil:
		return err
	case v.isFloat:
		return p.errorf(at, "offset must be an integer")
	}
	p.set(isa.OFFSET, isa.Literal)
	if v.e != nil {
		return p.lateLiteral(v.e, at)
	}
	if v.i < math.MinInt32 || v.i > math.MaxUint32 {
		return p.errorf(at, "offset is %d, which does not fit 32 bits", v.i)
	}
	return p.setLiteral(uint32(v.i), at)
}

// smemMore parses the immediate offset that follows a register offset.
func (p *parser) smemMore(q *part) *syntaxError {
	if !p.moffset || !p.acceptKey(q.word) {
		return nil
	}
	p.set(isa.SOFFSET, int64(p.in.Get(isa.OFFSET)))
	p.set(isa.OFFSET, 0)
	p.set(isa.SOE, 1)
	p.set(isa.IMM, 1)
	return p.smemImmediate()
}

// smemImmediate parses the immediate offset of a scalar memory instruction.
func (p *parser) smemImmediate() *syntaxError {
	at := p.begin()
	if p.syntax == CLRX {
		p.accept("@")
	}
	v, err := p.expr()
	switch {
	case err != nil:
		return err
	case v.isFloat:
		return p.errorf(at, "offset must be an integer")
	case v.e != nil && p.syntax == CLRX:
		p.late = append(p.late, late{v.e, at, func(in isa.Inst, v amount, _ int64) (isa.Inst, *syntaxError) {
			if v.from != nil {
				return in, &syntaxError{what: "offset must be a number, not an address"}
			}
			set, err := setScalarOffset(in, v.n, CLRX)
			if err == nil && !set.Bool(isa.IMM) { // the number needs a literal, for which the instruction has no room
				return in, &syntaxError{what: fmt.Sprintf("offset is %d, must be 0 to 255 if it is defined later", v.n)}
			}
			return set, err
		}})
		return nil
	}
	if v.i, err = p.settle("offset", v, at); err != nil {
		return err
	}
	n, err := p.renamed.offset(v.i, p.in)
	if err == nil {
		p.in, err = setScalarOffset(p.in, n, p.syntax)
	}
	if err != nil {
		err.at = at
	}
	return err
}

// setScalarOffset sets the immediate offset of a scalar memory instruction.
func setScalarOffset(in isa.Inst, n int64, s Syntax) (isa.Inst, *syntaxError) {
	_, width := isa.FieldBits(in.Target.Gen(), isa.SMEM, isa.OFFSET)
	if s == CLRX && width == 21 && n >= 1<<20 && n < 1<<21 {
		n -= 1 << 21 // written as an unsigned number
	}
	buffer := s == LLVM && in.Row().Has(isa.BufferBase)
	set, err := in.Set(isa.OFFSET, n)
	switch {
	case err == nil && !(n < 0 && buffer):
		return set, nil
	case isa.TraitsOf(in.Target).SMRDLiteral && n >= 0 && n <= 1<<32-1:
		for _, f := range [...]struct {
			field isa.Field
			n     int64
		}{{isa.IMM, 0}, {isa.OFFSET, isa.Literal}, {isa.LITERAL, n}} {
			in, _ = in.Set(f.field, f.n)
		}
		return in, nil
	}
	lo, hi, unit := int64(0), int64(1)<<width-1, ""
	if width == 8 {
		unit = " dwords"
	}
	if width == 21 {
		hi = 1<<20 - 1
		if !buffer {
			lo = -1 << 20
		}
	}
	return in, &syntaxError{what: fmt.Sprintf("offset is %d, must be %d to %d%s", n, lo, hi, unit)}
}

// soffset parses SOFFSET, which is required.
func (p *parser) soffset(q *part) *syntaxError {
	if p.space(); p.end() || p.beginsModifier() {
		return p.errorf(p.at, "expected soffset, a scalar register or a constant as 0, before %s", p.found()).certain()
	}
	return p.source(q)
}

// soffsetLLVM parses SOFFSET. The format may precede it, as in older assemblers.
func (p *parser) soffsetLLVM(q *part) *syntaxError {
	if p.in.Enc == isa.MTBUF {
		if err := p.legacyFormat(); err != nil {
			return err
		}
	}
	return p.soffset(q)
}

func appendTuple(b []byte, in isa.Inst, p *part) []byte {
	return appendVGPR(b, in.Get(p.field), width(in, p), p.syntax)
}

// appendAddress prints the address of a buffer instruction. If the instruction has no address, LLVM
// prints off, and CLRX prints the register in the field.
func appendAddress(b []byte, in isa.Inst, p *part) []byte {
	n := width(in, p)
	if n == 0 && p.syntax == LLVM {
		return append(b, "off"...)
	}
	return appendVGPR(b, in.Get(p.field), max(n, 1), p.syntax)
}

func appendData(b []byte, in isa.Inst, p *part) []byte {
	n := width(in, p)
	switch {
	case in.Enc == isa.MIMG && p.syntax == LLVM:
		n = imageTuple(in)
	case in.Enc == isa.MIMG:
		n = clrxData(in)
	}
	return appendVGPR(b, in.Get(p.field), n, p.syntax)
}

func appendFlat(b []byte, in isa.Inst, p *part) []byte {
	if in.Enc == isa.SCRATCH && in.Get(isa.SADDR) != isa.NoSADDR {
		return append(b, "off"...)
	}
	return appendTuple(b, in, p)
}

func appendSADDR(b []byte, in isa.Inst, p *part) []byte {
	if in.Get(p.field) == isa.NoSADDR {
		return append(b, "off"...)
	}
	return appendScalar(b, in, p)
}

func (p *parser) saddr(q *part) *syntaxError {
	if p.acceptWord("off") {
		p.set(q.field, isa.NoSADDR)
		return nil
	}
	return p.scalar(q)
}

// data parses a tuple of VGPRs. The number of registers is checked after the modifiers.
func (p *parser) data(q *part) *syntaxError {
	r, err := p.takeRegister(true, 0)
	if err == nil {
		p.set(q.field, int64(r.code))
		p.widthLater(q, r)
	}
	return err
}

// address parses VGPRs, or the word off.
func (p *parser) address(q *part) *syntaxError {
	if p.acceptWord("off") {
		if q.kind == vflat && p.in.Enc != isa.SCRATCH {
			return p.errorf(p.at-3, "expected a vector register, found off")
		}
		if q.kind == vflat {
			p.noAddress = true
		} else {
			p.widthLater(q, register{at: p.at - 3})
		}
		return nil
	}
	r, err := p.takeRegister(true, 0)
	if err != nil {
		return err
	}
	p.set(q.field, int64(r.code))
	if q.kind == vaddr && r.n == 0 {
		return p.wrongWidth(r, 1)
	}
	p.widthLater(q, r)
	return nil
}

// addressCLRX parses the address of a buffer instruction. It is optional in CLRX syntax.
func (p *parser) addressCLRX(q *part) *syntaxError {
	at := p.begin()
	r, found, err := p.register()
	p.at = at
	if err == nil && found && !r.vector {
		p.widthLater(q, register{at: at})
		return nil
	}
	return p.address(q)
}

// resource parses a T#. Its number of registers depends on R128.
func (p *parser) resource(q *part) *syntaxError {
	r, err := p.takeRegister(false, 0)
	if err != nil {
		return err
	}
	if r.code%4 != 0 {
		return p.errorf(r.at, "operand must begin at a multiple of 4")
	}
	p.set(q.field, int64(r.code/4))
	p.widthLater(q, r)
	return nil
}

// widthLater records that the width of r must be checked after the modifiers.
func (p *parser) widthLater(q *part, r register) {
	if p.numWidths < len(p.widths) {
		p.widths[p.numWidths].p, p.widths[p.numWidths].r = q, r
		p.numWidths++
	}
}

// whyWide returns the modifiers that change the width of the data of an instruction, as text for an error.
func (p *parser) whyWide() string {
	switch {
	case p.in.Bool(isa.TFE):
		return ": tfe takes one more"
	case p.in.Enc == isa.MIMG && p.in.Get(isa.DMASK) == 0:
		return ": without dmask there is one component"
	}
	return ""
}

// imageAddrs returns the smallest number of address VGPRs that LLVM prints for an image instruction: one
// coordinate, one VGPR for each extra argument, and one for derivatives.
func imageAddrs(r *isa.Row) uint8 {
	return 1 + uint8(bits.OnesCount16(uint16(r.Addr&(isa.AddrOffset|isa.AddrBias|isa.AddrCompare|isa.AddrDeriv))))
}

// imageAddrsMost returns the largest number of address VGPRs that LLVM accepts: three coordinates, or four
// without a sampler. Tuples of the next power of two, up to 8, are accepted, too.
func imageAddrsMost(r *isa.Row) int {
	if !r.Has(isa.Sampler) {
		return 4
	}
	n := int(imageAddrs(r)) + 2
	if r.Addr&isa.AddrDeriv != 0 {
		n += 5
	}
	if r.Addr&(isa.AddrClamp|isa.AddrLOD) != 0 {
		n++
	}
	return n
}

// imageTuple returns the number of data VGPRs that LLVM prints. If there is no tuple of the right width, or
// the tuple would end behind v255, it is the smallest number that the instruction can have.
func imageTuple(in isa.Inst) int {
	n, least, most := in.DataDwords(), 1, 5
	switch r := in.Row(); {
	case r.Has(isa.Gathers):
		least = 2
	case r.Mem.Op == gcn.Atomic:
		least = int(r.Mem.Dwords)
		most = 2*least + 1
	}
	if n < least || n > most || n == 3 && in.Row().Has(isa.Gathers) || int(in.Get(isa.VDATA))+n > 256 {
		return least
	}
	return n
}

// clrxImageAddrs returns the number of address VGPRs that CLRX prints, which is at least four.
func clrxImageAddrs(r *isa.Row) uint8 { return uint8(max(clrxAddrs(r), 4)) }

// clrxAddrs returns the number of address VGPRs that CLRX requires: one for each coordinate and each
// argument. Derivatives count as two.
func clrxAddrs(r *isa.Row) int {
	n := int(imageAddrs(r)) + bits.OnesCount16(uint16(r.Addr&(isa.AddrClamp|isa.AddrLOD|isa.AddrDeriv)))
	if r.Addr&isa.NoBody != 0 {
		n--
	}
	return n
}

// clrxData returns the number of data VGPRs of an image instruction in CLRX syntax. Gathers always have
// four.
func clrxData(in isa.Inst) int {
	if in.Row().Has(isa.Gathers) {
		return 4
	}
	n := bits.OnesCount32(in.Get(isa.DMASK))
	if in.Bool(isa.D16) && isa.TraitsOf(in.Target).PackedD16 {
		n = (n + 1) / 2
	}
	return n + int(in.Get(isa.TFE))
}

// lds32 reports whether r loads at most one dword per lane. Only such instructions can load to LDS.
func lds32(r *isa.Row) bool {
	return r.Mem.Op == gcn.Load && r.Mem.Dwords == 1 && r.Mem.D16 == isa.Full
}
