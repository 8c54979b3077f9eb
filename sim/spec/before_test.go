package spec_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/sim/spec"
)

// beforeProgram adds a literal and a constant to register 0, exports the sum, and kills threads whose sum equals
// register 0. A fetch reads memory.
const beforeProgram = `CF_ALU_DWORD0(ADDR(3), KCACHE_MODE0(1)) CF_ALU_DWORD1(I_COUNT(4), CF_INST(SQ_CF_INST_ALU)) ` +
	`CF_DWORD0(ADDR(8)) CF_DWORD1(CF_INST(SQ_CF_INST_VTX)) ` +
	`CF_ALLOC_IMP_EXP_DWORD0(TYPE(SQ_EXPORT_PIXEL), RW_GPR(1)) CF_ALLOC_IMP_EXP_DWORD1_SWIZ(SRC_SEL_Y(SQ_SEL_1), ` +
	`SRC_SEL_Z(SQ_SEL_Z), SRC_SEL_W(SQ_SEL_W), CF_INST(SQ_CF_INST_EXPORT_DONE), END_OF_PROGRAM(1)) ` +
	`ALU_DWORD0(SRC0_SEL(0), SRC1_SEL(ALU_SRC_LITERAL), LAST(1)) ` +
	`ALU_DWORD1_OP2(ALU_INST(SQ_OP2_INST_ADD_INT), DST_GPR(1), WRITE_MASK(1)) 5 0 ` +
	`ALU_DWORD0(SRC0_SEL(ALU_SRC_KCACHE0_BASE), SRC1_SEL(1), LAST(1)) ` +
	`ALU_DWORD1_OP2(ALU_INST(SQ_OP2_INST_ADD_INT), DST_GPR(1), WRITE_MASK(1)) ` +
	`ALU_DWORD0(SRC0_SEL(1), SRC1_SEL(0), LAST(1)) ALU_DWORD1_OP2(ALU_INST(SQ_OP2_INST_KILLE_INT), DST_GPR(2)) 0 0 ` +
	`VTX_DWORD0(BUFFER_ID(1), SRC_GPR(0)) VTX_DWORD1_GPR(DST_GPR(3), DST_SEL_Y(7), DST_SEL_Z(7), DST_SEL_W(7), ` +
	`DATA_FORMAT(FMT_32), NUM_FORMAT_ALL(SQ_NUM_FORMAT_INT)) VTX_DWORD2() VTX_DWORD_PAD`

