package plural_test

import (
	"fmt"

	"github.com/gcnsim/gcnsim/internal/tool/plural"
)

func ExampleOf() {
	fmt.Println(plural.Of(1, "error"), plural.Of(2, "note"))
	// Output: 1 error 2 notes
}
