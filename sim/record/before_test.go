package record_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/r600"
	"github.com/gcnsim/gcnsim/sim/record"
)

// old is a program: a group of two, an access to LDS, a loop in which half of the threads stop, and a store.
const old = `CF_ALU_DWORD0(ADDR(5)) CF_ALU_DWORD1(I_COUNT(4), CF_INST(SQ_CF_INST_ALU))
CF_ALU_DWORD0(ADDR(9)) CF_ALU_DWORD1(I_COUNT(3), CF_INST(SQ_CF_INST_ALU_PUSH_BEFORE))
CF_ALLOC_IMP_EXP_DWORD0_RAT(RAT_INST(EXPORT_RAT_INST_STORE_RAW), TYPE(SQ_EXPORT_WRITE_IND), RW_GPR(1), INDEX_GPR(0))
CF_ALLOC_IMP_EXP_DWORD1_BUF(COMP_MASK(1), CF_INST(SQ_CF_INST_MEM_RAT))
CF_DWORD0(ADDR(4)) CF_DWORD1(CF_INST(SQ_CF_INST_POP), POP_COUNT(1))
CF_DWORD0() CF_DWORD1(END_OF_PROGRAM(1))
ALU_DWORD0(SRC0_SEL(0), SRC1_SEL(ALU_SRC_LITERAL))
ALU_DWORD1_OP2(ALU_INST(SQ_OP2_INST_ADD_INT), DST_GPR(1), WRITE_MASK(1))
ALU_DWORD0(SRC0_SEL(0), SRC1_SEL(ALU_SRC_LITERAL), SRC1_ELEM(ELEM_Y), LAST(1))
ALU_DWORD1_OP2(ALU_INST(SQ_OP2_INST_LSHL_INT), DST_GPR(1), DST_ELEM(ELEM_Y), WRITE_MASK(1)) 5 2
ALU_DWORD0_LDS_IDX_OP(SRC0_SEL(1), SRC0_ELEM(ELEM_Y), SRC1_SEL(1), LAST(1))
ALU_DWORD1_LDS_IDX_OP(LDS_OP(SQ_DS_INST_WRITE), ALU_INST(17))
ALU_DWORD0(SRC0_SEL(ALU_SRC_LITERAL), SRC1_SEL(0), LAST(1))
ALU_DWORD1_OP2(ALU_INST(SQ_OP2_INST_PRED_SETGT_INT), DST_GPR(2), UPDATE_EXECUTE_MASK(1), WRITE_MASK(1)) 32 0
ALU_DWORD0(SRC0_SEL(1), SRC1_SEL(0), LAST(1))
ALU_DWORD1_OP2(ALU_INST(SQ_OP2_INST_MULLO_INT), DST_GPR(1), WRITE_MASK(1))`

// ranBefore runs words on two waves and returns the record as a file gives it, with the threads.
func ranBefore(t *testing.T, text string) (*record.Record, []r600.Thread, error) {
	t.Helper()
	all, err := r600.Functions(r600.Evergreen, text)
	require.NoError(t, err)
	p, err := r600.Load(r600.Evergreen, all[0].Words)
	require.NoError(t, err)
	threads := make([]r600.Thread, 96)
	for i := range threads {
		threads[i].GPR[0][0] = uint32(i)
	}
	rec := record.NewBefore("redwood", r600.Evergreen)
	rec.Begin(all[0])
	m := &r600.Machine{RATs: [][]byte{make([]byte, 512)}, Trace: rec.Trace}
	failed := m.Group(p, threads, make([]byte, 1024))
	var file bytes.Buffer
	require.NoError(t, rec.Record(failed).Write(&file))
	r, err := record.Read(&file)
	require.NoError(t, err)
	return r, threads, failed
}

// A run on a chip before GCN has its steps, and at its end the registers that the machine has.
func TestBefore(t *testing.T) {
	r, threads, err := ranBefore(t, old)
	require.NoError(t, err)
	assert.Equal(t, "evergreen", r.Target)
	require.Len(t, r.Windows, 2)
	for wave := range r.Windows {
		var texts []string
		for s, err := range r.Windows[wave].Steps() {
			require.NoError(t, err)
			if s.Inst == nil {
				continue
			}
			texts = append(texts, s.Text)
			switch s.Text {
			case "LDS_WRITE R1.y, R1.x":
				require.NotNil(t, s.Access)
				assert.Equal(t, uint64(4*(64*wave+7)), s.Access.At(0, 7))
			case "MEM_RAT STORE_RAW RAT0[R0], R1.x___":
				assert.Equal(t, []uint64{0xffff_ffff, 0}[wave], s.State.Exec())
				if wave == 0 {
					assert.Equal(t, []uint64{0xffff_ffff, 4 * 9}, []uint64{s.Access.Exec, s.Access.At(0, 9)})
				} else {
					assert.Nil(t, s.Access)
				}
			case "NOP END":
				for n, name := range r.Names {
					register, elem := int(name[1]-'0'), strings.IndexByte("xyzw", name[3])
					for i, thread := range threads[64*wave : min(64*wave+64, len(threads))] {
						require.Equal(t, thread.GPR[register][elem], s.State.V[n][i], "%s of thread %d", name, i)
					}
				}
				assert.Equal(t, []uint64{1<<64 - 1, 1<<32 - 1}[wave], s.State.Scalar64(gcn.VCC))
			}
		}
		assert.Equal(t, []string{"ALU: ADDR(5) CNT(4)", "ADD_INT R1.x, R0.x, 0x5; LSHL_INT R1.y, R0.x, 0x2",
			"LDS_WRITE R1.y, R1.x", "ALU_PUSH_BEFORE: ADDR(9) CNT(3)", "PRED_SETGT_INT R2.x, 0x20, R0.x",
			"MULLO_INT R1.x, R1.x, R0.x", "MEM_RAT STORE_RAW RAT0[R0], R1.x___", "POP: ADDR(4) POP(1)", "NOP END"}, texts)
	}
	assert.Nil(t, r.Fault)
}

// A fault is at the step that did not execute.
func TestBeforeFault(t *testing.T) {
	r, _, err := ranBefore(t, `CF_ALU_DWORD0(ADDR(2), KCACHE_MODE0(1)) CF_ALU_DWORD1(I_COUNT(2), CF_INST(SQ_CF_INST_ALU))
CF_DWORD0() CF_DWORD1(END_OF_PROGRAM(1))
ALU_DWORD0(SRC0_SEL(0), LAST(1)) ALU_DWORD1_OP2(ALU_INST(SQ_OP2_INST_MOV), DST_GPR(1), WRITE_MASK(1))
ALU_DWORD0(SRC0_SEL(ALU_SRC_KCACHE0_BASE), LAST(1)) ALU_DWORD1_OP2(ALU_INST(SQ_OP2_INST_MOV), DST_GPR(1), WRITE_MASK(1))`)
	require.Error(t, err)
	require.NotNil(t, r.Fault)
	assert.Equal(t, record.Fault{Site: record.Site{PC: 24, Step: 2, Text: "MOV"}, Kind: "memory", Lane: -1,
		Message: "there is no constant 0 of bank 0"}, *r.Fault)
	assert.Equal(t, 3, r.Windows[0].Count)
}
