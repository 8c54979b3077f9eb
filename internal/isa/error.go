package isa

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gcnsim/gcnsim/internal/tool/mnemonic"
	"github.com/gcnsim/gcnsim/internal/tool/near"
)

// ErrorKind classifies an [Error] by what is missing: a mnemonic, an encoding, a field, and so on.
type ErrorKind uint8

// The kinds of errors. Each names the thing that does not exist.
const (
	UnknownTarget   ErrorKind = iota // no processor has that name
	UnknownMnemonic                  // the processor has no instruction of that name
	NoForm                           // the instruction has no such encoding on the processor
	NoField                          // the encoding has no such field, or the value does not fit the field
	NoInstruction                    // the words are not an instruction
)

// Error is the error type of all functions of the package.
type Error struct {
	Kind  ErrorKind
	Words []uint32 // NoInstruction: the words that were read

	what string // UnknownMnemonic: the mnemonic
	form Inst   // NoForm: Op, Target and Enc; UnknownMnemonic: Target. Assemblers try several forms and drop most errors
}

// Error returns the problem and suggests what may be meant.
func (e *Error) Error() string {
	switch e.Kind { //exhaustive:enforce
	case UnknownMnemonic:
		return whyUnknown(e.what, e.form.Target)
	case NoForm:
		if e.what != "" { // there is no row or no processor to name
			return e.what
		}
		return fmt.Sprintf("%v has no %v form on %v", e.form.Op, e.form.Enc, e.form.Target)
	case UnknownTarget, NoField, NoInstruction:
	}
	return e.what
}

func noMnemonic(name string, t Target) error {
	return &Error{Kind: UnknownMnemonic, what: name, form: Inst{Target: t}}
}

func noForm(op Op, t Target, enc Encoding) error {
	return &Error{Kind: NoForm, form: Inst{Op: op, Target: t, Enc: enc}}
}

// noField returns the error for value v of field f, with the valid values lo to hi. There are none if the encoding
// has no such field.
func noField(i Inst, f Field, v, lo, hi int64) error {
	if hi < 0 {
		return &Error{Kind: NoField, what: fmt.Sprintf("%v has no %v on %v", i.Op, f, i.Target)}
	}
	return &Error{Kind: NoField, what: fmt.Sprintf("%v: %v is %d, must be %d to %d on %v", i.Op, f, v, lo, hi, i.Target)}
}

// noInstruction returns the error for words that are not an instruction. e is Invalid if the prefix belongs to no
// encoding.
func noInstruction(t Target, e Encoding, words []uint32, why string) error {
	var text strings.Builder
	text.WriteString("cannot decode")
	for _, w := range words {
		fmt.Fprintf(&text, " %08x", w)
	}
	if e != Invalid {
		text.WriteString(" as " + e.String())
	}
	return &Error{Kind: NoInstruction, what: fmt.Sprintf("%s on %v: %s", text.String(), t, why),
		Words: slices.Clone(words)}
}

// whyUnknown returns the reason why processor t has no instruction called name: others of its generation have it, or
// other generations, or none, in which case it suggests the most similar name.
func whyUnknown(name string, t Target) string {
	var on []Gen
	for g := range Gen(NumGens) {
		if slices.ContainsFunc(byName()[name], func(op Op) bool { return rows[op].Code[g] >= 0 }) {
			on = append(on, g)
		}
	}
	switch {
	case slices.Contains(on, t.Gen()):
		var only []Target
		for other := range Target(NumTargets) {
			if _, err := Lookup(name, other); err == nil {
				only = append(only, other)
			}
		}
		return fmt.Sprintf("%s does not exist on %v, only on %s", name, t, join(only))
	case len(on) > 0:
		return fmt.Sprintf("%s does not exist on %v, only on %s", name, t, join(on)) + instead(name, t)
	}
	exists := func(name string) bool { return byName()[name] != nil }
	old, how, known := mnemonic.Lookup(name, int(t.Gen()), !TraitsOf(t).PackedD16, exists)
	switch {
	case known && old == "":
		return fmt.Sprintf("unknown instruction %q on %v; no instruction of GCN does what RDNA calls so", name, t)
	case known:
		text := fmt.Sprintf("unknown instruction %q on %v; GCN calls it %s", name, t, old)
		if how != mnemonic.Same {
			text += ", " + how.String()
		}
		if _, err := Lookup(old, t); err != nil {
			_, only, _ := strings.Cut(whyUnknown(old, t), " ")
			text += ", which " + only
		}
		return text
	}
	nearest := near.To(name)
	for op := 1; op < len(rows); op++ {
		if r := &rows[op]; r.On(t) {
			nearest.Try(r.Name)
		}
	}
	if meant := nearest.Name(); meant != "" {
		return fmt.Sprintf("unknown instruction %q; did you mean %s?", name, meant)
	}
	return fmt.Sprintf("unknown instruction %q on %v", name, t)
}

// instead returns the instruction of t that replaces name, which other generations have; "" if it is not known.
func instead(name string, t Target) string {
	other, how := mnemonic.Elsewhere(name, int(t.Gen()))
	if _, err := Lookup(other, t); err != nil {
		return ""
	}
	text := fmt.Sprintf("; %v has %s", t, other)
	if how != "" {
		text += ", " + how
	}
	return text
}

func join[T fmt.Stringer](all []T) string {
	names := make([]string, len(all))
	for i, one := range all {
		names[i] = one.String()
	}
	return strings.Join(names, ", ")
}
