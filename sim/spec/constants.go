package spec

import (
	"encoding/binary"
	"slices"
	"strconv"
	"strings"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/sim/codeobj"
)

// compared is a number that an instruction compares with.
type compared struct {
	bits uint64
	of   gcn.Type // of the operand
}

// maxConstants is how many constants of a kernel launches take into account.
const maxConstants = 8

// comparedWith returns the constants of a kernel's compares, least and greatest values, in the order of the code. A
// value at such a constant, or next to it, takes another way than one that is drawn from a range does.
func comparedWith(o *codeobj.Object, k *codeobj.Kernel) (all []compared) {
	at := slices.IndexFunc(o.Functions, func(f codeobj.Symbol) bool {
		return f.VAddr <= k.Entry && k.Entry < f.VAddr+f.Size
	})
	if at < 0 {
		return nil
	}
	code, _ := o.Bytes(k.Entry, o.Functions[at].VAddr+o.Functions[at].Size-k.Entry)
	words := make([]uint32, len(code)/4)
	_, _ = binary.Decode(code, binary.LittleEndian, words)
	for len(words) > 0 && len(all) < maxConstants {
		in, err := o.Target.Decode(words)
		if err != nil {
			words = words[1:]
			continue
		}
		words = words[in.Size/4:]
		if compares(in.Row().Name) {
			all = appendConstants(all, &in)
		}
	}
	return all[:min(len(all), maxConstants)]
}

// compares reports whether an instruction chooses by its operands' values.
func compares(name string) bool {
	for _, part := range []string{"_cmp", "_min", "_max", "_med3"} {
		if strings.Contains(name, part) {
			return true
		}
	}
	return false
}

// appendConstants adds the constants that an instruction reads, each once.
func appendConstants(all []compared, in *gcn.Inst) []compared {
	for _, o := range in.Operands(nil) {
		if o.File != gcn.NotReg || !o.Read {
			continue
		}
		c := compared{of: o.Type}
		var ok bool
		switch {
		case o.Field == gcn.SIMM16:
			c.bits, ok = uint64(in.Int(gcn.SIMM16)), true
		case in.Has(gcn.LITERAL) && o.Code == gcn.Literal:
			c.bits, ok = uint64(in.Get(gcn.LITERAL)), true
		default:
			c.bits, ok = gcn.InlineConstant(uint32(o.Code), o.Type)
		}
		if ok && c.bits != 0 && !slices.Contains(all, c) {
			all = append(all, c)
		}
	}
	return all
}

// near returns constants and their neighbours as elements of a type, as [Random].With takes them.
func near(all []compared, as Element) (names []string) {
	t := elementTypes[as]
	for _, c := range all {
		if _, float := floats[c.of]; float != (t.mantissa > 0) {
			continue
		}
		var texts []string
		if t.mantissa > 0 {
			texts = append(texts, strconv.FormatFloat(c.float(), 'g', -1, 64))
		} else {
			for _, n := range []int64{0, -1, 1} {
				texts = append(texts, strconv.FormatInt(int64(int32(c.bits))+n, 10))
			}
		}
		for _, text := range texts {
			if _, err := Number(text).of(&t); err == nil && !slices.Contains(names, text) {
				names = append(names, text)
			}
		}
	}
	return names
}

// floats are the elements that have the form of an operand.
var floats = map[gcn.Type]Element{gcn.F16: F16, gcn.F32: F32, gcn.F64: F64}

// float returns the value of a float. A literal of a double has its upper half.
func (c *compared) float() float64 {
	as, ok := floats[c.of]
	if !ok {
		return 0
	}
	t := elementTypes[as]
	if c.of == gcn.F64 && c.bits>>32 == 0 {
		return t.float(c.bits << 32)
	}
	return t.float(c.bits & t.mask())
}
