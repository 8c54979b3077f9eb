package gcn

// compareGroup is sixteen compares, or a class test, of one type: opcodes follow the
// order of the condition list.
type compareGroup struct {
	prefix string
	suffix Type
	conds  []string
	base   [NumGens]int16
	flags  Flags
}

// Conditions in opcode order. Source: AMD GCN ISA manuals, VOPC. The integer ones
// have second spellings lg and tru (CLRX).
var (
	floatConds = []string{"f", "lt", "eq", "le", "gt", "lg", "ge", "o", "u", "nge", "nlg", "ngt", "nle", "neq", "nlt", "tru"}
	intConds   = []string{"f", "lt", "eq", "le", "gt", "ne", "ge", "t"}
	classConds = []string{"class"}
)

var compareGroups = []compareGroup{
	{"v_cmp", F32, floatConds, on(0, 0, 64, 64, 64), 0},
	{"v_cmpx", F32, floatConds, on(16, 16, 80, 80, 80), WritesEXEC},
	{"v_cmp", F64, floatConds, on(32, 32, 96, 96, 96), 0},
	{"v_cmpx", F64, floatConds, on(48, 48, 112, 112, 112), WritesEXEC},
	{"v_cmps", F32, floatConds, on(64, 64, no, no, no), 0},
	{"v_cmpsx", F32, floatConds, on(80, 80, no, no, no), WritesEXEC},
	{"v_cmps", F64, floatConds, on(96, 96, no, no, no), 0},
	{"v_cmpsx", F64, floatConds, on(112, 112, no, no, no), WritesEXEC},
	{"v_cmp", F16, floatConds, on(no, no, 32, 32, 32), 0},
	{"v_cmpx", F16, floatConds, on(no, no, 48, 48, 48), WritesEXEC},
	{"v_cmp", I16, intConds, on(no, no, 160, 160, 160), NoMods},
	{"v_cmpx", I16, intConds, on(no, no, 176, 176, 176), NoMods | WritesEXEC},
	{"v_cmp", U16, intConds, on(no, no, 168, 168, 168), NoMods},
	{"v_cmpx", U16, intConds, on(no, no, 184, 184, 184), NoMods | WritesEXEC},
	{"v_cmp", I32, intConds, on(128, 128, 192, 192, 192), NoMods},
	{"v_cmpx", I32, intConds, on(144, 144, 208, 208, 208), NoMods | WritesEXEC},
	{"v_cmp", U32, intConds, on(192, 192, 200, 200, 200), NoMods},
	{"v_cmpx", U32, intConds, on(208, 208, 216, 216, 216), NoMods | WritesEXEC},
	{"v_cmp", I64, intConds, on(160, 160, 224, 224, 224), NoMods},
	{"v_cmpx", I64, intConds, on(176, 176, 240, 240, 240), NoMods | WritesEXEC},
	{"v_cmp", U64, intConds, on(224, 224, 232, 232, 232), NoMods},
	{"v_cmpx", U64, intConds, on(240, 240, 248, 248, 248), NoMods | WritesEXEC},
	{"v_cmp", F32, classConds, on(136, 136, 16, 16, 16), 0},
	{"v_cmpx", F32, classConds, on(152, 152, 17, 17, 17), WritesEXEC},
	{"v_cmp", F64, classConds, on(168, 168, 18, 18, 18), 0},
	{"v_cmpx", F64, classConds, on(184, 184, 19, 19, 19), WritesEXEC},
	{"v_cmp", F16, classConds, on(no, no, 20, 20, 20), 0},
	{"v_cmpx", F16, classConds, on(no, no, 21, 21, 21), WritesEXEC},
}

// vopcRows are the vector compares, laid out from compareGroups.
func vopcRows() []Row {
	var all []Row
	for _, g := range compareGroups {
		for i, cond := range g.conds {
			src1 := g.suffix
			if cond == "class" {
				src1 = B32
			}
			r := Row{Name: g.prefix + "_" + cond + "_" + g.suffix.String(), Enc: VOPC, Code: g.base, Flags: g.flags, Sig: sig(Mask, g.suffix, src1)}
			if src1.Dwords() == 2 || g.suffix.Dwords() == 2 {
				r.Flags |= NoSDWA // no selection from 64 bits
			}
			for n := range r.Code {
				if r.Code[n] != no {
					r.Code[n] += int16(i)
				}
			}
			all = append(all, r)
			for _, second := range spellings[cond] {
				alias := r
				alias.Name, alias.Flags = g.prefix+"_"+second+"_"+g.suffix.String(), r.Flags|Alias
				if second == "lg" || second == "tru" { // of integers; those of floats are LLVM's names too
					alias.Flags |= CLRXName
				}
				all = append(all, alias)
			}
		}
	}
	return all
}

// spellings are second names of a condition.
var spellings = map[string][]string{"ne": {"lg"}, "t": {"tru"}, "tru": {"t"}}
