package r600

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/gcnsim/gcnsim/internal/tool/near"
)

// Assemble returns the words of a program and the line number of each. A word is a number, or a macro of the driver
// with its fields:
//
// CF_DWORD0(ADDR(4))
//
// The fields may be in any order. A missing field is 0, and 0 is also accepted for a field that only other families
// have. The text may be the driver's source code: shader[i++] = CF_DWORD0(ADDR(4)); in a function with the
// declaration of i and its return, and with #if X_BYTE_ORDER == X_BIG_ENDIAN, which is false. It may contain C
// comments. Words of several functions are concatenated: see [Functions]. The error is an *[Error] of kind [BadText].
func Assemble(f Family, src string) (words []uint32, lines []int, err error) {
	all, err := Functions(f, src)
	for _, one := range all {
		words, lines = append(words, one.Words...), append(lines, one.Lines...)
	}
	return words, lines, err
}

// Function is one program of a text with several.
type Function struct {
	Name  string // "" for words outside of functions
	Words []uint32
	Lines []int // line number of each word, from 1
}

// Functions returns the programs of a text in the syntax of [Assemble], one for each function, in their order. The
// error is an *[Error] of kind [BadText].
func Functions(f Family, src string) (all []Function, err error) {
	p := &parser{family: f, src: src}
	defer func() {
		if r := recover(); r != nil {
			wrong, ours := r.(*Error)
			if !ours {
				panic(r)
			}
			all, err = nil, wrong
		}
	}()
	for p.next(); p.token != ""; {
		line := p.line()
		switch p.token {
		case "int":
			if name := p.declaration(); name != "" {
				all = append(all, Function{Name: name})
			}
			continue
		case "return":
			p.expect("return", "i", ";")
			continue
		case "}":
			p.next()
			continue
		case "shader":
			p.expect("shader", "[", "i", "+", "+", "]", "=")
		}
		if len(all) == 0 {
			all = append(all, Function{})
		}
		to := &all[len(all)-1]
		to.Words, to.Lines = append(to.Words, p.word()), append(to.Lines, line)
		if p.token == ";" {
			p.next()
		}
	}
	return all, nil
}

// declaration skips the declaration of variable i or the head of a function. It returns the function's name.
func (p *parser) declaration() (function string) {
	p.expect("int")
	if p.token == "i" {
		p.expect("i", "=", "0", ";")
		return ""
	}
	function = p.token
	p.next()
	p.expect("(")
	for p.token != ")" && p.token != "" {
		p.next()
	}
	p.expect(")", "{")
	return function
}

// parser splits the text into tokens: names, numbers and single characters.
type parser struct {
	family Family
	src    string
	at     int    // offset behind the current token
	start  int    // offset of the current token
	token  string // the current token, "" at the end
}

func (p *parser) line() int { return 1 + strings.Count(p.src[:p.start], "\n") }

// fail ends Assemble with an error at the current token.
func (p *parser) fail(format string, args ...any) {
	panic(&Error{Kind: BadText, Line: p.line(), Col: p.start - strings.LastIndexByte(p.src[:p.start], '\n'),
		What: fmt.Sprintf(format, args...)})
}

// next reads the next token.
func (p *parser) next() {
	p.blank()
	p.start = p.at
	for p.at < len(p.src) && inName(p.src[p.at]) {
		p.at++
	}
	if p.at == p.start && p.at < len(p.src) {
		_, size := utf8.DecodeRuneInString(p.src[p.at:])
		p.at += size
	}
	p.token = p.src[p.start:p.at]
}

// inName reports whether the character can be part of a name or a number.
func inName(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z'
}

const (
	noBreakSpace = "\u00a0" // occurs in text copied from web pages
	bigEndian    = "#if X_BYTE_ORDER == X_BIG_ENDIAN"
)

