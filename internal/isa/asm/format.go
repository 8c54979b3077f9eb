package asm

import (
	"slices"
	"strings"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa"
)

// The names of MTBUF formats in LLVM. Codes without a name also have one, and so has number
// format 6, which was SNORM_OGL before GCN 1.2.
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
	snormOGL    = 6 // number format 6, whose name changed
	defaultDFMT = 1 // BUF_DATA_FORMAT_8; not printed together with UNORM
)

// dfmtName and nfmtName return the names of the formats of MTBUF. The names are the same in both syntaxes.
// For reserved data formats, CLRX has numbers instead, and clrxasm accepts only these.
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

// defaultFormat reports whether in has the default format, which is not printed.
func defaultFormat(in isa.Inst) bool { return in.Get(isa.DFMT) == defaultDFMT && in.Get(isa.NFMT) == 0 }

// appendFormat prints the formats that differ from the default.
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

// appendFormatName prints a name of a format. In CLRX syntax it has no prefix and is in lower case.
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

// format parses the format of MTBUF after SOFFSET: format:[...] or format:N. If dfmt or nfmt gave the
// format before, there is none.
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

// legacyFormat parses dfmt:N and nfmt:N before SOFFSET. One or both may be present.
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

// reservedFormats are the names that clrxdisasm prints for codes without a name.
var reservedFormats = [16]string{0: "INVALID", 15: "RESERVED"}

// formatCLRX parses format:[DFMT,NFMT] with names or numbers. One or both may be present.
func (p *parser) formatCLRX(*part) *syntaxError {
	p.folded()
	err := p.expect(":")
	if err == nil {
		err = p.expect("[")
	}
	for f := isa.DFMT; err == nil; f = isa.NFMT { // the data format is first
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

// formatNameCLRX parses the name of a format in any case, with or without LLVM's prefix. It reports
// whether there was a name.
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
