// Package explain describes instructions and descriptors in words: the text of gcnsim explain.
package explain

import (
	"fmt"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/explain"
)

// Words explains machine words for processor t. kind is "inst", "vsharp", "tsharp" or "ssharp": an instruction, a V#
// (4 words), a T# (8, or 4 before GCN 1.4) or an S# (4). It returns an error for an unknown kind, a wrong number of
// words, or words that are not an instruction.
func Words(kind string, t gcn.Target, words []uint32) (fmt.Stringer, error) {
	return explain.Words(kind, t, words)
}
