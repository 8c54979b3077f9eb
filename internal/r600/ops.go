package r600

// none is the code of an instruction that a family does not have.
const none = -1

// op is an instruction: its name in the notation without prefix, and its code in each family.
type op struct {
	name  string
	codes [families]int16
	class class
	does  action
}

// at returns the codes of an instruction with the same code in both families.
func at(code int16) [families]int16 { return [families]int16{code, code} }

// since returns the codes of an instruction that only R700 has.
func since(code int16) [families]int16 { return [families]int16{none, code} }

// cfOps are the control flow instructions, by their CF_INST (rule FS2).
var cfOps = []op{
	{"NOP", at(0x00), classFlow, doNext}, {"TEX", at(0x01), classFetch, doFetch},
	{"VTX", at(0x02), classFetch, doFetch}, {"VTX_TC", at(0x03), classFetch, doFetch},
	{"LOOP_START", at(0x04), classFlow, doLoop}, {"LOOP_END", at(0x05), classFlow, doLoopEnd},
	{"LOOP_START_DX10", at(0x06), classFlow, doEndlessLoop}, {"LOOP_START_NO_AL", at(0x07), classFlow, doLoop},
	{"LOOP_CONTINUE", at(0x08), classFlow, doLoopContinue}, {"LOOP_BREAK", at(0x09), classFlow, doLoopBreak},
	{"JUMP", at(0x0a), classFlow, doJump}, {"PUSH", at(0x0b), classFlow, doPush},
	{"PUSH_ELSE", at(0x0c), classFlow, notModelled}, {"ELSE", at(0x0d), classFlow, doOtherwise},
	{"POP", at(0x0e), classFlow, doPop}, {"POP_JUMP", at(0x0f), classFlow, notModelled},
	{"POP_PUSH", at(0x10), classFlow, notModelled}, {"POP_PUSH_ELSE", at(0x11), classFlow, notModelled},
	{"CALL", at(0x12), classFlow, notModelled}, {"CALL_FS", at(0x13), classFlow, doCallFetch},
	{"RET", at(0x14), classFlow, doRet}, {"EMIT_VERTEX", at(0x15), classFlow, notModelled},
	{"EMIT_CUT_VERTEX", at(0x16), classFlow, notModelled}, {"CUT_VERTEX", at(0x17), classFlow, notModelled},
	{"KILL", at(0x18), classFlow, doKillAll}, {"END_PROGRAM", at(0x19), classFlow, doEnd},
	{"WAIT_ACK", since(0x1a), classFlow, doNext}, {"TEX_ACK", since(0x1b), classFetch, doFetch},
	{"VTX_ACK", since(0x1c), classFetch, doFetch}, {"VTX_TC_ACK", since(0x1d), classFetch, doFetch},
	{"MEM_STREAM0", at(0x20), classMemory, notModelled}, {"MEM_STREAM1", at(0x21), classMemory, notModelled},
	{"MEM_STREAM2", at(0x22), classMemory, notModelled}, {"MEM_STREAM3", at(0x23), classMemory, notModelled},
	{"MEM_SCRATCH", at(0x24), classMemory, notModelled}, {"MEM_REDUCT", at(0x25), classMemory, notModelled},
	{"MEM_RING", at(0x26), classMemory, notModelled}, {"EXPORT", at(0x27), classExport, doExport},
	{"EXPORT_DONE", at(0x28), classExport, doExport}, {"MEM_EXPORT", since(0x3a), classMemory, notModelled},
}

// aluOps are the control flow instructions that start an ALU clause. Their CF_INST has four bits.
var aluOps = []op{
	{"ALU", at(0x08), classALU, doAlu}, {"ALU_PUSH_BEFORE", at(0x09), classALU, doAluPush},
	{"ALU_POP_AFTER", at(0x0a), classALU, doAluPop}, {"ALU_POP2_AFTER", at(0x0b), classALU, doAluPop2},
	{"ALU_CONTINUE", at(0x0d), classALU, doAluContinue}, {"ALU_BREAK", at(0x0e), classALU, doAluBreak},
	{"ALU_ELSE_AFTER", at(0x0f), classALU, doAluElse},
}

// vtxOps and texOps are the fetch instructions, by VTX_INST and TEX_INST. A clause of textures may contain both; no
// code occurs in both.
var vtxOps = []op{
	{"FETCH", at(0x00), classVertex, doVertexFetch}, {"SEMANTIC", at(0x01), classSemantic, notModelled},
}

var texOps = []op{
	{"LD", at(0x03), classTexture, notModelled}, {"GET_TEXTURE_RESINFO", at(0x04), classTexture, notModelled},
	{"GET_NUMBER_OF_SAMPLES", at(0x05), classTexture, notModelled}, {"GET_LOD", at(0x06), classTexture, notModelled},
	{"GET_GRADIENTS_H", at(0x07), classTexture, notModelled},
	{"GET_GRADIENTS_V", at(0x08), classTexture, notModelled}, {"GET_LERP", at(0x09), classTexture, notModelled},
	{"KEEP_GRADIENTS", since(0x0a), classTexture, notModelled},
	{"SET_GRADIENTS_H", at(0x0b), classTexture, notModelled},
	{"SET_GRADIENTS_V", at(0x0c), classTexture, notModelled}, {"PASS", at(0x0d), classTexture, notModelled},
	{"SET_CUBEMAP_INDEX", at(0x0e), classTexture, notModelled}, {"FETCH4", at(0x0f), classTexture, notModelled},
	{"SAMPLE", at(0x10), classTexture, doSample}, {"SAMPLE_L", at(0x11), classTexture, notModelled},
	{"SAMPLE_LB", at(0x12), classTexture, notModelled}, {"SAMPLE_LZ", at(0x13), classTexture, notModelled},
	{"SAMPLE_G", at(0x14), classTexture, notModelled}, {"SAMPLE_G_L", at(0x15), classTexture, notModelled},
	{"SAMPLE_G_LB", at(0x16), classTexture, notModelled}, {"SAMPLE_G_LZ", at(0x17), classTexture, notModelled},
	{"SAMPLE_C", at(0x18), classTexture, notModelled}, {"SAMPLE_C_L", at(0x19), classTexture, notModelled},
	{"SAMPLE_C_LB", at(0x1a), classTexture, notModelled}, {"SAMPLE_C_LZ", at(0x1b), classTexture, notModelled},
	{"SAMPLE_C_G", at(0x1c), classTexture, notModelled}, {"SAMPLE_C_G_L", at(0x1d), classTexture, notModelled},
	{"SAMPLE_C_G_LB", at(0x1e), classTexture, notModelled}, {"SAMPLE_C_G_LZ", at(0x1f), classTexture, notModelled},
}
