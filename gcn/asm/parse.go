package asm

import (
	"errors"
	"strings"

	"github.com/gcnsim/gcnsim/gcn"
)

// parser reads one instruction of one form.
type parser struct {
	cursor
	g        gcn.Gen
	anyAlign bool // scalar registers may begin anywhere
	in       gcn.Inst
	shape    *form
	size     uint8 // that a suffix asks for, 0 if none does
	late     []late
	literal  literalState
	glc      bool // written
	lds      bool
	bare     bool // without the destination
	legacy   bool // dfmt or nfmt gave the format of MTBUF

	noAddress bool // SCRATCH: the address is off
	moffset   bool // SMEM: the offset is a register, which an immediate may follow
	scalarAt  int  // where the last scalar register or constant is
	exps      [4]int
	vgprs     int // one more than the highest one named
	sgprs     int
	widths    [6]struct {
		p *part
		r register
	}
	numWidths int
}

// literalState says whether LITERAL is set.
type literalState uint8

const (
	noLiteral literalState = iota
	literalSet
	literalLate // to a number that is not known yet
)

// set sets a field to a value that is known to fit.
func (p *parser) set(f gcn.Field, v int64) {
	if in, err := p.in.Set(f, v); err == nil {
		p.in = in
	}
}

// parsed is an instruction as the text gives it.
type parsed struct {
	gcn.Inst
	late         []late // what is known only when all is read
	vgprs, sgprs int    // one more than the highest register named
}

// instruction reads one instruction. It tries the forms the mnemonic can have and reports the error of the one that got
// furthest.
func (c *cursor) instruction() (parsed, *syntaxError) {
	t, g, s := c.target, c.target.Gen(), c.syntax
	c.space()
	at := c.at
	name := strings.ToLower(c.word())
	if name == "" {
		return parsed{}, c.errorf(at, "expected an instruction, found %s", c.found())
	}
	ops, end := candidates(t, s, name)
	if ops == nil {
		_, err := gcn.Lookup(baseName(name), t)
		if err == nil { // the suffix is none of this syntax
			_, err = gcn.Lookup(name, t)
		}
		return parsed{}, &syntaxError{at: at, what: err.Error(), err: err}
	}
	var worst *syntaxError
	tried, foreign := false, false
	for _, e := range end.encs {
		for _, op := range ops {
			in, err := gcn.New(t, op, e)
			if err != nil {
				continue
			}
			f := formOf(t, op, e, s)
			if f.foreign {
				foreign = true
				continue
			}
			tried = true
			for _, preset := range presets(in, s) {
				p := parser{cursor: *c, g: g, in: in, size: end.size}
				err := p.form(f, preset)
				if err == nil {
					return parsed{canonical(p.in), p.late, p.vgprs, p.sgprs}, nil
				}
				if err.better(worst) && (e != gcn.VOPC || preset == noPreset) {
					worst = err
				}
			}
		}
	}
	if !tried && foreign {
		return parsed{}, c.errorf(at, "%s is not a name of %v syntax on %v", name, s, t)
	}
	if !tried {
		_, err := gcn.New(t, ops[0], end.encs[0])
		if e, ok := errors.AsType[*gcn.Error](err); ok && e.Kind == gcn.NoForm {
			return parsed{}, &syntaxError{at: at, what: err.Error(), err: err}
		}
		return parsed{}, c.errorf(at, "%s has no such form", name)
	}
	return parsed{}, worst
}

// canonical gives an instruction that was written under a second name its own row.
func canonical(in gcn.Inst) gcn.Inst {
	if in.Row().Has(gcn.Alias) {
		words, n := in.Encode()
		if own, err := in.Target.Decode(words[:n]); err == nil {
			return own
		}
	}
	return in
}

// noPreset stands for no field in presets.
const noPreset = gcn.Field(gcn.NumFields)

