package isa

// compareGroup is sixteen comparisons, or a class test, of one type. The opcodes are in the order of the list of
// conditions.
type compareGroup struct {
	prefix string
	suffix Type
	conds  []condition
	base   opcodes
	flags  Flags
}

var compareGroups = []compareGroup{
	{"v_cmp", F32, floatConds, since(GCN10, 0).then(GCN12, 64), 0},
	{"v_cmpx", F32, floatConds, since(GCN10, 16).then(GCN12, 80), WritesEXEC},
	{"v_cmp", F64, floatConds, since(GCN10, 32).then(GCN12, 96), 0},
	{"v_cmpx", F64, floatConds, since(GCN10, 48).then(GCN12, 112), WritesEXEC},
	{"v_cmps", F32, floatConds, since(GCN10, 64).until(GCN12), Signals},
	{"v_cmpsx", F32, floatConds, since(GCN10, 80).until(GCN12), Signals | WritesEXEC},
	{"v_cmps", F64, floatConds, since(GCN10, 96).until(GCN12), Signals},
	{"v_cmpsx", F64, floatConds, since(GCN10, 112).until(GCN12), Signals | WritesEXEC},
	{"v_cmp", F16, floatConds, since(GCN12, 32), 0},
	{"v_cmpx", F16, floatConds, since(GCN12, 48), WritesEXEC},
	{"v_cmp", I16, intConds, since(GCN12, 160), NoMods},
	{"v_cmpx", I16, intConds, since(GCN12, 176), NoMods | WritesEXEC},
	{"v_cmp", U16, intConds, since(GCN12, 168), NoMods},
	{"v_cmpx", U16, intConds, since(GCN12, 184), NoMods | WritesEXEC},
	{"v_cmp", I32, intConds, since(GCN10, 128).then(GCN12, 192), NoMods},
	{"v_cmpx", I32, intConds, since(GCN10, 144).then(GCN12, 208), NoMods | WritesEXEC},
	{"v_cmp", U32, intConds, since(GCN10, 192).then(GCN12, 200), NoMods},
	{"v_cmpx", U32, intConds, since(GCN10, 208).then(GCN12, 216), NoMods | WritesEXEC},
	{"v_cmp", I64, intConds, since(GCN10, 160).then(GCN12, 224), NoMods},
	{"v_cmpx", I64, intConds, since(GCN10, 176).then(GCN12, 240), NoMods | WritesEXEC},
	{"v_cmp", U64, intConds, since(GCN10, 224).then(GCN12, 232), NoMods},
	{"v_cmpx", U64, intConds, since(GCN10, 240).then(GCN12, 248), NoMods | WritesEXEC},
	{"v_cmp", F32, classConds, since(GCN10, 136).then(GCN12, 16), 0},
	{"v_cmpx", F32, classConds, since(GCN10, 152).then(GCN12, 17), WritesEXEC},
	{"v_cmp", F64, classConds, since(GCN10, 168).then(GCN12, 18), 0},
	{"v_cmpx", F64, classConds, since(GCN10, 184).then(GCN12, 19), WritesEXEC},
	{"v_cmp", F16, classConds, since(GCN12, 20), 0},
	{"v_cmpx", F16, classConds, since(GCN12, 21), WritesEXEC},
}

// vopcRows returns the vector comparisons, generated from compareGroups.
func vopcRows() []Row {
	var all []Row
	for _, g := range compareGroups {
		for i, c := range g.conds {
			src1 := g.suffix
			if c.cond == CondClass {
				src1 = B32
			}
			r := Row{Name: g.prefix + "_" + c.name + "_" + g.suffix.String(), Enc: VOPC, Code: g.base.plus(int16(i)),
				Flags: g.flags, Sig: sig(Mask, g.suffix, src1), Cond: c.cond}
			if src1.Info().Dwords == 2 || g.suffix.Info().Dwords == 2 {
				r.Flags |= NoSDWA // SDWA cannot select from 64 bits
			}
			all = append(all, r)
			if c.second == "" {
				continue
			}
			r.Name, r.Flags = g.prefix+"_"+c.second+"_"+g.suffix.String(), r.Flags|Alias
			if c.second != "t" { // lg and tru of integers; for floats, t is also LLVM's name
				r.Flags |= CLRXName
			}
			all = append(all, r)
		}
	}
	return all
}
