package abi_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa/asm"
	"github.com/gcnsim/gcnsim/internal/tool/abi"
)

// TestTargetOf finds the processor in texts of all code object versions, and assembles them.
func TestTargetOf(t *testing.T) {
	for text, want := range map[string]gcn.Target{
		`.amdgcn_target "amdgcn-amd-amdhsa--gfx803"`:                                               gcn.GFX803,
		`.amdgcn_target "amdgcn-amd-amdhsa--gfx906:sramecc-:xnack-"`:                               gcn.GFX906,
		`.amdgcn_target "amdgcn-amd-amdhsa--gfx906+xnack+sram-ecc"`:                                gcn.GFX906,
		`.amdgcn_target "amdgcn-amd-amdhsa--gfx906-sram-ecc"`:                                      gcn.GFX906,
		"\t.text\n\t.hsa_code_object_version 2,1\n\t.hsa_code_object_isa 7,0,1,\"AMD\",\"AMDGPU\"": gcn.GFX701,
		`.hsa_code_object_isa 9, 0, 1, "AMD", "AMDGPU"`:                                            gcn.GFX900,
	} {
		got, ok := abi.TargetOf("s_nop 0\n" + text + "\ns_nop 1\n")
		require.True(t, ok, text)
		assert.Equal(t, want, got, text)
		_, err := asm.Assemble(got, text, asm.LLVM)
		assert.NoError(t, err, text)
	}
	for _, text := range []string{
		"", "s_nop 0", `.amdgcn_target "amdgcn-amd-amdhsa--gfx1030"`, `.amdgcn_target ""`,
		`; .amdgcn_target "amdgcn-amd-amdhsa--gfx803"`, ".hsa_code_object_isa",
		".hsa_code_object_isa 99999999999999999999,0,0",
		`.hsa_code_object_isa 10,3,0,"AMD","AMDGPU"`,
	} {
		_, ok := abi.TargetOf(text)
		assert.False(t, ok, text)
	}
	for _, text := range []string{`.amdgcn_target ""`, `.amdgcn_target "-"`, `.amdgcn_target "gfx803:"`,
		`.amdgcn_target "-gfx"`} {
		_, _ = asm.Assemble(gcn.GFX803, text, asm.LLVM) // the result does not matter
	}
}
