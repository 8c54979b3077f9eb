package asm

import (
	"strconv"
	"strings"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa"
)

// hwregNames are the hardware registers of S_GETREG and S_SETREG in each syntax. Source: rule ST8.
var hwregNames = [20][numSyntaxes]string{
	0: {"", "@0"}, 1: {"HW_REG_MODE", "mode"}, 2: {"HW_REG_STATUS", "status"}, 3: {"HW_REG_TRAPSTS", "trapsts"},
	4: {"HW_REG_HW_ID", "hw_id"}, 5: {"HW_REG_GPR_ALLOC", "gpr_alloc"}, 6: {"HW_REG_LDS_ALLOC", "lds_alloc"},
	7: {"HW_REG_IB_STS", "ib_sts"}, 8: {"", "pc_lo"}, 9: {"", "pc_hi"}, 10: {"", "inst_dw0"}, 11: {"", "inst_dw1"},
	12: {"", "ib_dbg0"}, 13: {"", "ib_dbg1"}, 14: {"", "flush_ib"}, 15: {"HW_REG_SH_MEM_BASES", "sh_mem_bases"},
	16: {"HW_REG_TBA_LO", "sq_shader_tba_lo"}, 17: {"HW_REG_TBA_HI", "sq_shader_tba_hi"},
	18: {"HW_REG_TMA_LO", "sq_shader_tma_lo"}, 19: {"HW_REG_TMA_HI", "sq_shader_tma_hi"},
}

// hwregName returns the name of hardware register id on g, or "" if it has none. Registers from 15 on exist
// on generations that have apertures in registers.
func hwregName(g gcn.Gen, id uint32, s Syntax) string {
	known := 15
	switch t := isa.GenTraits(g); {
	case t.Apertures:
		known = len(hwregNames)
	case s == LLVM:
	case t.SecondWord:
		known = 14
	default:
		known = 13
	}
	if int(id) >= known {
		return ""
	}
	return hwregNames[id][s]
}

// appendHwreg prints a hardware register and its bits. LLVM omits the bits if they are the whole register.
func appendHwreg(b []byte, in isa.Inst, p *part) []byte {
	v := in.Get(p.field)
	id, offset, size := v&63, v>>6&31, v>>11&31+1
	b = append(b, "hwreg("...)
	if name := hwregName(in.Target.Gen(), id, p.syntax); name != "" {
		b = append(b, name...)
	} else if p.syntax == CLRX {
		b = append(b, '@', '0'+byte(id/10), '0'+byte(id%10))
	} else {
		b = strconv.AppendUint(b, uint64(id), 10)
	}
	if p.syntax == CLRX || offset != 0 || size != 32 {
		b = strconv.AppendUint(append(b, ", "...), uint64(offset), 10)
		b = strconv.AppendUint(append(b, ", "...), uint64(size), 10)
	}
	return append(b, ')')
}

func (p *parser) hwreg(q *part) *syntaxError {
	if p.accept("{") {
		return p.hwregFields(q)
	}
	if !p.call("hwreg") {
		return p.imm16(q, "hardware register")
	}
	id, _, err := p.named("hardware register", "HW_REG_", 64, func(id uint32) string { return hwregName(p.g, id, LLVM) })
	if err != nil {
		return err
	}
	return p.hwregRest(q, id)
}

// hwregFields parses the rest of {id: N, offset: N, size: N}. Fields may be missing.
func (p *parser) hwregFields(q *part) *syntaxError {
	names := []string{"id", "offset", "size"} // "" after a field has been read
	lo, hi, v := [...]int64{0, 0, 1}, [...]int64{63, 31, 32}, [...]int64{0, 0, 32}
	for first := true; !p.accept("}"); first = false {
		if !first {
			if err := p.expect(","); err != nil {
				return err
			}
		}
		n := p.oneOf(names...)
		if n < 0 {
			return p.errorf(p.at, "expected id, offset or size, each once, found %s", p.found())
		}
		err := p.expect(":")
		if err == nil {
			v[n], err = p.integer(names[n], lo[n], hi[n])
		}
		if err != nil {
			return err
		}
		names[n] = ""
	}
	p.set(q.field, int64(int16(v[0]|v[1]<<6|(v[2]-1)<<11)))
	return nil
}

// hwregCLRX parses a hardware register and its bits, which CLRX requires.
func (p *parser) hwregCLRX(q *part) *syntaxError {
	if !p.call("hwreg") {
		return p.errorf(p.at, "expected hwreg(NAME, OFFSET, SIZE), found %s", p.found())
	}
	id, err := p.numberedName("hwreg_", func(id uint32) string { return hwregName(p.g, id, CLRX) }, 64)
	switch {
	case err != nil:
		return err
	case p.peek() != ',':
		return p.expect(",")
	}
	return p.hwregRest(q, id)
}

// hwregRest parses the bits of hardware register id and the closing parenthesis.
func (p *parser) hwregRest(q *part, id int64) *syntaxError {
	offset, size := int64(0), int64(32)
	if p.accept(",") {
		var err *syntaxError
		if offset, err = p.integer("bit offset", 0, 31); err != nil {
			return err
		}
		if err := p.expect(","); err != nil {
			return err
		}
		if size, err = p.integer("bitfield width", 1, 32); err != nil {
			return err
		}
	}
	if err := p.expect(")"); err != nil {
		return err
	}
	p.set(q.field, int64(int16(id|offset<<6|(size-1)<<11)))
	return nil
}

// named parses one of count names, or a number. known reports whether it was a name. No symbol begins with prefix.
func (p *parser) named(what, prefix string, count uint32, name func(uint32) string) (
	id int64, known bool, err *syntaxError,
) {
	at := p.begin()
	w := p.word()
	for id := range count {
		if w != "" && name(id) == w {
			return int64(id), true, nil
		}
	}
	if strings.HasPrefix(w, prefix) && w != prefix {
		return 0, false, p.errorf(at, "%v has no %s %s", p.g, what, w)
	}
	p.at = at
	id, err = p.integer(what, 0, int64(count)-1)
	return id, false, err
}

// numberedName parses one of count names with or without the prefix, or @N.
func (p *parser) numberedName(prefix string, name func(uint32) string, count uint32) (int64, *syntaxError) {
	at := p.begin()
	if p.accept("@") {
		return p.integer("number", 0, int64(count)-1)
	}
	w := strings.TrimPrefix(p.folded(), prefix)
	if other := otherNames[w]; other != "" {
		w = other
	}
	for id := range count {
		if w != "" && name(id) == w {
			return int64(id), nil
		}
	}
	p.at = at
	return 0, p.errorf(at, "unknown name %s", p.found())
}

// otherNames are alternative names that CLRX accepts for hardware registers, messages and message
// operations.
var otherNames = map[string]string{
	"emit_cut": "emit-cut",
	"tba_lo":   "sq_shader_tba_lo", "tba_hi": "sq_shader_tba_hi", "tma_lo": "sq_shader_tma_lo",
	"tma_hi": "sq_shader_tma_hi", "sysmsg": "system",
}
