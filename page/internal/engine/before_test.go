package engine_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/page/internal/engine"
	"github.com/gcnsim/gcnsim/sim/record"
)

// beforeAnswer is what the page shows of a run on a chip before GCN.
type beforeAnswer struct {
	Reply struct {
		OK           bool
		Instructions int
		Error        *struct{ Kind, Message string }
	}
	Error *struct {
		Line, Col int
		Message   string
	}
	Record []byte
	Memory []struct {
		Name string
		Addr int
		Data string
	}
}

// The listing of a page with the copy shaders runs as it stands, and copies the picture.
func TestListingOnTheOldChips(t *testing.T) {
	page, err := os.ReadFile("../../../r600/testdata/page.txt")
	require.NoError(t, err)
	for _, cpu := range []string{"rv610", "rv770", "redwood"} {
		a := call[beforeAnswer](t, "run", map[string]any{"mcpu": cpu, "asm": string(page)})
		require.True(t, a.Reply.OK, "%s: %v", cpu, a.Reply.Error)
		require.Len(t, a.Memory, 2)
		assert.Equal(t, "target", a.Memory[1].Name)
		assert.Equal(t, a.Memory[0].Data, a.Memory[1].Data)
		assert.Len(t, a.Memory[1].Data, base64.StdEncoding.EncodedLen(16*16*4))
		assert.Empty(t, call[beforeAnswer](t, "check", map[string]any{"mcpu": cpu, "asm": string(page)}).Error)
	}
	big := map[string]any{"mcpu": "rv770", "asm": string(page), "images": []any{map[string]any{"name": "a", "width": 9999,
		"height": 1}}}
	body, err := json.Marshal(big)
	require.NoError(t, err)
	_, err = new(engine.Engine).Call(context.Background(), "run", body)
	assert.ErrorContains(t, err, "9999 x 1 texels")
}

// A kernel gets the addresses of the buffers, and changes them.
func TestKernelOnTheOldChips(t *testing.T) {
	const kernel = `CF_ALU_DWORD0(ADDR(3), KCACHE_MODE0(1)) CF_ALU_DWORD1(I_COUNT(5), CF_INST(SQ_CF_INST_ALU))
CF_ALLOC_IMP_EXP_DWORD0_RAT(RAT_INST(EXPORT_RAT_INST_STORE_RAW), TYPE(SQ_EXPORT_WRITE_IND), RW_GPR(0), INDEX_GPR(1))
CF_ALLOC_IMP_EXP_DWORD1_BUF(COMP_MASK(1), CF_INST(SQ_CF_INST_MEM_RAT))
CF_DWORD0() CF_DWORD1(END_OF_PROGRAM(1))
ALU_DWORD0(SRC0_SEL(ALU_SRC_KCACHE0_BASE + 2), SRC0_ELEM(ELEM_Y), SRC1_SEL(ALU_SRC_LITERAL), LAST(1))
ALU_DWORD1_OP2(ALU_INST(SQ_OP2_INST_LSHR_INT), DST_GPR(1), WRITE_MASK(1)) 2 0
ALU_DWORD0(SRC0_SEL(1), SRC1_SEL(0), LAST(1))
ALU_DWORD1_OP2(ALU_INST(SQ_OP2_INST_ADD_INT), DST_GPR(1), WRITE_MASK(1))
ALU_DWORD0(SRC0_SEL(0), SRC1_SEL(ALU_SRC_LITERAL), LAST(1))
ALU_DWORD1_OP2(ALU_INST(SQ_OP2_INST_ADD_INT), DST_GPR(0), WRITE_MASK(1)) 7 0`
	a := call[beforeAnswer](t, "run", map[string]any{"mcpu": "redwood", "asm": kernel, "waves": 2,
		"buffers": []any{map[string]any{"name": "out", "size": 512}}})
	require.True(t, a.Reply.OK, "%v", a.Reply.Error)
	steps, err := record.Read(bytes.NewReader(a.Record))
	require.NoError(t, err)
	assert.Equal(t, []string{"R0.x", "R1.x"}, steps.Names)
	assert.Len(t, steps.Windows, 2)
	data, err := base64.StdEncoding.DecodeString(a.Memory[0].Data)
	require.NoError(t, err)
	for i := range 128 {
		require.Equal(t, byte(i+7), data[4*i])
	}
	type checked struct {
		Errors []struct {
			Line, Col int
			Message   string
		}
	}
	for text, want := range map[string]string{
		"CF_X": "is no word",
		"CF_DWORD0()\nCF_DWORD1()\nCF_DWORD0() CF_DWORD1(CF_INST(SQ_CF_INST_CALL))": "instruction 1 (CALL): the instruction",
		"": "",
	} {
		c := call[checked](t, "check", map[string]any{"mcpu": "redwood", "asm": text})
		a := call[beforeAnswer](t, "run", map[string]any{"mcpu": "redwood", "asm": text})
		if want == "" {
			assert.Empty(t, c.Errors)
			assert.True(t, a.Reply.OK)
			continue
		}
		require.Len(t, c.Errors, 1)
		assert.Contains(t, c.Errors[0].Message, want)
		require.NotNil(t, a.Error)
		assert.Equal(t, strings.Count(text, "\n")+1, a.Error.Line)
		assert.False(t, a.Reply.OK)
	}
}
