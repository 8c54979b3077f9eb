package enum_test

import (
	"fmt"

	"github.com/gcnsim/gcnsim/internal/tool/enum"
)

type colour uint8

func ExampleName() {
	names := []string{"red", "green"}
	fmt.Println(enum.Name(names, colour(1)), enum.Name(names, colour(7)))
	// Output: green enum_test.colour(7)
}

func ExampleNumber() {
	fmt.Println(enum.Number(colour(0)))
	// Output: enum_test.colour(0)
}
