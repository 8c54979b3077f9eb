// Package timing computes how many cycles a run takes and why. A [Model] is a [sim.Watcher] of the run. It stores a
// compact stream of executed instructions for each wave, and replays the streams of resident waves on compute units:
// issue, counters, texture addresses, caches, DRAM and LDS banks. The CUs of a dispatch are replayed on all cores of
// the host, and the times do not depend on their number. The model does not change results, and executors do not
// depend on it. Replayed parts of streams are freed; the work-groups of a dispatch execute only as far as there is
// room for their streams.
//
// It is a discrete-event simulation. A SIMD is woken when one of its waves may issue (wakeups), and the work of a
// unit for an instruction is computed when that instruction issues. Clusters of CUs are simulated independently for a
// window of time. They record their requests to L2, which all share (l2Request). Until the end of the window the time
// of an answer is an unknown time, comparable to a future; an instruction that depends on such an answer is a pending
// access. A wave occupies a wave slot of a SIMD.
//
// The model is cycle-approximate. Published figures are reproduced; other values are parameters that are reported as
// assumed, see [Params.Fields]. Sources: the handbook's chapter on time, rules W1, W2, W8 and W9. [WriteParams] lists
// the effects that the model omits, and [Result].NotModelled those of a run.
package timing