// blank skips spaces, comments, and code for big-endian hosts.
func (p *parser) blank() {
	for p.at < len(p.src) {
		rest := p.src[p.at:]
		switch {
		case strings.IndexByte(" \t\r\n", rest[0]) >= 0:
			p.at++
		case strings.HasPrefix(rest, noBreakSpace):
			p.at += len(noBreakSpace)
		case strings.HasPrefix(rest, bigEndian):
			_, after, _ := strings.Cut(rest, "#else")
			p.at = len(p.src) - len(after)
		case strings.HasPrefix(rest, "#endif"):
			p.at += len("#endif")
		case strings.HasPrefix(rest, "//"):
			if end := strings.IndexByte(rest, '\n'); end >= 0 {
				p.at += end
			} else {
				p.at = len(p.src)
			}
		case strings.HasPrefix(rest, "/*"):
			end := strings.Index(rest[2:], "*/")
			if end < 0 {
				p.start = p.at
				p.fail("a comment does not end; write */ behind it")
			}
			p.at += end + 4
		default:
			return
		}
	}
}

func (p *parser) expect(tokens ...string) {
	for _, token := range tokens {
		switch p.token {
		case token:
			p.next()
		case "":
			p.fail("the text ends where %q is missing", token)
		default:
			p.fail("%q is not what belongs here; write %q", p.token, token)
		}
	}
}

// word parses a number or a macro with its fields.
func (p *parser) word() uint32 {
	if v, ok := number(p.token); ok {
		p.next()
		return v
	}
	nearest := near.To(p.token)
	for k := cf0; k < numWords; k++ {
		if p.token == macros[k] {
			p.next()
			return p.macro(k)
		}
		nearest.Try(macros[k])
	}
	p.fail("%q is no word%s; write a macro such as CF_DWORD0(ADDR(4)) or a number", p.token, suggestion(nearest))
	return 0
}

func suggestion(f *near.Finder) string {
	if f.Name() == "" {
		return ""
	}
	return fmt.Sprintf(", did you mean %s", f.Name())
}

func number(token string) (uint32, bool) {
	v, err := strconv.ParseUint(token, 0, 32)
	return uint32(v), err == nil
}

// macro parses the fields of a word of kind k.
func (p *parser) macro(k word) (w uint32) {
	spans := k.spans(p.family)
	if spans == nil {
		return 0
	}
	p.expect("(")
	if k == op12 && p.token == "ChipSet" { // this macro of the driver depends on the family
		p.expect("ChipSet", ",")
	}
	var given [numFields]bool
	for p.token != ")" {
		f, foreign := p.field(k, spans)
		if given[f] {
			p.fail("%s is given twice", f)
		}
		given[f] = true
		p.next()
		p.expect("(")
		if v, ok := number(p.token); foreign && (!ok || v != 0) {
			p.fail("%v has no %s; leave it out or write %[2]s(0)", p.family, f)
		}
		v := p.value(f, spans)
		for _, s := range spans {
			if s.field == f {
				w |= v >> s.from & s.mask() << s.at
			}
		}
		p.expect(")")
		if p.token != "," {
			break
		}
		p.next()
	}
	p.expect(")")
	return w
}

// field returns the field that the token names. foreign says that only other families have it.
func (p *parser) field(k word, spans []span) (f field, foreign bool) {
	nearest := near.To(p.token)
	for _, s := range spans {
		if s.field.String() == p.token {
			return s.field, false
		}
		nearest.Try(s.field.String())
	}
	for other := range Family(families) {
		for _, s := range k.spans(other) {
			if s.field.String() == p.token {
				return s.field, true
			}
		}
	}
	p.fail("%s of %v has no field %q%s", macros[k], p.family, p.token, suggestion(nearest))
	return 0, false
}

// value parses the value of a field.
func (p *parser) value(f field, spans []span) uint32 {
	width := uint8(0)
	for _, s := range spans {
		if s.field == f {
			width = max(width, s.from+s.width)
		}
	}
	v, ok := f.value(p.family, p.token)
	if !ok {
		if v, ok = number(p.token); !ok {
			nearest := near.To(p.token)
			for _, n := range f.names(p.family) {
				nearest.Try(n.name)
			}
			p.fail("%q is no value of %s%s", p.token, f, suggestion(nearest))
		}
		v -= min(v, fields[f].less) // 0 is stored like 1
	}
	token, start := p.token, p.start
	if p.next(); p.token == "+" { // such as ALU_SRC_GPR_BASE + 1
		p.next()
		more, _ := number(p.token)
		v += more
		p.next()
	}
	if limit := uint64(1) << width; uint64(v) >= limit {
		p.start = start
		p.fail("%s(%s) is too large: at most %d", f, token, limit-1+uint64(fields[f].less))
	}
	return v
}
