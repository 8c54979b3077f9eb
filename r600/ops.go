package r600

import "fmt"

// none marks an instruction that a family does not have.
const none = -1

// op is an instruction: its name in the notation without its prefix, and its code by family.
type op struct {
	name  string
	codes [families]int16
	class class
	does  action
}

// cayman returns the codes of an instruction that Cayman alone has.
func cayman(code int16) [families]int16 { return [families]int16{none, none, none, code} }

// cfOps are the control flow instructions of CF_INST (rule FS2).
var cfOps = append(streams(), []op{
	{"NOP", at(0x00), classFlow, doNext}, {"TEX", at(0x01), classFetch, doFetch},
	{"VTX", [families]int16{0x02, 0x02, 0x02, none}, classFetch, doFetch},
	{"VTX_TC", both(0x03, none), classFetch, doFetch}, {"GDS", both(none, 0x03), classFetch, notModelled},
	{"LOOP_START", at(0x04), classFlow, doLoop}, {"LOOP_END", at(0x05), classFlow, doLoopEnd},
	{"LOOP_START_DX10", at(0x06), classFlow, doEndlessLoop}, {"LOOP_START_NO_AL", at(0x07), classFlow, doLoop},
	{"LOOP_CONTINUE", at(0x08), classFlow, doLoopContinue}, {"LOOP_BREAK", at(0x09), classFlow, doLoopBreak},
	{"JUMP", at(0x0a), classFlow, doJump}, {"PUSH", at(0x0b), classFlow, doPush},
	{"PUSH_ELSE", both(0x0c, none), classFlow, notModelled}, {"ELSE", at(0x0d), classFlow, doOtherwise},
	{"POP", at(0x0e), classFlow, doPop}, {"POP_JUMP", both(0x0f, none), classFlow, notModelled},
	{"POP_PUSH", both(0x10, none), classFlow, notModelled},
	{"POP_PUSH_ELSE", both(0x11, none), classFlow, notModelled}, {"CALL", at(0x12), classFlow, notModelled},
	{"CALL_FS", at(0x13), classFlow, doCallFetch}, {"RET", at(0x14), classFlow, doRet},
	{"EMIT_VERTEX", at(0x15), classFlow, notModelled}, {"EMIT_CUT_VERTEX", at(0x16), classFlow, notModelled},
	{"CUT_VERTEX", at(0x17), classFlow, notModelled}, {"KILL", at(0x18), classFlow, doKillAll},
	{"END_PROGRAM", at(0x19), classFlow, doEnd},
	{"WAIT_ACK", [families]int16{none, 0x1a, 0x1a, 0x1a}, classFlow, doNext},
	{"TEX_ACK", [families]int16{none, 0x1b, 0x1b, 0x1b}, classFetch, doFetch},
	{"VTX_ACK", [families]int16{none, 0x1c, 0x1c, none}, classFetch, doFetch},
	{"VTX_TC_ACK", [families]int16{none, 0x1d, none, none}, classFetch, doFetch},
	{"JUMPTABLE", both(none, 0x1d), classFlow, notModelled},
	{"WAVE_SYNC", both(none, 0x1e), classFlow, notModelled}, {"HALT", both(none, 0x1f), classFlow, notModelled},
	{"LDS_DEALLOC", cayman(0x21), classFlow, notModelled}, {"PUSH_WQM", cayman(0x22), classFlow, notModelled},
	{"POP_WQM", cayman(0x23), classFlow, notModelled}, {"ELSE_WQM", cayman(0x24), classFlow, notModelled},
	{"JUMP_ANY", cayman(0x25), classFlow, notModelled}, {"REACTIVATE", cayman(0x26), classFlow, notModelled},
	{"REACTIVATE_WQM", cayman(0x27), classFlow, notModelled}, {"INTERRUPT", cayman(0x28), classFlow, notModelled},
	{"INTERRUPT_AND_SLEEP", cayman(0x29), classFlow, notModelled},
	{"SET_PRIORITY", cayman(0x2a), classFlow, notModelled},
	{"MEM_SCRATCH", both(0x24, 0x50), classMemory, notModelled},
	{"MEM_REDUCT", both(0x25, none), classMemory, notModelled}, {"MEM_RING", both(0x26, 0x52), classMemory, doRing},
	{"EXPORT", both(0x27, 0x53), classExport, doExport}, {"EXPORT_DONE", both(0x28, 0x54), classExport, doExport},
	{"MEM_EXPORT", [families]int16{none, 0x3a, 0x55, 0x55}, classMemory, notModelled},
	{"MEM_RAT", both(none, 0x56), classRAT, doRat}, {"MEM_RAT_NOCACHE", both(none, 0x57), classRAT, doRat},
	{"MEM_RING1", both(none, 0x58), classMemory, doRing}, {"MEM_RING2", both(none, 0x59), classMemory, doRing},
	{"MEM_RING3", both(none, 0x5a), classMemory, doRing},
	{"MEM_MEM_COMBINED", both(none, 0x5b), classMemory, notModelled},
	{"MEM_RAT_COMBINED_NOCACHE", both(none, 0x5c), classRAT, notModelled},
	{"MEM_RAT_COMBINED", cayman(0x5d), classRAT, notModelled},
	{"EXPORT_DONE_END", cayman(0x5e), classExport, notModelled}, {"CF_END", cayman(0x20), classFlow, doEnd},
}...)

