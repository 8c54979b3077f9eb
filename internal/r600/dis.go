package r600

import (
	"fmt"
	"slices"
	"strings"
)

// listing is a decoded program: its words, with the kind of each.
type listing struct {
	kinds []word        // of each word
	heads []bool        // whether an instruction, or a word that is not one, begins there
	insts map[int]*Inst // by index of the first word
}

// Disassemble returns the text of a program, one word a line. [Assemble] converts it back to the same words. Words
// that belong to no instruction, such as literals, are numbers.
func Disassemble(f Family, words []uint32) string {
	var out strings.Builder
	l := survey(f, words)
	for i, w := range words {
		if l.heads[i] {
			fmt.Fprintf(&out, "/* %d */\n", i/2)
		}
		out.WriteString(text(f, l.kinds[i], w) + "\n")
	}
	return out.String()
}

// survey decodes the instructions of a program: control flow up to its end or to the first clause, and the clauses.
func survey(f Family, words []uint32) listing {
	l := listing{make([]word, len(words)), make([]bool, len(words)), map[int]*Inst{}}
	end := uint64(len(words))
	for i := uint64(0); i+2 <= end; i += 2 {
		in, err := decodeInst(f, words[i:])
		if err != nil {
			l.heads[i] = true
			continue
		}
		l.mark(i, &in)
		if in.class == classFetch || in.class == classALU {
			start := 2 * uint64(in.get(fieldAddr))
			if start > i {
				end = min(end, start)
			}
			if in.class == classFetch {
				l.clause(f, words, start, int(in.get(fieldCount))+1)
			} else {
				l.groups(f, words, start, uint64(in.get(fieldCount))+1)
			}
		}
		if in.ends() {
			break
		}
	}
	return l
}

// ends reports whether the program ends after the instruction (rule FS1).
func (in *Inst) ends() bool {
	return in.get(fieldEndOfProgram) != 0 || in.does == doRet || in.does == doEnd
}

// clause marks the instructions of a fetch clause.
func (l *listing) clause(f Family, words []uint32, at uint64, count int) {
	for ; count > 0 && at+4 <= uint64(len(words)); at, count = at+4, count-1 {
		if in, err := decodeFetch(f, words[at:]); err == nil {
			l.mark(at, &in)
		}
	}
}

// groups marks the instructions of an ALU clause. Literals stay numbers.
func (l *listing) groups(f Family, words []uint32, at, slots uint64) {
	end := min(at+2*slots, uint64(len(words))&^1)
	literals := uint64(0)
	for at < end {
		in, err := decodeALU(f, words[at:])
		if err != nil {
			return
		}
		l.mark(at, &in)
		at += 2
		for i := range in.Sources() {
			if in.get(sourceFields[i].sel) == srcLiteral {
				literals = max(literals, uint64(in.get(sourceFields[i].elem))+1)
			}
		}
		if in.get(fieldLast) != 0 {
			at, literals = at+(literals+1)&^1, 0
		}
	}
}

// mark records that in begins at a word, unless the word belongs to another instruction.
func (l *listing) mark(at uint64, in *Inst) {
	form := forms[in.class]
	for _, k := range l.kinds[at : at+uint64(len(form))] {
		if k != raw {
			return
		}
	}
	copy(l.kinds[at:], form)
	l.heads[at], l.insts[int(at)] = true, in
}

// text returns the text of a word of kind k.
func text(f Family, k word, w uint32) string {
	if k == raw {
		return fmt.Sprintf("0x%08x", w)
	}
	spans := k.spans(f)
	if spans == nil {
		return macros[k]
	}
	in := Inst{Family: f}
	in.take(k, w)
	args := make([]string, 0, len(spans))
	for i, s := range spans {
		// unless the field already appeared
		if !slices.ContainsFunc(spans[:i], func(o span) bool { return o.field == s.field }) {
			args = append(args, fmt.Sprintf("%s(%s)", s.field, in.argument(k, s.field)))
		}
	}
	return fmt.Sprintf("%s(%s)", macros[k], strings.Join(args, ", "))
}

// argument returns the text of a field's value in a word of kind k: its name, or a number.
func (in *Inst) argument(k word, f field) string {
	v := in.get(f)
	if k == export0 && f == fieldArrayBase {
		switch t := in.get(fieldExportType); {
		case t == exportPosition && v >= firstPosition && v < firstPosition+4:
			return fmt.Sprintf("CF_POS%d", v-firstPosition)
		case t == exportPixel && v < 8:
			return fmt.Sprintf("CF_PIXEL_MRT%d", v)
		}
	}
	if name := f.name(in.Family, v); name != "" {
		return name
	}
	return fmt.Sprint(uint64(v) + uint64(fields[f].less))
}

// Values of TYPE in exports and of their ARRAY_BASE (rule FS2).
const (
	exportPixel    = 0
	exportPosition = 1
	exportParam    = 2
	firstPosition  = 60
)
