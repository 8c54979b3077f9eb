package asm

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestDocNamesFiles checks that the package's documentation names each file of the package.
func TestDocNamesFiles(t *testing.T) {
	doc, err := os.ReadFile("doc.go")
	require.NoError(t, err)
	text, _, _ := strings.Cut(string(doc), "package asm\n")
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	for _, file := range files {
		if file != "doc.go" && !strings.HasSuffix(file, "_test.go") {
			assert.Regexp(t, `\b`+file+`\b`, text)
		}
	}
	for word := range strings.FieldsSeq(text) {
		if file := strings.Trim(word, ".,:()"); strings.HasSuffix(file, ".go") {
			assert.FileExists(t, file)
		}
	}
}