// streams are the instructions MEM_STREAM: of a buffer, and on Evergreen and Cayman of a stream and a buffer.
func streams() (all []op) {
	for i := range int16(16) {
		all = append(all, op{fmt.Sprintf("MEM_STREAM%d_BUF%d", i/4, i%4), both(none, 0x40+i), classMemory, doStream})
		if i < 4 {
			all = append(all, op{fmt.Sprintf("MEM_STREAM%d", i), both(0x20+i, none), classMemory, doStream})
		}
	}
	return all
}

// aluOps are the control flow instructions that start an ALU clause: CF_INST has four bits.
var aluOps = []op{
	{"ALU", at(0x08), classALU, doAlu}, {"ALU_PUSH_BEFORE", at(0x09), classALU, doAluPush},
	{"ALU_POP_AFTER", at(0x0a), classALU, doAluPop}, {"ALU_POP2_AFTER", at(0x0b), classALU, doAluPop2},
	{"ALU_EXT", both(none, 0x0c), classALU, notModelled},
	{"ALU_CONTINUE", [families]int16{0x0d, 0x0d, 0x0d, none}, classALU, doAluContinue},
	{"ALU_BREAK", [families]int16{0x0e, 0x0e, 0x0e, none}, classALU, doAluBreak},
	{"ALU_ELSE_AFTER", at(0x0f), classALU, doAluElse},
}

// vtxOps and texOps are the instructions of fetch clauses, by VTX_INST and TEX_INST. Clauses
// of textures may have both: no code is in both.
var vtxOps = []op{
	{"FETCH", at(0x00), classVertex, doVertexFetch}, {"SEMANTIC", at(0x01), classSemantic, notModelled},
}

var texOps = []op{
	{"LD", at(0x03), classTexture, notModelled}, {"GET_TEXTURE_RESINFO", at(0x04), classTexture, notModelled},
	{"GET_NUMBER_OF_SAMPLES", at(0x05), classTexture, notModelled},
	{"GET_LOD", at(0x06), classTexture, notModelled}, {"GET_GRADIENTS_H", at(0x07), classTexture, notModelled},
	{"GET_GRADIENTS_V", at(0x08), classTexture, notModelled},
	{"GET_LERP", both(0x09, none), classTexture, notModelled},
	{"SET_TEXTURE_OFFSETS", both(none, 0x09), classTexture, notModelled},
	{"KEEP_GRADIENTS", [families]int16{none, 0x0a, 0x0a, 0x0a}, classTexture, notModelled},
	{"SET_GRADIENTS_H", at(0x0b), classTexture, notModelled},
	{"SET_GRADIENTS_V", at(0x0c), classTexture, notModelled}, {"PASS", at(0x0d), classTexture, notModelled},
	{"SET_CUBEMAP_INDEX", both(0x0e, none), classTexture, notModelled},
	{"FETCH4", both(0x0f, none), classTexture, notModelled}, {"SAMPLE", at(0x10), classTexture, doSample},
	{"SAMPLE_L", at(0x11), classTexture, notModelled}, {"SAMPLE_LB", at(0x12), classTexture, notModelled},
	{"SAMPLE_LZ", at(0x13), classTexture, notModelled}, {"SAMPLE_G", at(0x14), classTexture, notModelled},
	{"SAMPLE_G_L", both(0x15, none), classTexture, notModelled},
	{"GATHER4", both(none, 0x15), classTexture, notModelled}, {"SAMPLE_G_LB", at(0x16), classTexture, notModelled},
	{"SAMPLE_G_LZ", both(0x17, none), classTexture, notModelled},
	{"GATHER4_O", both(none, 0x17), classTexture, notModelled}, {"SAMPLE_C", at(0x18), classTexture, notModelled},
	{"SAMPLE_C_L", at(0x19), classTexture, notModelled}, {"SAMPLE_C_LB", at(0x1a), classTexture, notModelled},
	{"SAMPLE_C_LZ", at(0x1b), classTexture, notModelled}, {"SAMPLE_C_G", at(0x1c), classTexture, notModelled},
	{"SAMPLE_C_G_L", both(0x1d, none), classTexture, notModelled},
	{"GATHER4_C", both(none, 0x1d), classTexture, notModelled},
	{"SAMPLE_C_G_LB", at(0x1e), classTexture, notModelled},
	{"SAMPLE_C_G_LZ", both(0x1f, none), classTexture, notModelled},
	{"GATHER4_C_O", both(none, 0x1f), classTexture, notModelled},
}