// presets lists the modifiers that decide which operands there are (see skipped), and VDST
// where the destination may be left out.
func presets(in gcn.Inst, s Syntax) []gcn.Field {
	switch op := in.Row().Mem.Op; {
	case s == CLRX && op == gcn.Atomic && (in.Enc == gcn.FLAT || in.Enc == gcn.GLOBAL || in.Enc == gcn.SCRATCH):
		return []gcn.Field{noPreset, gcn.VDST} // with VDST, and without
	case op == gcn.Atomic && (in.Enc == gcn.FLAT || in.Enc == gcn.GLOBAL || in.Enc == gcn.SCRATCH):
		return []gcn.Field{gcn.GLC, noPreset}
	case s == LLVM && in.Enc != gcn.FLAT && in.Has(gcn.LDS) && lds32(in.Row()):
		return []gcn.Field{noPreset, gcn.LDS}
	case s == LLVM && in.Enc == gcn.VOPC:
		return []gcn.Field{noPreset, gcn.VDST} // with vcc, and without
	}
	return []gcn.Field{noPreset}
}

// form reads operands and modifiers of f.
func (p *parser) form(f *form, preset gcn.Field) *syntaxError {
	p.onlyOurs(false)
	noVDST := preset == gcn.VDST
	p.bare = noVDST
	if preset != noPreset && !noVDST {
		p.set(preset, 1)
	}
	p.shape = f
	p.defaults(f)
	first := true
	for n := range f.parts {
		q := &f.parts[n]
		if p.syntax == CLRX && !q.operand() || noVDST && (q.kind == vdata || q.kind == vcc) {
			continue
		}
		if q.kind != format && q.kind != smemMore && skipped(p.in, q, p.syntax) {
			continue
		}
		p.space()
		start := p.at
		var err *syntaxError
		if q.operand() {
			if p.syntax == CLRX && !first && q.kind != format {
				p.accept(",")
			}
			first = false
			err = p.operand(q)
		} else {
			err = p.modifier(q)
		}
		if err != nil {
			return err
		}
		if p.syntax == LLVM && p.at > start {
			p.accept(",") // behind modifiers and at the end, too
		}
	}
	if p.syntax == CLRX {
		if err := p.modifiersCLRX(f); err != nil {
			return err
		}
	}
	if !p.end() {
		return p.errorf(p.at, "unexpected %s%s", p.found(), expected(f, "; modifiers, in this order:"))
	}
	for _, s := range [...]struct {
		f    gcn.Field
		seen bool
		word string
	}{{gcn.GLC, p.glc, "glc"}, {gcn.LDS, p.lds, "lds"}} {
		if preset == s.f && !s.seen {
			return p.errorf(p.at, "these operands need modifier %s", s.word)
		}
	}
	if p.lds && p.syntax == LLVM && preset != gcn.LDS && lds32(p.in.Row()) {
		return p.errorf(p.at, "lds loads to LDS: there is no data register")
	}
	atomic := p.in.Row().Mem.Op == gcn.Atomic && (p.in.Enc == gcn.FLAT || p.in.Enc == gcn.GLOBAL || p.in.Enc == gcn.SCRATCH)
	if p.glc && (noVDST || p.syntax == LLVM && atomic && preset != gcn.GLC) {
		return p.errorf(p.at, "glc returns a value: it needs a destination")
	}
	return p.finish()
}

// expected lists the modifiers of f for a message.
func expected(f *form, lead string) string {
	var text strings.Builder
	for _, q := range f.parts {
		switch {
		case q.kind == cachePol:
			text.WriteString(" " + strings.Join(policies[:], " "))
		case q.kind == omod:
			text.WriteString(strings.Join(omods[:], ""))
		case !q.operand() && q.word != "" && q.kind != unused:
			text.WriteString(" " + q.word)
		}
	}
	if text.String() == "" {
		return ""
	}
	return lead + text.String()
}

// defaults sets the fields whose value is not 0 when the text is silent.
func (p *parser) defaults(f *form) {
	if p.in.Enc == gcn.VOP3P && (p.syntax == CLRX || !mixRow(p.in.Row())) { // also where there is nothing to select
		p.set(gcn.OPSELHI, 3)
		p.set(gcn.OPSELHI2, 1)
	}
	for n := range f.parts {
		q := &f.parts[n]
		switch q.kind {
		case dstSel, srcSel:
			p.set(q.field, 6)
		case dstUnused:
			if p.syntax == LLVM {
				p.set(q.field, 2)
			}
		case dppCtrl:
			p.set(q.field, 0xe4) // quad_perm:[0,1,2,3]
			p.set(gcn.ROWMASK, 15)
			p.set(gcn.BANKMASK, 15)
		case dmask:
			if p.syntax == CLRX {
				p.set(q.field, 1)
			}
		case format, formatMod:
			p.set(gcn.DFMT, defaultDFMT)
		case implied:
			p.set(q.field, 1)
		}
	}
}

