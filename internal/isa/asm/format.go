package asm

import (
	"slices"
	"strings"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa"
)

// The formats of MTBUF as LLVM names them: codes without a name have one there, and so
// has number format 6, which is SNORM_OGL before GCN 1.2.
var (
	dfmtNames = func() (names [16]string) {
		for code := range names {
			names[code] = gcn.DataFormatName(uint8(code))
		}
		names[0], names[15] = "INVALID", "RESERVED_15"
		return names
	}()
	nfmtNames = func() (names [8]string) {
		for code := range names {
			names[code] = gcn.NumFormatName(uint8(code))
		}
		names[snormOGL] = "RESERVED_6"
		return names
	}()
)

const (
	dfmtPrefix  = isa.DataFormatPrefix
	nfmtPrefix  = isa.NumFormatPrefix
	snormOGL    = 6 // the number format whose name changed
	defaultDFMT = 1 // BUF_DATA_FORMAT_8, with UNORM: not printed
)

// dfmtName and nfmtName return the names of the formats of MTBUF. Both syntaxes have the same names,
// but CLRX has numbers for reserved data formats, which clrxasm takes only so.
func dfmtName(d uint32, s Syntax) string {
	switch {
	case s == CLRX && d == 0:
		return "@0"
	case s == CLRX && d == 15:
		return "@15"
	}
	return dfmtNames[d]
}

func nfmtName(g gcn.Gen, n uint32, s Syntax) string {
	if n == snormOGL && (s == CLRX || isa.GenTraits(g).SnormOGL) {
		return gcn.NumFormatName(snormOGL)
	}
	return nfmtNames[n]
}

// defaultFormat reports whether in has the format that is not printed.
func defaultFormat(in isa.Inst) bool { return in.Get(isa.DFMT) == defaultDFMT && in.Get(isa.NFMT) == 0 }

// appendFormat prints the formats that are not the default ones.
func appendFormat(b []byte, in isa.Inst, p *part) []byte {
	d, n := in.Get(isa.DFMT), in.Get(isa.NFMT)
	b = append(b, " format:["...)
	if d != defaultDFMT {
		b = appendFormatName(b, dfmtPrefix, dfmtName(d, p.syntax), p.syntax)
		if n != 0 {
			b = append(b, ',')
		}
	}
	if n != 0 {
		b = appendFormatName(b, nfmtPrefix, nfmtName(in.Target.Gen(), n, p.syntax), p.syntax)
	}
	return append(b, ']')
}

// appendFormatName prints a name with its prefix, in CLRX syntax without it and in lower case.
func appendFormatName(b []byte, prefix, name string, s Syntax) []byte {
	if s == LLVM {
		return append(append(b, prefix...), name...)
	}
	for n := range len(name) {
		c := name[n]
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		b = append(b, c)
	}
	return b
}

// format takes the format of MTBUF after SOFFSET: format:[...] or format:N, unless dfmt and
// nfmt gave it before.
func (p *parser) format(*part) *syntaxError {
	at := p.begin()
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
		field isa.Field
		last  int64
	}{{"dfmt", isa.DFMT, 15}, {"nfmt", isa.NFMT, 7}}
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
		if p.renamed.yes {
			return p.errorf(p.at, "the number of a format is another on RDNA; write its name, as in format:[BUF_FMT_8_UNORM]")
		}
		v, err := p.integer("format", 0, 127)
		p.set(isa.DFMT, v&15)
		p.set(isa.NFMT, v>>4)
		return err
	}
	data, number := false, false
	for {
		at := p.begin()
		w := p.word()
		d := slices.IndexFunc(dfmtNames[:], func(name string) bool { return w == dfmtPrefix+name })
		n := int64(-1)
		for code := range uint32(8) {
			if w == nfmtPrefix+nfmtName(p.g, code, LLVM) {
				n = int64(code)
			}
		}
		switch {
		case p.rdna && !data && !number && p.unifiedFormat(w):
			return p.expect("]")
		case d >= 0 && data:
			return p.errorf(at, "a second data format")
		case n >= 0 && number:
			return p.errorf(at, "a second number format")
		case d >= 0:
			data = true
			p.set(isa.DFMT, int64(d))
		case n >= 0:
			number = true
			p.set(isa.NFMT, n)
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

// reservedFormats are the names that clrxdisasm prints of codes that have none.
var reservedFormats = [16]string{0: "INVALID", 15: "RESERVED"}

// formatCLRX takes format:[DFMT,NFMT], either or both, as names or numbers.
func (p *parser) formatCLRX(*part) *syntaxError {
	p.folded()
	err := p.expect(":")
	if err == nil {
		err = p.expect("[")
	}
	for f := isa.DFMT; err == nil; f = isa.NFMT { // the data format comes first
		at := p.begin()
		if p.accept("@") {
			err = p.field("format", f)
		} else if !p.formatNameCLRX() {
			p.at = at
			err = p.errorf(at, "expected a data or number format, as 32 or float, found %s", p.found())
		}
		if err == nil && p.accept("]") {
			return nil
		}
		if err == nil {
			err = p.expect(",")
		}
	}
	return err
}

// formatNameCLRX takes the name of a format with or without LLVM's prefix, in any case, and
// reports whether there was one.
func (p *parser) formatNameCLRX() (found bool) {
	at := p.at
	for p.at < len(p.s) && isWordByte(p.s[p.at], false) {
		p.at++
	}
	w := strings.ToUpper(p.s[at:p.at])
	data, isNumber := strings.CutPrefix(w, dfmtPrefix)
	number, isData := strings.CutPrefix(w, nfmtPrefix)
	for d := range uint32(len(dfmtNames)) {
		if !isData && (data == dfmtName(d, CLRX) || w != "" && data == reservedFormats[d]) {
			p.set(isa.DFMT, int64(d))
			p.onlyOurs(data == reservedFormats[d])
			found = true
		}
	}
	for n := range uint32(len(nfmtNames)) {
		if !isNumber && number == nfmtName(p.g, n, CLRX) {
			p.set(isa.NFMT, int64(n))
			found = true
		}
	}
	return found
}