// A request for a chip before GCN executes a work-group with its registers, constants and memory.
func TestExecBeforeGCN(t *testing.T) {
	for _, c := range []struct{ members, want string }{
		{`"gpr":{"0":[[1],[2]]},"dump":{"gpr":[1],"exports":["pixel0"]}`,
			`{"ok":true,"gpr":{"1":[["0x0000000a","0x00000000","0x00000000",` +
				`"0x00000000"],["0x0000000b","0x00000000","0x00000000","0x00000000"]]},"exports":{"pixel0":[["0x0000000a",` +
				`"0x3f800000","0x00000000","0x00000000"],["0x0000000b","0x3f800000","0x00000000","0x00000000"]]},"instructions":7}`},
		{`"threads":1,"constants":{"0":[["0xfffffffb"]]}`, `{"ok":true,"killed":[0],"instructions":7}`},
		{`"gpr":{"0":[[1]]},"mem":{"hex":"0102030405"},"dump":{"gpr":[3]}`,
			`{"ok":true,"gpr":{"3":[["0x05040302","0x00000000","0x00000000","0x00000000"]]},"instructions":7}`},
		{`"threads":1,"mem":null`, `{"ok":false,"error":{"kind":"fault","message":"instruction 8 (FETCH): ` +
			`there is no buffer 1","pc":"0x40","text":"FETCH"}}`},
		{`"threads":1,"constants":{"0":[]}`, `{"ok":false,"error":{"kind":"fault","message":"instruction 5 (ADD_INT): ` +
			`there is no constant 0 of bank 0","pc":"0x28","text":"ADD_INT"}}`},
		{`"threads":0`, `threads: 0 threads; give 1 to 1024, or registers of them in gpr`},
		{`"threads":1,"gpr":{"0":[[1],[2]]}`, `gpr.0: it has values for 2 threads of 1`},
		{`"gpr":{"128":[[1]]}`, `gpr.128: there are registers 0 to 127`},
		{`"gpr":{"0":[[1,2,3,4,5]]}`, `gpr.0[0]: 5 components; a register has 4`},
		{`"threads":1,"constants":{"16":[]}`, `constants.16: there are banks 0 to 15 of at most 4096 constants`},
		{`"threads":1,"mem":{"size":1,"hex":"0102"}`, `mem: hex has 2 bytes, more than its size of 1`},
		{`"threads":1,"dump":{"gpr":[128]}`, `dump.gpr[0]: there are registers 0 to 127`},
		{`"threads":1,"dump":{"exports":["pixel08"]}`, `dump.exports[0]: \"pixel08\" is neither position nor param0`},
		{`"threads":1,"dump":{"mem":[[0,4]]}`, `unknown key`},
		{`"threads":1,"words":["00000000"]`, `give one of asm and words`},
		{`"threads":1,"sgpr":{}`, `unknown key \"sgpr\"; did you mean \"gpr\"?`},
	} {
		members := `"mcpu":"rv610"`
		for _, def := range []string{`"asm":` + quoted(beforeProgram), `"mem":{"size":64}`, `"constants":{"0":[[4]]}`} {
			if key, _, _ := strings.Cut(def, ":"); !strings.Contains(strings.ReplaceAll(c.members, "null", "{"), key+":{") {
				members += "," + def
			}
		}
		reply := spec.Answer(context.Background(), []byte("{"+members+","+c.members+"}"), nil)
		text, err := json.Marshal(reply)
		require.NoError(t, err)
		if strings.HasPrefix(c.want, "{") {
			assert.Equal(t, c.want, string(text), c.members)
			continue
		}
		assert.Contains(t, string(text), c.want)
	}
}

// Words have the same results as the text; words that are not a program are an error in the answer.
func TestExecBeforeGCNWords(t *testing.T) {
	for request, want := range map[string]string{
		`{"id":7,"mcpu":"RV770","words":["00000000","80200000"],"threads":3}`: `{"id":7,"ok":true,"instructions":1}`,
		`{"mcpu":"rv610","words":["00000000","80200000"],"threads":3}`:        `{"ok":true,"instructions":1}`,
		`{"mcpu":"rs880","asm":"CF_DWORD9","threads":3}`: `{"ok":false,"error":{"kind":"asm","message":"1:1: \"CF_DWORD9\" ` +
			`is no word, did you mean CF_DWORD0; write a macro such as CF_DWORD0(ADDR(4)) or a number"}}`,
	} {
		text, err := json.Marshal(spec.Answer(context.Background(), []byte(request), nil))
		require.NoError(t, err)
		assert.Equal(t, want, string(text))
	}
}

func quoted(s string) string {
	text, _ := json.Marshal(s) // convert to a JSON string
	return string(text)
}

// A fetch from a buffer that the request does not define faults: memory is buffer 1, and there is no other.
func TestExecBeforeGCNWithoutBuffer(t *testing.T) {
	asm := strings.ReplaceAll(beforeProgram, "BUFFER_ID(1)", "BUFFER_ID(%d)")
	for id, want := range map[int]string{0: "there is no buffer 0", 2: "there is no buffer 2"} {
		request := `{"mcpu":"rv770","threads":1,"mem":{"size":64},"constants":{"0":[[4]]},"asm":` +
			quoted(fmt.Sprintf(asm, id)) + `}`
		text, err := json.Marshal(spec.Answer(context.Background(), []byte(request), nil))
		require.NoError(t, err)
		assert.Contains(t, string(text), want)
	}
}
