//go:build !js

// Package demangle decodes the mangled names that C++ and Rust compilers write into object files.
package demangle

import (
	"strings"

	"github.com/ianlancetaylor/demangle"
)

// Limits for demangling. maxSymbol is the greatest length of a symbol, because the time grows with its square.
// textBits limits the length of a name, in bits, because repeated substitutions can double it many times.
const maxSymbol, textBits = 4096, 15

// Symbol returns the source name of a symbol: "vadd(float const*, int)" for "_Z4vaddPKfi". Text from a "+" on is
// kept. A symbol that is not mangled or too long is returned unchanged.
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
