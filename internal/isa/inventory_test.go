package isa

import (
	"bufio"
	"os"
	"strconv"
	"strings"
	"testing"
)

// inventory calls visit for each entry of a table with family, mnemonic and one opcode for each generation.
func inventory(t *testing.T, path string, visit func(family, mnemonic string, g Gen, code int16)) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		c := strings.Split(s.Text(), "\t")
		if strings.HasPrefix(s.Text(), "#") || len(c) < 2+NumGens {
			continue
		}
		for g := range Gen(NumGens) {
			if c[2+g] == "" {
				continue
			}
			code, err := strconv.ParseInt(c[2+g], 10, 16)
			if err != nil {
				t.Fatal(err)
			}
			visit(c[0], c[1], g, int16(code))
		}
	}
}

// TestMemoryInventory checks that every memory instruction of every generation has a row in the right family with the
// right opcode, and that its words decode to it.
func TestMemoryInventory(t *testing.T) {
	pairs := 0
	inventory(t, "testdata/opcodes_memory.tsv", func(family, mnemonic string, g Gen, code int16) {
		pairs++
		ops, _ := Lookup(mnemonic, g.Target())
		for _, op := range ops {
			r := RowOf(op)
			if r.Enc.String() != family || r.Code[g] != code {
				continue
			}
			in, err := New(g.Target(), op, Invalid)
			if err != nil {
				t.Error(err)
				return
			}
			words, n := in.Encode()
			back, err := Decode(g.Target(), words[:n])
			if err != nil || back != in && !r.Has(Alias) {
				t.Errorf("%v %s decodes to %v: %v", g, mnemonic, back.Op, err)
			}
			return
		}
		t.Errorf("%v has no %s with opcode %d in %s", g, mnemonic, code, family)
	})
	if pairs != 2096 {
		t.Errorf("the inventory has %d pairs of generation and instruction, want 2096", pairs)
	}
}

// missing returns the reason why an entry of the ALU inventory has no row, "" if it must have one.
func missing(family, mnemonic string) string {
	switch {
	case strings.HasPrefix(mnemonic, "v_fmaak_"), strings.HasPrefix(mnemonic, "v_fmamk_"):
		return "came after GCN; the opcodes listed are those of v_cvt_pknorm_i16_f32 and v_cvt_pkaccum_u8_f32"
	case family == "VOP3A" && (strings.HasPrefix(mnemonic, "v_mada") || strings.HasPrefix(mnemonic, "v_madm")):
		return "needs a constant after a 32-bit word: there is no VOP3 form"
	case family == "VOP3A" && mnemonic == "v_swap_b32":
		return "takes two VGPRs: there is no VOP3 form"
	}
	return ""
}

// TestALUInventory does the same for the other instructions. Those with a VOP3 form must have the listed opcode
// there.
func TestALUInventory(t *testing.T) {
	inventory(t, "testdata/opcodes_alu.tsv", func(family, mnemonic string, g Gen, code int16) {
		for _, op := range Ops(mnemonic) {
			r := RowOf(op)
			if !r.On(g.Target()) {
				continue
			}
			if r.Enc.String() == family && r.Code[g] == code {
				return
			}
			if e, c, ok := r.vop3(g.Target()); ok && c == code && strings.HasPrefix(family, "VOP3") &&
				(e.String() == family || r.Has(Alias)) {
				return
			}
		}
		if missing(family, mnemonic) == "" {
			t.Errorf("%v has no %s with opcode %d in %s", g, mnemonic, code, family)
		}
	})
}

// TestOpcodeOfTwoRows: two rows with the same opcode panic at program start.
func TestOpcodeOfTwoRows(t *testing.T) {
	const want = "gcn: ds_read_u16 and ds_nand_b32 have the same opcode 60 of DS"
	read, nand := Row{Name: "ds_read_u16", Code: since(GCN10, 60)}, Row{Name: "ds_nand_b32", Code: since(GCN14, 60)}
	defer func() {
		if got := recover(); got != want {
			t.Errorf("got %v, want %q", got, want)
		}
	}()
	byOpcode([]Row{read}, []Row{nand})
}
