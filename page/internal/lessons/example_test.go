package lessons_test

import (
	"fmt"
	"io/fs"

	"github.com/gcnsim/gcnsim/page/internal/lessons"
)

func Example() {
	names, err := fs.Glob(lessons.Files, "02*.md")
	fmt.Println(names, err)
	// Output: [020-swizzle.md] <nil>
}
