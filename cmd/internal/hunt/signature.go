package hunt

import (
	"regexp"
	"slices"
	"strings"

	"github.com/gcnsim/gcnsim/internal/sim/compare"
)

// spellings are names of one operation on different generations and in different encodings, with its name in
// signatures.
var spellings = []struct {
	these *regexp.Regexp
	name  string
}{
	{regexp.MustCompile(`_(e32|e64|sdwa|dpp)\b`), ""},
	{regexp.MustCompile(`\b(?:buffer|flat|global|scratch)_(load|store|atomic)_`), "vmem_${1}_"},
	{regexp.MustCompile(`\bv_(add|addc|sub|subb|subrev|subbrev)_(?:co_)?[iu]32\b`), "v_${1}_u32"},
	{regexp.MustCompile(`\bv_(lshl|lshr|ashr)(?:rev)?_`), "v_${1}_"},
	{regexp.MustCompile(`\bs_movk_i32\b`), "s_mov_b32"},
}

// carries matches instructions that only move a value. They are omitted if a signature has others.
var carries = regexp.MustCompile(`^(vmem_(load|store)_|s_load_|ds_(read|write)_)`)

// mnemonics matches a list of mnemonics in a signature.
var mnemonics = regexp.MustCompile(`\w+(,\w+)+`)

// unspelled removes differences between processors from a signature, so that a bug has one signature on all of them.
func unspelled(signature string) string {
	for _, s := range spellings {
		signature = s.these.ReplaceAllString(signature, s.name)
	}
	return mnemonics.ReplaceAllStringFunc(signature, func(list string) string {
		names := strings.Split(list, ",")
		slices.Sort(names)
		names = slices.Compact(names)
		if !slices.ContainsFunc(names, func(name string) bool { return !carries.MatchString(name) }) {
			return strings.Join(names, ",")
		}
		return strings.Join(slices.DeleteFunc(names, carries.MatchString), ",")
	})
}

// blamed returns the signature of a difference in a small program. It names one instruction of each build: the last
// one with equal operands and a different result. If no build has such an instruction, it names all instructions that
// differ.
func blamed(d *compare.Difference) string {
	sides := [2]string{"-", "-"}
	for i, h := range []*compare.Half{&d.A, &d.B} {
		take := func(s *compare.Step) {
			name, _, _ := strings.Cut(s.Text, " ")
			if !carries.MatchString(unspelled(name)) {
				sides[i] = name
			}
		}
		if s := d.Culprit[i]; s != nil {
			take(s)
			continue
		}
		for j := range h.Slice {
			if h.Slice[j].Parts {
				take(&h.Slice[j])
			}
		}
	}
	if d.Faulted || sides == [2]string{"-", "-"} {
		return d.Signature()
	}
	return "memory: a " + sides[0] + "; b " + sides[1]
}
