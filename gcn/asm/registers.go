package asm

import (
	"strconv"

	"github.com/gcnsim/gcnsim/gcn"
)

// special is a named scalar register, or an operand code with a name.
type special struct {
	name string
	code int16
	n    uint8 // registers
}

// specials lists the named operand codes of generation g: registers first, so that a pair
// comes before its halves. Source: rule ST2; names as LLVM prints them.
func specials(g gcn.Gen) []special {
	t := g.Traits()
	all := []special{
		{"vcc", gcn.VCC, 2}, {"vcc_lo", gcn.VCC, 1}, {"vcc_hi", gcn.VCC + 1, 1},
		{"exec", gcn.EXEC, 2}, {"exec_lo", gcn.EXEC, 1}, {"exec_hi", gcn.EXEC + 1, 1},
		{"m0", gcn.M0, 1},
		{"src_vccz", gcn.VCCZ, 1}, {"src_execz", gcn.EXECZ, 1}, {"src_scc", gcn.SCC, 1}, {"src_lds_direct", gcn.LDSDirect, 1},
	}
	pair := func(name string, code int16) {
		if code >= 0 {
			all = append(all, special{name, code, 2}, special{name + "_lo", code, 1}, special{name + "_hi", code + 1, 1})
		}
	}
	pair("flat_scratch", t.FlatScratch)
	pair("xnack_mask", t.XnackMask)
	pair("tba", t.TBA)
	if t.TBA >= 0 {
		pair("tma", t.TBA+2)
	}
	if t.Apertures {
		all = append(all, special{"src_shared_base", gcn.SharedBase, 1}, special{"src_shared_limit", gcn.SharedLimit, 1},
			special{"src_private_base", gcn.PrivateBase, 1}, special{"src_private_limit", gcn.PrivateLimit, 1},
			special{"src_pops_exiting_wave_id", gcn.POPSExiting, 1})
	}
	return all
}

// nameTable gives the names of the scalar operand codes of a generation.
type nameTable struct {
	one, two [256]string
	codes    map[string]special
}

var nameTables = func() (all [gcn.NumGens]nameTable) {
	for g := range all {
		t := &all[g]
		t.codes = map[string]special{}
		for _, s := range specials(gcn.Gen(g)) {
			t.codes[s.name] = s
			if len(s.name) > 4 && s.name[:4] == "src_" {
				t.codes[clrxConst(s.name)] = s // LLVM takes CLRX's spelling too
				t.codes[s.name[4:]] = s
			}
			if s.n == 2 {
				t.two[s.code] = s.name
			} else {
				t.one[s.code] = s.name
			}
		}
		traits := gcn.Gen(g).Traits()
		for n := range traits.SGPRs {
			t.one[n] = "s" + strconv.Itoa(n)
		}
		for n := range traits.NumTTMP {
			t.one[int(traits.TTMP)+n] = "ttmp" + strconv.Itoa(n)
		}
	}
	return all
}()

// constName returns the name of an operand code above the registers, "" if it has none.
func constName(g gcn.Gen, code uint32) string { return nameTables[g].one[code] }

func appendVGPR(b []byte, reg uint32, n int) []byte { return appendRange(b, "v", reg, n) }

// appendRange prints n registers from reg on.
func appendRange(b []byte, file string, reg uint32, n int) []byte {
	b = append(b, file...)
	if n <= 1 {
		return strconv.AppendUint(b, uint64(reg), 10)
	}
	b = strconv.AppendUint(append(b, '['), uint64(reg), 10)
	b = strconv.AppendUint(append(b, ':'), uint64(reg)+uint64(n)-1, 10)
	return append(b, ']')
}

// appendSGPR prints n scalar registers from operand code code on. Like LLVM it rounds
// a tuple that is not aligned down to one that is.
func appendSGPR(b []byte, g gcn.Gen, code uint32, n int) []byte {
	t := g.Traits()
	if n > 1 {
		code &^= uint32(min(n, 4) - 1)
	}
	names := &nameTables[g]
	switch {
	case n <= 1 && names.one[code] != "":
		return append(b, names.one[code]...)
	case n == 2 && names.two[code] != "":
		return append(b, names.two[code]...)
	case int(code)+n <= t.SGPRs:
		return appendRange(b, "s", code, n)
	case code >= uint32(t.TTMP) && int(code)+n <= int(t.TTMP)+t.NumTTMP:
		return appendRange(b, "ttmp", code-uint32(t.TTMP), n)
	}
	return appendRange(b, "undefined_", code, n)
}
