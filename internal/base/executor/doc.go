// Package executor holds the parts that executors share: the ports through which a wave reaches
// memory, LDS and GDS, the binding of an instruction to the function that executes it, and
// the movement of data between lanes and memory. What users see of a wave is package state.
package executor
