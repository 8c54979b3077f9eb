package handbook_test

import (
	"fmt"

	"github.com/gcnsim/gcnsim/handbook"
)

// Lookup returns the text of a rule that a fault or a finding cites.
func ExampleLookup() {
	r, ok := handbook.Lookup("A6")
	fmt.Println(ok, r.Cite(), r.Gens)
	// Output:
	// true rule A6: Address sum GCN 1.0-1.4.1
}
