// Package executor contains the common parts of executors: the ports through which a wave accesses memory, LDS and
// GDS, the binding of an instruction to the function that executes it, and the movement of data between lanes and
// memory. Package state has the parts that are visible to users.
package executor
