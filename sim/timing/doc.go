// Package timing says how many cycles a run takes and why. A [Model] observes a run as a
// [sim.Observer], keeps for each wave a compact stream of what it executed, and replays
// the streams of resident waves on compute units: issue, counters, texture addresses,
// caches, DRAM, LDS banks. It changes no result, and executors do not know of it.
//
// The model is cycle-approximate. What public sources give is reproduced, what they do
// not give is a parameter that is reported as assumed, see [Params.Fields]. Sources:
// spec/timing.md; spec/hazards.md; seed GcnMemHandling (coalescing).
//
// Left out: address translation; wave priorities (the oldest wave goes first); the time to
// launch work-groups; waits of GWS instructions and ordered counts; several lanes that do
// atomics on one address, which take no longer than on different ones; the LDS's share in
// loads from memory to LDS; the filter of a sampler, which is taken to be bilinear. Private
// memory has the same addresses in all work-groups of a dispatch, so that caches serve it
// better than on hardware. S_MEMTIME counts instructions, not cycles.
package timing
