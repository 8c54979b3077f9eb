// Package check finds what is wrong with a program although its result may be right: it
// looks at each instruction before and after it executes, at the registers of its wave and
// at the record of its access, and collects findings.
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
//	wait:  wait-raw, wait-waw, wait-war, wait-order, vccz   used before S_WAITCNT proves that it is there
//	wait-state                                              too few instructions between two
//	race:  race, lane-conflict, stale-cache, scalar-store   accesses of one memory that nothing orders
//	uninit                                                  a value that nothing put there decides something
//	range: out-of-range, misaligned, stack, bounds          accesses that did nothing, or of memory that is not given
//	past-end                                                a bare program without s_endpgm
//	rules-differ                                            what the sources do not agree on
//	ignored                                                 fields, registers, address bits and settings without effect
//	paths: m0, barrier, exec, divergent, space,             what is wrong on paths that no wave took
//	       unreachable, unfollowed
//
// A finding is an error, a warning, a note or a doubt, see [Severity], and says by which rule of the
// handbook.
//
// A defect is one finding, however often the instruction is executed; [Finding.Count] says
// how often. Findings are sorted and the same whenever the run is. A checker judges the
// executed path: it is silent about instructions that no wave reached. [Checker.Paths] judges all
// paths through a kernel, without a run; a dispatch does so too if a kind of the group paths is chosen.
//
// What it remembers is bounded: of a wave at most 256 instructions and when a register was
// last written, of memory what Options.MaxBytes allows. Where it gives up it says so in a
// finding.
//
// [Write] writes findings for people. The JSON of a finding is what gcnsim exec prints as a diagnostic.
//
// Executors know nothing of checks. A run without a checker costs what it did before.
package check
