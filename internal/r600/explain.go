package r600

import (
	"fmt"
	"strings"

	"github.com/gcnsim/gcnsim/internal/tool/enum"
	"github.com/gcnsim/gcnsim/internal/tool/plural"
)

// does describes instructions, by action. The explanation lists fields separately.
var does = [actions]string{
	notModelled: "the simulator does not execute it", doNext: "does nothing", doEnd: "ends the program",
	doFetch: "executes the fetches at ADDR", doExport: "exports registers",
	doAlu:         "executes the ALU clause at ADDR",
	doAluPush:     "pushes the mask of threads, then executes the ALU clause at ADDR",
	doAluPop:      "executes the ALU clause at ADDR, then pops a mask of threads",
	doAluPop2:     "executes the ALU clause at ADDR, then pops two masks of threads",
	doAluContinue: "executes the ALU clause at ADDR; threads that a predicate stops wait for the end of the loop",
	doAluBreak:    "executes the ALU clause at ADDR; threads that a predicate stops leave the loop",
	doAluElse:     "executes the ALU clause at ADDR, then makes the other threads of the last mask active",
	doJump:        "goes to ADDR and pops masks if no thread is active",
	doPush:        "pushes the mask of threads, then as JUMP",
	doOtherwise:   "makes the other threads of the last mask active, then as JUMP",
	doPop:         "pops masks of threads", doLoop: "begins a loop, whose end is before ADDR, as often as a constant says",
	doEndlessLoop: "begins a loop, whose end is before ADDR", doLoopEnd: "goes to ADDR while a thread is in the loop",
	doLoopContinue: "active threads wait for the end of the loop", doLoopBreak: "active threads leave the loop",
	doCallFetch: "calls the fetch shader", doRet: "returns from the fetch shader", doKillAll: "kills the active threads",
	doVertexFetch: "reads a record of a buffer", doSample: "reads a texel",
}

var _ = enum.Full[action](does[:], doPart)

// Explain explains a program: its control flow from the first word on, and its clauses. The error is an *[Error] of
// kind [NoInstruction] if the first word is not an instruction.
func Explain(f Family, words []uint32) (string, error) {
	if _, err := decodeInst(f, words); err != nil {
		return "", err
	}
	var out strings.Builder
	l := survey(f, words)
	for i := range words {
		if in := l.insts[i]; in != nil {
			fmt.Fprintf(&out, "%d %s: %s\n", i/2, in.Name, in.meaning())
			for j, k := range forms[in.class] {
				in.explain(&out, k, words[i+j])
			}
		}
	}
	return out.String(), nil
}

// meaning describes the effect of the instruction.
func (in *Inst) meaning() string {
	if in.does != doPart {
		if in.get(fieldEndOfProgram) != 0 {
			return does[in.does] + ", then ends the program"
		}
		return does[in.does]
	}
	last := ""
	if in.get(fieldLast) != 0 {
		last = ", the last of its group"
	}
	if in.arith().result == nil {
		return does[notModelled]
	}
	return "an operation on " + plural.Of(int(in.arith().sources), "source") + last
}

// explain writes the fields of a word whose value is not 0.
func (in *Inst) explain(out *strings.Builder, k word, bits uint32) {
	fmt.Fprintf(out, "  %08x  %s\n", bits, macros[k])
	for _, s := range k.spans(in.Family) {
		if v := bits >> s.at & s.mask(); v != 0 {
			fmt.Fprintf(out, "    %-7s %s %s\n", fmt.Sprintf("%d-%d", s.at, s.at+s.width-1), s.field, in.argument(k, s.field))
		}
	}
}
