// Package demangle reads names of functions as compilers of C++ write them into object files. It
// knows the forms that names of kernels and device functions have: namespaces, templates, builtin
// types, pointers, references and vectors. Other names stay as they are.
//
// Source: Itanium C++ ABI, "External Names (a.k.a. Mangling)".
package demangle

import (
	"errors"
	"strconv"
	"strings"
)

// Symbol returns a symbol as its source has it: "vadd(float const*, int)" for "_Z4vaddPKfi". What follows
// a "+" stays. A symbol that is not mangled, or in a form that is not known here, comes back as it is.
func Symbol(symbol string) string {
	name, offset, more := strings.Cut(symbol, "+")
	mangled, ok := strings.CutPrefix(name, "_Z")
	if !ok {
		return symbol
	}
	p := parser{rest: mangled}
	text, err := p.encoding()
	switch {
	case err != nil || p.rest != "":
		return symbol
	case more:
		text += "+" + offset
	}
	return text
}

// Bounds: of the nesting of types, and of the length of a name, which substitutions may double again
// and again.
const (
	maxDepth = 64
	maxText  = 4096
)

var errUnknown = errors.New("not a known form of a mangled name")

// parser reads a mangled name from its start.
type parser struct {
	rest  string
	depth int
	seen  []string // what substitutions refer to
	args  []string // of the template that was read last
}

// take removes a prefix and reports whether it was there.
func (p *parser) take(prefix string) bool {
	rest, ok := strings.CutPrefix(p.rest, prefix)
	p.rest = rest
	return ok
}

// add remembers a part for substitutions.
func (p *parser) add(text string) (string, error) {
	if len(text) > maxText {
		return "", errUnknown
	}
	p.seen = append(p.seen, text)
	return text, nil
}

// encoding reads a name with the types of its parameters.
func (p *parser) encoding() (string, error) {
	name, isConst, err := p.name()
	if err != nil || p.rest == "" {
		return name, err
	}
	result := ""
	if strings.HasSuffix(name, ">") { // functions that are templates begin with the type of the result
		if result, err = p.typ(); err != nil {
			return "", err
		}
		result += " "
	}
	var params []string
	for p.rest != "" {
		t, err := p.typ()
		if err != nil {
			return "", err
		}
		params = append(params, t)
	}
	if len(params) == 1 && params[0] == "void" {
		params = nil
	}
	text := result + name + "(" + strings.Join(params, ", ") + ")" + isConst
	if len(text) > maxText {
		return "", errUnknown
	}
	return text, nil
}

// name reads a name. isConst is " const" for a member function that is const.
func (p *parser) name() (name, isConst string, err error) {
	if p.take("N") {
		if p.take("K") {
			isConst = " const"
		}
		name, err = p.nested()
		return name, isConst, err
	}
	space := ""
	if p.take("St") {
		space = "std::"
	}
	if name, err = p.source(); err != nil {
		return "", "", err
	}
	name = space + name
	if !strings.HasPrefix(p.rest, "I") {
		return name, "", nil
	}
	if _, err = p.add(name); err == nil {
		name, err = p.template(name)
	}
	return name, "", err
}

// nested reads the parts of a name in namespaces and classes, to the E behind it.
func (p *parser) nested() (name string, err error) {
	for fresh := false; !p.take("E"); {
		if fresh {
			if _, err = p.add(name); err != nil {
				return "", err
			}
		}
		fresh = true
		switch {
		case name == "" && p.take("St"):
			name, fresh = "std", false
		case name == "" && strings.HasPrefix(p.rest, "S"):
			name, err = p.substitution()
			fresh = false
		case name != "" && strings.HasPrefix(p.rest, "I"):
			name, err = p.template(name)
		default:
			var part string
			if part, err = p.source(); name != "" {
				part = "::" + part
			}
			name += part
		}
		if err != nil {
			return "", err
		}
	}
	if name == "" {
		return "", errUnknown
	}
	return name, nil
}

// source reads a name with its length before it.
func (p *parser) source() (string, error) {
	p.take("L") // of the file alone
	digits := len(p.rest) - len(strings.TrimLeft(p.rest, "0123456789"))
	n, err := strconv.Atoi(p.rest[:digits])
	if err != nil || n == 0 || n > len(p.rest)-digits {
		return "", errUnknown
	}
	name := p.rest[digits:][:n]
	p.rest = p.rest[digits+n:]
	if strings.HasPrefix(name, "_GLOBAL__N") {
		name = "(anonymous namespace)"
	}
	return name, nil
}

// template reads the arguments of a template.
func (p *parser) template(name string) (string, error) {
	p.take("I")
	var args []string
	for !p.take("E") {
		var arg string
		var err error
		if p.take("L") {
			arg, err = p.literal()
		} else {
			arg, err = p.typ()
		}
		if err != nil {
			return "", err
		}
		args = append(args, arg)
	}
	p.args = args
	text := name + "<" + strings.Join(args, ", ") + ">"
	if len(text) > maxText {
		return "", errUnknown
	}
	return text, nil
}

