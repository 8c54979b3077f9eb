// Package timing says how many cycles a run takes and why. A [Model] is a
// [sim.Watcher] of it, keeps for each wave a compact stream of what it executed, and replays
// the streams of resident waves on compute units: issue, counters, texture addresses,
// caches, DRAM, LDS banks. CUs of a dispatch are replayed on all cores, with the same times on
// any number. It changes no result, and executors do not know of it. Streams are
// freed as far as they are replayed; work-groups of a dispatch execute only as far as there is
// room for their streams.
//
// It is a discrete-event simulation: a SIMD is woken when a wave of it may issue (wakeups), and what a unit does for an
// instruction is known when that issues. Clusters of CUs run a window of time each by themselves. What they need of L2,
// which all share, they write down (l2Request), and until the window has ended the answer is an unknown time, as a
// future is: an instruction with such an answer is a pending access. A wave runs in a wave slot of a SIMD.
//
// The model is cycle-approximate. What public sources give is reproduced, what they do not
// give is a parameter that is reported as assumed, see [Params.Fields]. Sources: the
// handbook's chapter on time, rules W1, W2, W8 and W9. What it leaves out is listed by
// [WriteParams], and for a run in [Result].NotModelled.
package timing
