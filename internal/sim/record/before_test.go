package record_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/r600"
	"github.com/gcnsim/gcnsim/internal/sim/record"
)

// old is a program: a group of two ALU instructions, a branch in which half of the threads stop, a fetch and an
// export.
const old = `CF_ALU_DWORD0(ADDR(5)) CF_ALU_DWORD1(I_COUNT(3), CF_INST(SQ_CF_INST_ALU))
CF_ALU_DWORD0(ADDR(8)) CF_ALU_DWORD1(I_COUNT(3), CF_INST(SQ_CF_INST_ALU_PUSH_BEFORE))
CF_DWORD0(ADDR(12)) CF_DWORD1(CF_INST(SQ_CF_INST_VTX))
CF_DWORD0(ADDR(4)) CF_DWORD1(CF_INST(SQ_CF_INST_POP), POP_COUNT(1))
CF_ALLOC_IMP_EXP_DWORD0(TYPE(SQ_EXPORT_PARAM), RW_GPR(1))
CF_ALLOC_IMP_EXP_DWORD1_SWIZ(SRC_SEL_Y(SQ_SEL_Y), CF_INST(SQ_CF_INST_EXPORT_DONE), END_OF_PROGRAM(1))
ALU_DWORD0(SRC0_SEL(0), SRC1_SEL(ALU_SRC_LITERAL))
ALU_DWORD1_OP2(ALU_INST(SQ_OP2_INST_ADD_INT), DST_GPR(1), WRITE_MASK(1))
ALU_DWORD0(SRC0_SEL(0), SRC1_SEL(ALU_SRC_LITERAL), SRC1_ELEM(ELEM_Y), LAST(1))
ALU_DWORD1_OP2(ALU_INST(SQ_OP2_INST_SUB_INT), DST_GPR(1), DST_ELEM(ELEM_Y), WRITE_MASK(1)) 5 2
ALU_DWORD0(SRC0_SEL(ALU_SRC_LITERAL), SRC1_SEL(0), LAST(1))
ALU_DWORD1_OP2(ALU_INST(SQ_OP2_INST_PRED_SETGT_INT), DST_GPR(2), UPDATE_EXECUTE_MASK(1), WRITE_MASK(1)) 32 0
ALU_DWORD0(SRC0_SEL(1), SRC1_SEL(0), LAST(1))
ALU_DWORD1_OP2(ALU_INST(SQ_OP2_INST_MULLO_INT), DST_GPR(1), WRITE_MASK(1)) 0 0
VTX_DWORD0(BUFFER_ID(0), SRC_GPR(0)) VTX_DWORD1_GPR(DST_GPR(3), DST_SEL_Y(7), DST_SEL_Z(7), DST_SEL_W(7),
DATA_FORMAT(FMT_32), NUM_FORMAT_ALL(SQ_NUM_FORMAT_INT)) VTX_DWORD2(OFFSET(4)) VTX_DWORD_PAD`

// ranBefore executes words on two waves. It returns the record after writing it to a file and reading it, and the
// threads.
func ranBefore(t *testing.T, text string) (*record.Record, []r600.Thread, error) {
	t.Helper()
	all, err := r600.Functions(r600.R700, text)
	require.NoError(t, err)
	p, err := r600.Load(r600.R700, all[0].Words)
	require.NoError(t, err)
	threads := make([]r600.Thread, 96)
	for i := range threads {
		threads[i].GPR[0][0] = uint32(i)
	}
	rec := record.NewBefore("rv770", r600.R700)
	rec.Begin(all[0])
	data := make([]byte, 512)
	for i := range data {
		data[i] = byte(3 * i)
	}
	m := &r600.Machine{Buffers: []r600.Buffer{{Data: data, Stride: 8}}, Trace: rec.Trace}
	failed := m.Group(p, threads)
	var file bytes.Buffer
	require.NoError(t, rec.Record(failed).Write(&file))
	r, err := record.Read(&file)
	require.NoError(t, err)
	return r, threads, failed
}

// The record of a run on a chip before GCN has all steps, and its last state equals the machine's registers.
func TestBefore(t *testing.T) {
	r, threads, err := ranBefore(t, old)
	require.NoError(t, err)
	assert.Equal(t, "r700", r.Target)
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
			case "FETCH R3.x___, R0.x, buffer 0 FMT_32":
				assert.Equal(t, []uint64{0xffff_ffff, 0}[wave], s.State.Exec())
				if wave == 0 {
					assert.Equal(t, []uint64{0xffff_ffff, 8*9 + 4}, []uint64{s.Access.Exec, s.Access.At(0, 9)})
				} else {
					assert.Nil(t, s.Access)
				}
			case "EXPORT_DONE PARAM 0, R1.xyxx END":
				for n, name := range r.Names {
					register, elem := int(name[1]-'0'), strings.IndexByte("xyzw", name[3])
					for i, thread := range threads[64*wave : min(64*wave+64, len(threads))] {
						require.Equal(t, thread.GPR[register][elem], s.State.V[n][i], "%s of thread %d", name, i)
					}
				}
				assert.Equal(t, []uint64{1<<64 - 1, 1<<32 - 1}[wave], s.State.Scalar64(gcn.VCC))
			}
		}
		assert.Equal(t, []string{"ALU: ADDR(5) CNT(3)", "ADD_INT R1.x, R0.x, 0x5; SUB_INT R1.y, R0.x, 0x2",
			"ALU_PUSH_BEFORE: ADDR(8) CNT(3)", "PRED_SETGT_INT R2.x, 0x20, R0.x", "MULLO_INT R1.x, R1.x, R0.x",
			"VTX: ADDR(12) CNT(1)", "FETCH R3.x___, R0.x, buffer 0 FMT_32", "POP: ADDR(4) POP(1)",
			"EXPORT_DONE PARAM 0, R1.xyxx END"}, texts)
	}
	assert.Nil(t, r.Fault)
}

// A fault is in the step that did not execute.
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