// whyWide says what makes the data of an instruction wider or narrower than it looks.
func (p *parser) whyWide() string {
	switch {
	case p.in.Bool(gcn.TFE):
		return ": tfe takes one more"
	case p.in.Enc == gcn.MIMG && p.in.Get(gcn.DMASK) == 0:
		return ": without dmask there is one component"
	}
	return ""
}

// finish checks what depends on several parts.
func (p *parser) finish() *syntaxError {
	for n := range p.numWidths {
		w := &p.widths[n]
		want := width(p.in, w.p)
		switch {
		case p.syntax == CLRX && p.in.Enc == gcn.MIMG && w.p.kind != resource:
			if err := p.imageRegisters(w.p, w.r); err != nil {
				return err
			}
		case w.p.kind == iaddr:
			most := imageAddrsMost(p.in.Row())
			switch {
			case w.r.n < want:
				return p.errorf(w.r.at, "address has too few registers: must have at least %d", want)
			case w.r.n > most && (w.r.n&(w.r.n-1) != 0 || w.r.n > 8 || w.r.n >= 2*most):
				return p.errorf(w.r.at, "address has too many registers: must have at most %d", most)
			}
		case w.p.kind == vaddr && p.syntax == CLRX && w.r.n == max(want, 1):
		case w.p.kind == vaddr && w.r.n != want && want == 0:
			return p.errorf(w.r.at, "an address register needs idxen, offen or addr64; without one write off")
		case w.r.n != want:
			err := p.wrongWidth(w.r, want)
			err.whole = true
			if w.p.kind == vdata {
				err.what += p.whyWide()
			}
			return err
		}
	}
	if p.size != 0 && p.in.Size != p.size {
		return p.errorf(p.at, "the instruction takes %d bits, its suffix asks for %d", 8*p.in.Size, 8*p.size)
	}
	if p.in.Bool(gcn.ADDR64) && (p.in.Bool(gcn.IDXEN) || p.in.Bool(gcn.OFFEN)) { // rule A8
		return p.errorf(p.at, "addr64 excludes idxen and offen")
	}
	if p.in.Enc == gcn.SCRATCH && !p.noAddress && p.in.Get(gcn.SADDR) != gcn.NoSADDR {
		return p.errorf(p.at, "two addresses: one of the operands must be off")
	}
	if p.in.Enc == gcn.MUBUF && p.in.Bool(gcn.LDS) && p.in.Bool(gcn.TFE) {
		return p.errorf(p.at, "lds excludes tfe")
	}
	if err := p.checkSecondWord(); err != nil {
		return err
	}
	if p.in.Enc == gcn.FLAT && p.in.Bool(gcn.LDS) {
		return p.errorf(p.at, "lds is for global and scratch instructions only")
	}
	if r := p.in.Row(); r.Has(gcn.GDSOnly) && !p.in.Bool(gcn.GDS) && !(p.syntax == CLRX && r.Mem.Ret) { // ds_ordered_count
		return p.errorf(p.at, "%s works on GDS only: it needs gds", p.in.Row().Name)
	}
	if p.syntax == CLRX {
		return p.finishCLRX()
	}
	return p.finishLLVM()
}

// checkSecondWord refuses DPP of 64-bit operands, of which LLVM takes a destination, and
// SDWA of multiply-add from GCN 1.4 on.
func (p *parser) checkSecondWord() *syntaxError {
	r := p.in.Row()
	wide := p.syntax == CLRX && r.Sig.Dst.Info().Dwords == 2 && r.Sig.Dst != gcn.Mask
	for _, t := range r.Sig.Src {
		wide = wide || t.Info().Dwords == 2
	}
	switch {
	case p.in.Has(gcn.DPPCTRL) && wide:
		return p.errorf(p.at, "%s has 64-bit operands: it has no DPP", r.Name)
	case p.in.Has(gcn.SRC0SGPR) && r.Has(gcn.ReadsDst):
		return p.errorf(p.at, "%s has no SDWA on %v", r.Name, p.in.Target)
	}
	return nil
}

// widthLater notes that the width of r is checked when the modifiers are known.
func (p *parser) widthLater(q *part, r register) {
	if p.numWidths < len(p.widths) {
		p.widths[p.numWidths].p, p.widths[p.numWidths].r = q, r
		p.numWidths++
	}
}
