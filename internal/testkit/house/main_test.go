// Package house tests properties of the whole module: names, imports, tables, documents.
package house

import (
	"os"
	"testing"
)

// TestMain executes the tests in the root directory of the repository, to which their file names are relative.
func TestMain(m *testing.M) {
	if err := os.Chdir("../../.."); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}
