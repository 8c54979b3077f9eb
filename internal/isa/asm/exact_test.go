package asm

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa"
)

// comesBack checks that the texts of in, in both syntaxes, assemble to the words of in.
func comesBack(t testing.TB, target gcn.Target, in isa.Inst) {
	t.Helper()
	for _, s := range []Syntax{LLVM, CLRX} {
		text := Format(gcn.Inst(in), s)
		p, err := Assemble(target, text, s)
		if err != nil {
			t.Fatalf("%v %v %s prints %s: %v", target, s, encoded(in), text, err)
		}
		if got := hexWords(p.Words); got != encoded(in) {
			t.Fatalf("%v %v %s prints %s, which is %s", target, s, encoded(in), text, got)
		}
	}
}

// nearby returns variants of in: in itself, the instruction that its text means, and that instruction with
// one bit changed. Few random words have a text, and a text loses a single unusual bit most easily.
func nearby(r *rand.Rand, target gcn.Target, in isa.Inst) []isa.Inst {
	all := []isa.Inst{in}
	back, err := ParseInst(target, string(appendInst(nil, in, LLVM)), LLVM)
	if err != nil || back.Op != in.Op {
		return all
	}
	words, n := back.Encode()
	bit := r.IntN(32 * n)
	words[bit/32] ^= 1 << (bit % 32)
	if odd, err := isa.Decode(target, words[:n]); err == nil {
		all = append(all, odd)
	}
	return append(all, back)
}

// TestTextComesBack checks words of every form on every target.
func TestTextComesBack(t *testing.T) {
	for target := range gcn.Target(gcn.NumTargets) {
		r := rand.New(rand.NewPCG(*seed, uint64(target)))
		for op := gcn.Op(1); int(op) < isa.NumOps(); op++ {
			if isa.RowOf(op).Has(isa.Alias) || leftOut(op) {
				continue
			}
			for _, e := range forms(target.Gen(), op) {
				for range *rounds {
					if in, ok := randomInst(r, target.Gen(), op, e); ok {
						in.Target = target
						for _, in := range nearby(r, target, in) {
							comesBack(t, target, in)
						}
					}
				}
			}
		}
	}
}

// TestOddWords checks the text of words with bits that no normal text of LLVM or CLRX preserves,
// and of words with a special spelling that preserves them.
func TestOddWords(t *testing.T) {
	for _, c := range []struct {
		target            gcn.Target
		words, llvm, clrx string
	}{
		{gcn.GFX803, "d86c0010 01070002", ".long 0xd86c0010, 0x01070002 // ds_read_b32 v1, v2 offset:16",
			".long 0xd86c0010, 0x01070002 # ds_read_b32 v1, v2 offset:16 vdata1=0x7"},
		{gcn.GFX803, "7d6836f6", "v_cmpx_gt_i16_e32 vcc, 4.0, v27", "v_cmpx_gt_i16 vcc, 4.0, v27"},
		{gcn.GFX803, "d87a0021 01000002", "ds_swizzle_b32 v1, v2 offset:33", "ds_swizzle_b32 v1, v2 offset:33"},
		{gcn.GFX803, "d87a041f 01000002", "ds_swizzle_b32 v1, v2 offset:swizzle(SWAP,1)", "ds_swizzle_b32 v1, v2 offset:1055"},
		{gcn.GFX803, "bf8c80e5", "s_waitcnt 0x80e5", ".long 0xbf8c80e5 # s_waitcnt vmcnt(5) & expcnt(6) & lgkmcnt(0) :0x80e5"},
		{gcn.GFX803, "bf8c0070", "s_waitcnt vmcnt(0) lgkmcnt(0)", "s_waitcnt vmcnt(0) & lgkmcnt(0)"},
		{gcn.GFX803, "bf8a0005", ".long 0xbf8a0005 // s_barrier", ".long 0xbf8a0005 # s_barrier 0x5"},
		{gcn.GFX803, "be8014dd", ".long 0xbe8014dd // s_flbit_i32 s0, undefined_221", ".long 0xbe8014dd # s_flbit_i32 s0, ill_221"},
		{gcn.GFX900, "7c84d6fa ff00e401", ".long 0x7c84d6fa, 0xff00e401 // v_cmp_eq_f32_dpp vcc, v1, v107 " +
			"quad_perm:[0,1,2,3] row_mask:0xf bank_mask:0xf",
			"v_cmp_eq_f32 vcc, v1, v107 quad_perm:[0,1,2,3] bank_mask:15 row_mask:15"},
	} {
		in, err := isa.Decode(c.target, parseHex(t, c.words))
		require.NoError(t, err)
		require.Equal(t, c.llvm, Format(gcn.Inst(in), LLVM))
		require.Equal(t, c.clrx, Format(gcn.Inst(in), CLRX))
		comesBack(t, c.target, in)
	}
}

// TestPrintedDataIsOneStatement checks that only a comment follows the data in a line.
func TestPrintedDataIsOneStatement(t *testing.T) {
	in, err := isa.Decode(gcn.GFX803, parseHex(t, "bf8a0005"))
	require.NoError(t, err)
	text := Format(gcn.Inst(in), LLVM)
	require.True(t, strings.HasPrefix(text, ".long 0xbf8a0005 // "), text)
	p, err := Assemble(gcn.GFX803, text+"\ns_endpgm", LLVM)
	require.NoError(t, err)
	require.Equal(t, "bf8a0005 bf810000", hexWords(p.Words))
}
