// Package house tests what is true of the module as a whole: names, imports, tables, documents.
package house

import (
	"os"
	"testing"
)

// TestMain runs the tests in the root of the repository, from which they name files.
func TestMain(m *testing.M) {
	if err := os.Chdir("../../.."); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}
