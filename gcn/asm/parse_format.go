package asm

import (
	"slices"

	"github.com/gcnsim/gcnsim/gcn"
)

// format takes the format of MTBUF after SOFFSET: format:[...] or format:N, unless dfmt and
// nfmt gave it before.
func (p *parser) format() *syntaxError {
	p.space()
	at := p.at
	if !p.acceptKey("format") {
		return nil
	}
	if p.legacy {
		return p.errorf(at, "a second format")
	}
	return p.formatValue()
}

// legacyFormat takes dfmt:N, nfmt:N, either or both, before SOFFSET.
func (p *parser) legacyFormat() *syntaxError {
	left := []struct {
		word  string
		field gcn.Field
		last  int64
	}{{"dfmt", gcn.DFMT, 15}, {"nfmt", gcn.NFMT, 7}}
	for n := 0; n < len(left); {
		f := left[n]
		if !p.acceptKey(f.word) {
			n++
			continue
		}
		v, err := p.integer(f.word, 0, f.last)
		if err != nil {
			return err
		}
		p.set(f.field, v)
		p.legacy = true
		p.accept(",")
		left, n = slices.Delete(left, n, n+1), 0
	}
	return nil
}

func (p *parser) formatValue() *syntaxError {
	if !p.accept("[") {
		v, err := p.integer("format", 0, 127)
		p.set(gcn.DFMT, v&15)
		p.set(gcn.NFMT, v>>4)
		return err
	}
	data, number := false, false
	for {
		p.space()
		at := p.at
		w := p.word()
		d := slices.IndexFunc(dfmtNames[:], func(name string) bool { return w == dfmtPrefix+name })
		n := int64(-1)
		for code := range uint32(8) {
			if w == nfmtPrefix+nfmtName(p.g, code) {
				n = int64(code)
			}
		}
		switch {
		case d >= 0 && data:
			return p.errorf(at, "a second data format")
		case n >= 0 && number:
			return p.errorf(at, "a second number format")
		case d >= 0:
			data = true
			p.set(gcn.DFMT, int64(d))
		case n >= 0:
			number = true
			p.set(gcn.NFMT, n)
		default:
			p.at = at
			return p.errorf(at, "expected %s... or %s..., found %s", dfmtPrefix, nfmtPrefix, p.found())
		}
		if p.accept("]") {
			return nil
		}
		if err := p.expect(","); err != nil {
			return err
		}
	}
}
