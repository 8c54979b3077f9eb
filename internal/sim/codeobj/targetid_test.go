package codeobj

import (
	"encoding/binary"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestFeaturesOfTargetIDs decodes target ids of all code object versions.
func TestFeaturesOfTargetIDs(t *testing.T) {
	const triple = "amdgcn-amd-amdhsa--"
	for _, tt := range []struct {
		version int
		id      string
		want    Features
	}{
		{5, "gfx906", Features{}},
		{5, "gfx906:xnack+", Features{XNACK: On}},
		{6, "gfx906:sramecc+:xnack-", Features{XNACK: Off, SRAMECC: On}},
		{4, "gfx906:sramecc-:xnack+", Features{XNACK: On, SRAMECC: Off}},
		{3, "gfx906+xnack-sram-ecc", Features{XNACK: On, SRAMECC: Off}},
		{3, "gfx906-xnack+sram-ecc", Features{XNACK: Off, SRAMECC: On}},
		{2, "gfx906+xnack", Features{XNACK: On}},
		{2, "gfx907", Features{XNACK: On}},
		{2, "gfx906", Features{}},
		{2, "gfx803", Features{}},
		{4, "gfx907", Features{}}, // only version 2 has this name for XNACK
	} {
		assert.Equal(t, tt.want, idFeatures(tt.version, triple+tt.id), "version %d, %s", tt.version, tt.id)
	}
}

// TestFeaturesOfFiles changes e_flags of compiled objects.
func TestFeaturesOfFiles(t *testing.T) {
	for _, tt := range []struct {
		file  string
		flags uint32 // flags in addition to EF_AMDGPU_MACH
		want  Features
	}{
		{"probe.v3.gfx900.co", 0, Features{Off, Off}},
		{"probe.v3.gfx900.co", 0x100, Features{On, Off}},
		{"probe.v3.gfx900.co", 0x300, Features{On, On}},
		{"probe.v4.gfx906.co", 0x000, Features{}},
		{"probe.v4.gfx906.co", 0x500, Features{}},
		{"probe.v4.gfx906.co", 0x700, Features{XNACK: On}},
		{"probe.v5.gfx906.co", 0xe00, Features{Off, On}},
		{"probe.v5.gfx906.co", 0xb00, Features{On, Off}},
	} {
		data, err := os.ReadFile("testdata/" + tt.file)
		require.NoError(t, err)
		flags := data[48:52]
		binary.LittleEndian.PutUint32(flags, binary.LittleEndian.Uint32(flags)&machMask|tt.flags)
		o, err := Parse(data)
		require.NoError(t, err)
		assert.Equal(t, tt.want, o.features, "%s with 0x%x", tt.file, tt.flags)
	}
}

// TestFeaturesOfNotes changes the processor name in a file of version 2, and removes it.
func TestFeaturesOfNotes(t *testing.T) {
	data, err := os.ReadFile("testdata/probe.v2.gfx906.co")
	require.NoError(t, err)
	o, err := Parse(data)
	require.NoError(t, err)
	assert.Equal(t, Features{XNACK: On}, o.features, "clang calls gfx906 that runs with either gfx907")
	const name, version = "amdgcn-amd-amdhsa--gfx907", "\x09\x00\x00\x00\x00\x00\x00\x00\x07\x00\x00\x00"
	for _, tt := range []struct {
		name, version string
		want          Setting
	}{
		{"amdgcn-amd-amdhsa--gfx906", version, Unstated},
		{"amd-amdhsa--gfx906-xnack\x00", version, Off},
		{"amd-amdhsa--gfx906+xnack\x00", version, On},
	} {
		text := string(data)
		require.Equal(t, 1, strings.Count(text, name))
		o, err := Parse([]byte(strings.Replace(text, name, tt.name, 1)))
		require.NoError(t, err)
		assert.Equal(t, tt.want, o.features.XNACK, tt.name)
	}
	notes := []note{{ownerV2, noteISAVersion, []byte("\x04\x00\x07\x00" + version)}}
	assert.Equal(t, On, featuresOf(2, 0, notes).XNACK)
	notes[0].desc = []byte("\x04\x00\x07\x00" + strings.Replace(version, "\x07", "\x06", 1))
	assert.Equal(t, Unstated, featuresOf(2, 0, notes).XNACK)
	assert.Equal(t, Features{}, featuresOf(2, 0, nil))
}
