//go:build !js

// Package demangle reads names of functions as compilers of C++ and Rust write them into object files.
package demangle

import (
	"strings"

	"github.com/ianlancetaylor/demangle"
)

// Bounds of a symbol, whose time is the square of its length, and, in bits, of a name: substitutions may double it
// again and again.
const maxSymbol, textBits = 4096, 15

// Symbol returns a symbol as its source has it: "vadd(float const*, int)" for "_Z4vaddPKfi". What follows
// a "+" stays. A symbol that is not mangled, or is too long, comes back as it is.
func Symbol(symbol string) string {
	name, offset, more := strings.Cut(symbol, "+")
	if len(name) > maxSymbol {
		return symbol
	}
	text, err := demangle.ToString(name, demangle.LLVMStyle, demangle.MaxLength(textBits))
	if err != nil || len(text) >= 1<<textBits {
		return symbol
	}
	if more {
		text += "+" + offset
	}
	return text
}
