// Package explain says in words what instructions and descriptors mean: the text of gcnsim explain.
package explain

import (
	"fmt"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/explain"
)

// Words explains machine words on processor t. The kind is "inst", "vsharp", "tsharp" or "ssharp": an
// instruction, a V# (4 words), a T# (8, or 4 before GCN 1.4) or an S# (4). The error says which kinds there
// are, how many words one takes, or why the words are no instruction.
func Words(kind string, t gcn.Target, words []uint32) (fmt.Stringer, error) {
	return explain.Words(kind, t, words)
}
