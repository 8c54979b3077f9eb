// Package enum formats the values of enumerations.
package enum

import (
	"fmt"
	"slices"
	"strings"
)

// Name returns the name of v. If v has no name, it returns the type with the number, such as "gcn.Gen(99)".
func Name[T ~uint8 | ~uint16](names []string, v T) string {
	if int(v) < len(names) && names[v] != "" {
		return names[v]
	}
	return Number(v)
}

// inGCN are the types of package internal/isa that users know by aliases in package gcn.
var inGCN = []string{"Clamp", "Encoding", "ErrorKind", "Fidelity", "Gen", "ImageType", "MemOp", "Op", "Sel", "Target"}

// Number returns the type of v, as users know it, with its number.
func Number[T ~uint8 | ~uint16](v T) string {
	of := fmt.Sprintf("%T", v)
	if name, ok := strings.CutPrefix(of, "isa."); ok && slices.Contains(inGCN, name) {
		of = "gcn." + name
	}
	return fmt.Sprintf("%s(%d)", of, v)
}
