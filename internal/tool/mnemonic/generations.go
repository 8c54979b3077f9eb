package mnemonic

import "strings"

// Elsewhere returns another generation's counterpart: the mnemonic that generation gen, a gcn.Gen, may have for name,
// which other GCN generations use. how describes how the two differ. Both are "" if no counterpart is known. The
// caller must check that gen has the mnemonic. Source: LLVM and CLRX, the instruction lists of the generations.
func Elsewhere(name string, gen int) (other, how string) {
	for key, names := range Carry {
		if !strings.Contains(key, "_co_") {
			continue
		}
		for _, one := range names {
			if one == name && names[gen] != name {
				return names[gen], ""
			}
		}
	}
	if pair, ok := reversed[name]; ok {
		return pair, "whose operands are in the other order"
	}
	switch name {
	case "buffer_wbinvl1_sc":
		return "buffer_wbinvl1_vol", ""
	case "buffer_wbinvl1_vol":
		return "buffer_wbinvl1", "which invalidates all lines"
	case "v_movreld_b32", "v_movrels_b32", "v_movrelsd_b32":
		return "s_set_gpr_idx_on", "which indexes operands of v_mov_b32"
	}
	for _, door := range doors {
		tail, ok := strings.CutPrefix(name, door.from)
		if ok && (door.gens&(1<<gen)) != 0 {
			return door.to + tail, door.how
		}
	}
	if strings.Contains(name, "_legacy_") && gen == gcn12 {
		return strings.Replace(name, "_legacy_", "_", 1), ""
	}
	return "", ""
}

// reversed are shifts whose operands have the opposite order in other generations.
var reversed = func() map[string]string {
	all := map[string]string{}
	for _, one := range [][2]string{
		{"v_lshl_b32", "v_lshlrev_b32"}, {"v_lshr_b32", "v_lshrrev_b32"}, {"v_ashr_i32", "v_ashrrev_i32"},
		{"v_lshl_b64", "v_lshlrev_b64"}, {"v_lshr_b64", "v_lshrrev_b64"}, {"v_ashr_i64", "v_ashrrev_i64"},
	} {
		all[one[0]], all[one[1]] = one[1], one[0]
	}
	return all
}()

// doors are instructions that access the same memory.
var doors = []struct {
	from string
	gens uint // one bit for each generation
	to   string
	how  string
}{
	{"global_", 1<<gcn11 | 1<<gcn12, "flat_", "without an offset"},
	{"global_", 1, "buffer_", "which reaches it with addr64"},
	{"flat_", 1, "buffer_", "which reaches it with addr64"},
	{"scratch_", 1 | 1<<gcn11 | 1<<gcn12, "buffer_", "which reaches it by the resource of scratch memory"},
}
