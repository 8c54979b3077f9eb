// Package check detects defects of programs whose results may still be right. It inspects
// each instruction before and after it executes, the registers of its wave and the record
// of its access, and collects findings.
//
//	c, err := check.New("all")
//	err = m.Watch(c) // or launch.Watch(c)
//	_, err = m.RunAsm(ctx, w, text)
//	for _, f := range c.Findings() {
//		fmt.Println(f)
//	}
//
// The kinds, and before the colon the group that chooses several:
//
//	wait:  wait-raw, wait-waw, wait-war, wait-order, vccz   results used before S_WAITCNT proves that they are written
//	wait-state                                              too few instructions between two that depend on each other
//	race:  race, lane-conflict, stale-cache, scalar-store   accesses of the same memory that nothing orders
//	uninit                                                  values that were never written and have an effect
//	range: out-of-range, misaligned, stack, bounds          accesses without effect, or outside of allocated memory
//	past-end                                                a bare program without s_endpgm
//	rules-differ                                            behaviour on which the sources do not agree
//	ignored                                                 fields, registers, address bits and settings without effect
//	paths: m0, barrier, exec, divergent, space,             defects on all paths, also those that no wave took
//	       unreachable, unfollowed
//
// A finding is an error, a warning, a note or a doubt, see [Severity], and names the rule of the
// handbook.
//
// A defect is one finding, however often the instruction is executed. [Finding.Count] is the
// number of times. Findings are sorted, and equal for equal runs. A checker judges the executed
// path: it has no findings about instructions that no wave reached. [Checker.Paths] judges all
// paths through a kernel, without a run. So does a dispatch if a kind of the group paths is chosen.
//
// The memory of a checker is bounded. It keeps at most 256 instructions of a wave and the last
// write of each register, and as much about memory as Options.MaxBytes allows. When it reaches
// a bound, it adds a finding.
//
// [Write] writes findings as text. The JSON of a finding is equal to a diagnostic of gcnsim exec.
//
// Executors do not depend on checks: a run without a checker pays nothing for them.
package check
