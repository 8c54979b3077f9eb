package engine_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/page/internal/engine"
)

// beforeAnswer has the parts of an answer that the page shows for a chip older than GCN.
type beforeAnswer struct {
	Reply struct {
		OK           bool
		Instructions int
		Error        *struct{ Kind, Message string }
	}
	Error *struct {
		Line, Col int
		Message   string
	}
	Memory []struct {
		Name string
		Addr int
		Data string
	}
}

// A web page's listing of the copy shaders executes unchanged, and copies the picture.
func TestListingOnTheOldChips(t *testing.T) {
	page, err := os.ReadFile("../../../internal/r600/testdata/page.txt")
	require.NoError(t, err)
	for _, cpu := range []string{"rv610", "rv770"} {
		a := call[beforeAnswer](t, "run", map[string]any{"mcpu": cpu, "asm": string(page)})
		require.True(t, a.Reply.OK, "%s: %v", cpu, a.Reply.Error)
		require.Len(t, a.Memory, 2)
		assert.Equal(t, "target", a.Memory[1].Name)
		assert.Equal(t, a.Memory[0].Data, a.Memory[1].Data)
		assert.Len(t, a.Memory[1].Data, base64.StdEncoding.EncodedLen(16*16*4))
		assert.Empty(t, call[beforeAnswer](t, "check", map[string]any{"mcpu": cpu, "asm": string(page)}).Error)
	}
	big := map[string]any{"mcpu": "rv770", "asm": string(page), "images": []any{map[string]any{"name": "a", "width": 9999,
		"height": 1}}}
	body, err := json.Marshal(big)
	require.NoError(t, err)
	_, err = new(engine.Engine).Call(context.Background(), "run", body)
	assert.ErrorContains(t, err, "9999 x 1 texels")
}

// For a text with an error, or without exactly two shaders, the error says so.
func TestTextsOnTheOldChips(t *testing.T) {
	type checked struct {
		Errors []struct {
			Line, Col int
			Message   string
		}
	}
	for text, want := range map[string]string{
		"CF_X": "is no word",
		"CF_DWORD0()\nCF_DWORD1()\nCF_DWORD0() CF_DWORD1(CF_INST(SQ_CF_INST_CALL))": "instruction 1 (CALL): the instruction",
	} {
		c := call[checked](t, "check", map[string]any{"mcpu": "rv770", "asm": text})
		require.Len(t, c.Errors, 1)
		assert.Contains(t, c.Errors[0].Message, want)
		a := call[beforeAnswer](t, "run", map[string]any{"mcpu": "rv770", "asm": text})
		require.NotNil(t, a.Error)
		assert.Equal(t, strings.Count(text, "\n")+1, a.Error.Line)
		assert.False(t, a.Reply.OK)
	}
	assert.Empty(t, call[checked](t, "check", map[string]any{"mcpu": "rv770", "asm": ""}).Errors)
	_, err := new(engine.Engine).Call(context.Background(), "run", []byte(`{"mcpu": "rv770"}`))
	assert.EqualError(t, err, "give two programs, each a function: a vertex shader, and a pixel shader, which exports colours")
}

// The page calls compile for every chip. Chips older than GCN have no descriptors.
func TestCompileOnTheOldChips(t *testing.T) {
	scenario := []byte(`{"mcpu": "rv770", "images": [{"name": "a"}]}`)
	out, err := new(engine.Engine).Call(context.Background(), "compile", scenario)
	require.NoError(t, err)
	assert.JSONEq(t, `{"request": {"sgpr": {}}}`, string(out))
}
