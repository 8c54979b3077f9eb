package job

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// kernels is the compiled kernels of the project's tests; nothing can be written there.
type kernels struct{}

func (kernels) ReadFile(name string, limit int64) ([]byte, error) {
	b, err := os.ReadFile(filepath.Join("../../testdata/kernels", filepath.Base(name)))
	if int64(len(b)) > limit {
		return nil, errors.New("too large")
	}
	return b, err
}

func (kernels) WriteFile(string, []byte) error { return errors.New("read-only") }

func TestDispatchRefusesWhatItCannotTake(t *testing.T) {
	const args = `{"buffer":{"size":64}},{"buffer":{"size":64}},{"buffer":{"size":64}}`
	for name, c := range map[string]struct{ keys, message string }{
		"no files of that name":  {`"code_object":"x"`, "code_object: open"},
		"huge buffer":            {`"args":[{"buffer":{"size":"0xffffffffffffffff"}}]`, "args[0]: with a buffer of 18446744073709551615 bytes"},
		"buffers in sum":         {`"args":[{"buffer":{"size":4294967295}},{"buffer":{"size":2}}]`, "args[1]: with a buffer of 2 bytes"},
		"no buffer":              {`"args":[{"buffer":{}}]`, "args[0]: a buffer of 0 bytes"},
		"two contents":           {`"args":[{"buffer":{"file":"a","hex":"00"}}]`, "both hex and file"},
		"two kinds of argument":  {`"args":[{"u32":1,"u64":2}]`, "args[0]: give exactly one of buffer"},
		"nothing":                {`"args":[{}]`, "args[0]: give exactly one of buffer"},
		"dump of no buffer":      {`"args":[` + args + `,{"u32":1}],"dump":[{"arg":3,"hex":true}]`, "dump: argument 3 is not a buffer"},
		"dump beyond":            {`"args":[` + args + `,{"u32":1}],"dump":[{"arg":4294967295,"hex":true}]`, "dump: argument 4294967295 is not a buffer"},
		"dump to nowhere":        {`"args":[` + args + `,{"u32":1}],"dump":[{"arg":0}]`, "goes nowhere"},
		"dump of too much":       {`"args":[{"buffer":{"size":"0x40000001"}}],"dump":[{"arg":0,"hex":true}]`, "dump[0]: with these 1073741825 bytes the answer would show more than the 1073741824 that it may; give file"},
		"dump that cannot write": {`"args":[` + args + `,{"u32":1}],"dump":[{"arg":0,"file":"a"}]`, "read-only"},
	} {
		keys := c.keys
		if !strings.Contains(keys, "code_object") {
			keys += `,"code_object":"vadd.fiji.co"`
		}
		req, err := ParseDispatch([]byte(`{"kernel":"vadd","grid":[1],` + keys + `}`))
		require.NoError(t, err, name)
		_, err = req.Run(t.Context(), &Options{Files: kernels{}})
		require.ErrorContains(t, err, c.message, name)
		assert.Equal(t, "input", Failed(err).Kind, name)
	}
	req, err := ParseDispatch([]byte(`{"code_object":"a"}`))
	require.NoError(t, err)
	_, err = req.Run(t.Context(), nil)
	require.ErrorContains(t, err, `there are no files here, "a" cannot be read`)
}