// suffixes are how literals of integer types end.
var suffixes = map[string]string{"i": "", "j": "u", "l": "l", "m": "ul", "x": "ll", "y": "ull"}

// literal reads an argument of a template that is a number or a truth value.
func (p *parser) literal() (string, error) {
	value, rest, ok := strings.Cut(p.rest, "E")
	if !ok || len(value) < 2 {
		return "", errUnknown
	}
	p.rest = rest
	kind, number := value[:1], value[1:]
	switch value {
	case "b0":
		return "false", nil
	case "b1":
		return "true", nil
	}
	digits, negative := strings.CutPrefix(number, "n")
	suffix, known := suffixes[kind]
	if !known || digits == "" || strings.Trim(digits, "0123456789") != "" {
		return "", errUnknown
	}
	if negative {
		digits = "-" + digits
	}
	return digits + suffix, nil
}

// builtins are the types that have a letter.
var builtins = map[byte]string{
	'v': "void", 'w': "wchar_t", 'b': "bool", 'c': "char", 'a': "signed char", 'h': "unsigned char", 's': "short",
	't': "unsigned short", 'i': "int", 'j': "unsigned int", 'l': "long", 'm': "unsigned long", 'x': "long long",
	'y': "unsigned long long", 'n': "__int128",
	'o': "unsigned __int128", 'f': "float", 'd': "double", 'e': "long double", 'g': "__float128", 'z': "...",
}

// behind are the letters before a type that stand for what is written behind it.
var behind = []struct{ letter, text string }{
	{"P", "*"}, {"R", "&"}, {"O", "&&"}, {"r", " restrict"}, {"V", " volatile"}, {"K", " const"},
}

// typ reads a type.
func (p *parser) typ() (string, error) {
	p.depth++
	defer func() { p.depth-- }()
	if p.rest == "" || p.depth > maxDepth {
		return "", errUnknown
	}
	if name, ok := builtins[p.rest[0]]; ok {
		p.rest = p.rest[1:]
		return name, nil
	}
	for i, q := range behind {
		if !p.take(q.letter) {
			continue
		}
		text := q.text
		for _, more := range behind[i+1:] { // qualifiers of one type are one part
			if i >= 3 && p.take(more.letter) {
				text = more.text + text
			}
		}
		of, err := p.typ()
		if err != nil {
			return "", err
		}
		return p.add(of + text)
	}
	outer := p.args
	defer func() { p.args = outer }() // those of the function count
	switch {
	case p.take("DF16_"):
		return "_Float16", nil
	case p.take("Dv"):
		return p.vector()
	case p.take("U"):
		qualifier, err := p.source()
		if err != nil {
			return "", err
		}
		of, err := p.typ()
		if err != nil {
			return "", err
		}
		return p.add(of + " " + qualifier)
	case p.take("T"):
		return p.parameter()
	case strings.HasPrefix(p.rest, "S") && !strings.HasPrefix(p.rest, "St"):
		text, err := p.substitution()
		if err != nil || !strings.HasPrefix(p.rest, "I") {
			return text, err
		}
		if text, err = p.template(text); err != nil {
			return "", err
		}
		return p.add(text)
	}
	name, _, err := p.name()
	if err != nil {
		return "", err
	}
	return p.add(name)
}

// vector reads a type as of __attribute__((ext_vector_type(4))).
func (p *parser) vector() (string, error) {
	n, rest, ok := strings.Cut(p.rest, "_")
	if !ok || n == "" || strings.Trim(n, "0123456789") != "" {
		return "", errUnknown
	}
	p.rest = rest
	of, err := p.typ()
	if err != nil {
		return "", err
	}
	return p.add(of + " vector[" + n + "]")
}

// number reads what stands between T or S and the underscore behind it: nothing is 0, and the digits
// of a base begin at 1.
func (p *parser) number(base int) (int, error) {
	digits, rest, ok := strings.Cut(p.rest, "_")
	if !ok {
		return 0, errUnknown
	}
	p.rest = rest
	if digits == "" {
		return 0, nil
	}
	n, err := strconv.ParseUint(digits, base, 16)
	if err != nil || strings.ToUpper(digits) != digits {
		return 0, errUnknown
	}
	return int(n) + 1, nil
}

// parameter reads which argument of the template a type is.
func (p *parser) parameter() (string, error) {
	n, err := p.number(10)
	if err != nil || n >= len(p.args) {
		return "", errUnknown
	}
	return p.add(p.args[n])
}

// substitution reads a part that was there before.
func (p *parser) substitution() (string, error) {
	p.take("S")
	n, err := p.number(36)
	if err != nil || n >= len(p.seen) {
		return "", errUnknown
	}
	return p.seen[n], nil
}
