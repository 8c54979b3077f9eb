// Package compare takes two programs that should do the same and says where they do not.
//
// [Programs] runs two kernels, of different compilers, options or processors, on the same
// inputs and compares what they leave in their buffers. The verdict says what it rests on: what the
// programs stored and executed. Of the first element that differs it says which instruction stored it for which
// work-item in each program, where its value comes from, as far as the programs do not agree on that, and, where
// most of their instructions are the same, which instruction is the first whose result differs. [Order] finds out
// whether what a program leaves depends on the order of its work-groups. [Diverge] is for what is no dispatch: it
// compares two runs of the same instructions step by step.
//
// What is kept does not grow with the length of a run. Programs run several times: once for
// the result, once for who wrote each byte last ([LastStores]), and again for each million
// instructions that a slice goes back; runs that are compared step by step run side by side.
//
// Slices of programs that have other instructions are walked side by side from the two stores on. Instructions that do
// the same thing are paired by the values that they read; the difference begins where both read the same and write
// something else. Where instructions do other things, an instruction agrees with the other program if that computes the
// same, in all lanes that both programs have on, in the same wave and for the element, too. Small numbers agree by
// chance; [Step.Parts] then points too far down.
package compare
