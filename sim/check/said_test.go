package check_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa/asm"
	"github.com/gcnsim/gcnsim/sim"
)

// Addresses of instructions in messages are relative to the base that readers choose. Addresses
// of data are absolute.
func TestAddressesInSentences(t *testing.T) {
	const base = 0x4000
	b := newInputs(t, gcn.GFX900, false)
	b.attach()
	require.True(t, b.c.NoInit(b.buf))
	text, err := asm.Assemble(gcn.GFX900, `buffer_load_dword v2, v1, s[0:3], 0 offen
v_mov_b32 v3, v2
v_mov_b32 v4, v3
buffer_store_dword v4, v1, s[0:3], 0 offen
s_endpgm`, asm.LLVM)
	require.NoError(t, err)
	p := sim.NewProgram(gcn.GFX900, base, text.Words, 256)
	b.w.PC = base
	_, err = b.m.RunProgram(context.Background(), p, b.w)
	require.NoError(t, err)
	all := b.c.Findings()
	require.Len(t, all, 1)
	f := all[0]
	const message = "the stored value of lane 0 is undefined: the buffer at 0x100000000 has no data; it came here through "
	require.Equal(t, message+"0x400c", f.Message)
	listed := f.From(base)
	require.Equal(t, message+"0xc", listed.Message)
	require.Contains(t, f.String(), listed.Message)
	require.Equal(t, f.String(), listed.String())
}
