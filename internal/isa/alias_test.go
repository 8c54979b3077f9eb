package isa

import "testing"

// TestAliases compares second names with the rows whose opcode they have: the execution must not depend on the name
// in the text.
func TestAliases(t *testing.T) {
	for i := range rows {
		alias := &rows[i]
		if !alias.Has(Alias) {
			continue
		}
		found := false
		for g := range Gen(NumGens) {
			if alias.Code[g] < 0 {
				continue
			}
			e, code, _ := alias.vop3(g.Target())
			for j := range rows {
				r := &rows[j]
				re, rcode, ok := r.vop3(g.Target())
				same := r.Enc == alias.Enc && r.Code[g] == alias.Code[g] || ok && r.Code[g] >= 0 && re == e && rcode == code
				if r.Has(Alias) || !same {
					continue
				}
				found = true
				const spelling = Alias | CLRXName | NotCLRX | NotLLVM
				if r.Sig != alias.Sig || r.Mem != alias.Mem || r.Flags&^spelling != alias.Flags&^spelling ||
					r.Rate != alias.Rate || r.Note != alias.Note ||
					r.Cond != alias.Cond || r.Half != alias.Half || r.Control != alias.Control || r.Imm != alias.Imm {
					t.Errorf("%v: %s is another name of %s, but their rows differ:\n%+v\n%+v", g, alias.Name, r.Name, *alias, *r)
				}
			}
		}
		if !found {
			t.Errorf("%s is another name of no row", alias.Name)
		}
	}
}
