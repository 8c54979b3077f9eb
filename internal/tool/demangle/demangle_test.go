//go:build !js

package demangle

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestSymbol: the expected names were printed by llvm-cxxfilt 15 for symbols from clang 15.
func TestSymbol(t *testing.T) {
	for symbol, want := range map[string]string{
		"_Z4vaddPKfS0_Pfi":             "vadd(float const*, float const*, float*, int)",
		"_Z4nonev":                     "none()",
		"_ZL5scalef":                   "scale(float)",
		"_ZN12_GLOBAL__N_14anonEmh":    "(anonymous namespace)::anon(unsigned long, unsigned char)",
		"_Z6reduceIfLi256EEvPKT_PS0_i": "void reduce<float, 256>(float const*, float*, int)",
		"_ZNK2ns1S1fEi":                "ns::S::f(int) const",
		"_Z3vecPDv4_fRKS_OS_DF16_S_": "vec(float vector[4]*, float vector[4] const&, float " +
			"vector[4]&&, _Float16, float vector[4])",
		"_ZN1a1b1XILln3ELm7EE1kIiEET_S4_PS2_": "int a::b::X<-3l, 7ul>::k<int>(int, a::b::X<-3l, 7ul>*)",
		"_Z3twoIfiLb1EEPT0_T_S0_N2ns3VecIS2_Li3EEERPVKS0_": "int* two<float, int, true>(float, int, ns::Vec<float, 3>, " +
			"int const volatile*&)",
		"_ZN2ns1gENS_3VecIfLi4EEEPNS_1SERNS2_2InIS2_EEPS1_": "ns::g(ns::Vec<float, 4>, ns::S*, ns::S::In<ns::S>&, " +
			"ns::Vec<float, 4>*)",
		"_Z2fpPFviE":                  "fp(void (*)(int))",
		"_Z3arrRA4_i":                 "arr(int (&) [4])",
		"_ZUlvE_":                     "'lambda'()",
		"_ZNSt6vectorIiSaIiEE4sizeEv": "std::vector<int, std::allocator<int>>::size()",
		"_ZN4core3fmt9Formatter9write_str17h0123456789abcdefE": "core::fmt::Formatter::write_str",
		"_RNvC6_123foo3bar":     "123foo::bar",
		"_Z4vaddPKfS0_Pfi+0x14": "vadd(float const*, float const*, float*, int)+0x14",
	} {
		assert.Equal(t, want, Symbol(symbol))
	}
}

// TestOthers: symbols that are not mangled, truncated or of an unknown form are returned unchanged.
func TestOthers(t *testing.T) {
	doubled := "_Z1f1AIiiE"
	for i := range 20 {
		doubled += fmt.Sprintf("S_IS%d_S%d_E", i, i)
	}
	for _, symbol := range []string{
		"", "vadd", "vadd+0x4", "_Z", "_Z4vad", "_Z0", "_Z99999999999999999999x", "_ZN1aE1", "_ZNE",
		"_Z1fS_", "_Z1fT_", "_Z1fSt", "_Z1fDv_i", "_Z1fDv4", "_Z1fIiEvT0_", "_Z1fILi4",
		"_Z1f" + strings.Repeat("P", 5000) + "i",
		doubled,
	} {
		assert.Equal(t, symbol, Symbol(symbol))
	}
}

// FuzzSymbol: any symbol has a name of limited length.
func FuzzSymbol(f *testing.F) {
	f.Add("_Z3twoIfiLb1EEPT0_T_S0_N2ns3VecIS2_Li3EEERPVKS0_")
	f.Add("_ZN2ns1gENS_3VecIfLi4EEEPNS_1SERNS2_2InIS2_EEPS1_")
	f.Fuzz(func(t *testing.T, symbol string) {
		if got := Symbol(symbol); len(got) > 1<<textBits+len(symbol) {
			t.Errorf("%d bytes for %q", len(got), symbol)
		}
	})
}
