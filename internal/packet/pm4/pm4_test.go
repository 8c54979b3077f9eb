package pm4_test

import (
	"encoding/binary"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/packet/pm4"
)

// Packets exist where drivers of a generation were seen to write them, and not where they must not.
func TestWherePacketsExist(t *testing.T) {
	const g, c = pm4.Graphics, pm4.Compute
	for _, test := range []struct {
		gen   gcn.Gen
		ring  pm4.Ring
		op    uint8
		count int // number of words in the body
		name  string
		what  string // part of the error text
	}{
		{gcn.GCN10, g, 0x43, 4, "SURFACE_SYNC", ""},
		{gcn.GCN10, c, 0x43, 4, "SURFACE_SYNC", ""},
		{gcn.GCN12, g, 0x43, 4, "SURFACE_SYNC", ""},
		{gcn.GCN12, c, 0x43, 4, "", "SURFACE_SYNC is no packet of this ring"},
		{gcn.GCN14, g, 0x43, 4, "", "SURFACE_SYNC is no packet of this ring"},
		{gcn.GCN14, g, 0x58, 6, "ACQUIRE_MEM", ""},
		{gcn.GCN12, c, 0x58, 6, "ACQUIRE_MEM", ""},
		{gcn.GCN12, g, 0x58, 6, "", "ACQUIRE_MEM is no packet of this ring"},
		{gcn.GCN10, c, 0x16, 2, "DISPATCH_INDIRECT", ""},
		{gcn.GCN10, c, 0x16, 3, "", "DISPATCH_INDIRECT has 3 dwords, not 2"},
		{gcn.GCN11, g, 0x16, 2, "DISPATCH_INDIRECT", ""},
		{gcn.GCN11, c, 0x16, 3, "DISPATCH_INDIRECT", ""},
		{gcn.GCN11, c, 0x16, 2, "", "DISPATCH_INDIRECT has 2 dwords, not 3"},
		{gcn.GCN141, c, 0x49, 7, "RELEASE_MEM", ""},
		{gcn.GCN12, g, 0x47, 5, "EVENT_WRITE_EOP", ""},
		{gcn.GCN14, g, 0x47, 5, "", "EVENT_WRITE_EOP is no packet of this ring"},
		{gcn.GCN14, g, 0x20, 3, "SET_PREDICATION", ""},
		{gcn.GCN12, g, 0x20, 3, "", "SET_PREDICATION has 3 dwords, not 2"},
		{gcn.GCN14, g, 0x2d, 2, "DRAW_INDEX_AUTO", ""},
		{gcn.GCN14, c, 0xff, 2, "", "no packet with opcode 0xff is known"},
		{gcn.GCN14, c, 0x10, 0x3fff, "NOP", ""},
	} {
		words := make([]uint32, test.count+1)
		words[0] = 3<<30 | uint32(test.count-1)<<16 | uint32(test.op)<<8
		p, n, err := pm4.Stream{Gen: test.gen, Ring: test.ring}.Next(words, 0)
		if test.what != "" {
			var e *pm4.Error
			require.ErrorAs(t, err, &e, "%+v", test)
			assert.Equal(t, test.what, e.What, "%+v", test)
			continue
		}
		require.NoError(t, err, "%+v", test)
		assert.Equal(t, test.name, p.Name)
		assert.Equal(t, test.count+1, n)
		assert.Len(t, p.Body, test.count)
	}
}

// A field has the value of its bits; a word beyond the end of a short body is 0.
func TestFields(t *testing.T) {
	s := pm4.Stream{Gen: gcn.GCN12, Ring: pm4.Graphics}
	p, n, err := s.Next([]uint32{0, 0xc0023f01, 0x12345677, 0xabcd9999, 0x00123456}, 1)
	require.NoError(t, err)
	assert.Equal(t, 4, n)
	assert.True(t, p.Predicated)
	assert.EqualValues(t, uint64(0x999912345674), p.Get(pm4.Addr))
	assert.EqualValues(t, 0x23456, p.Get(pm4.Dwords))
	assert.EqualValues(t, 1, p.Get(pm4.Chain))
	assert.False(t, p.Has(pm4.Data))

	p, _, err = s.Next([]uint32{0xc0004600, 0x507}, 0)
	require.NoError(t, err)
	assert.EqualValues(t, 7, p.Get(pm4.EventType))
	assert.EqualValues(t, 5, p.Get(pm4.EventIndex))
	assert.False(t, p.Has(pm4.Addr))
	assert.Zero(t, p.Get(pm4.Addr))

	// The byte count of a DMA has more bits on later generations.
	dma := []uint32{0xc0055000, 0xa0300000, 1, 2, 3, 4, 0x0fffffff}
	p, _, err = s.Next(dma, 0)
	require.NoError(t, err)
	assert.EqualValues(t, 1<<21-1, p.Get(pm4.Bytes))
	s.Gen = gcn.GCN14
	p, _, err = s.Next(dma, 0)
	require.NoError(t, err)
	assert.EqualValues(t, 1<<26-1, p.Get(pm4.Bytes))
	assert.EqualValues(t, 1, p.Get(pm4.SrcSel))
	assert.EqualValues(t, 3, p.Get(pm4.DstSel))
	assert.EqualValues(t, 1, p.Get(pm4.SrcSpace))
	assert.EqualValues(t, uint64(2<<32|1), p.Get(pm4.Src))
}

// FuzzNext decodes arbitrary buffers to their end or to an error, and lists them.
func FuzzNext(f *testing.F) {
	f.Add([]byte("\x00\x00\x00\x80\x00\x10\xff\xff\x00\x10\x00\xc0\x00\x00\x00\x00"), uint8(2), true)
	f.Add([]byte("\x00\x15\x03\xc0\x01\x00\x00\x00\x01\x00\x00\x00\x01\x00\x00\x00\x01\x00\x00\x00"), uint8(0), false)
	f.Add([]byte("\x00\x76\x01\xc0\x0c\x02\x00\x00\x01\x00\x00\x00"), uint8(4), true)
	f.Fuzz(func(t *testing.T, data []byte, gen uint8, compute bool) {
		s := pm4.Stream{Gen: gcn.Gen(gen) % gcn.NumGens}
		if compute {
			s.Ring = pm4.Compute
		}
		words := make([]uint32, len(data)/4)
		for i := range words {
			words[i] = binary.LittleEndian.Uint32(data[4*i:])
		}
		for at := 0; at < len(words); {
			p, n, err := s.Next(words, at)
			if err != nil {
				var e *pm4.Error
				require.True(t, errors.As(err, &e))
				assert.Equal(t, at, e.At)
				break
			}
			require.Positive(t, n)
			require.LessOrEqual(t, at+n, len(words))
			for _, field := range p.Fields() {
				_ = p.Get(field)
			}
			_ = p.Payload()
			at += n
		}
		require.NoError(t, s.List(io.Discard, words))
	})
}

// A register in a series has a name with a number.
func TestRegisterNames(t *testing.T) {
	assert.Equal(t, "COMPUTE_USER_DATA_15", pm4.RegisterName(0xb93c))
	assert.Equal(t, "COMPUTE_PGM_LO", pm4.RegisterName(pm4.ComputePgmLo))
	assert.Equal(t, "COMPUTE_STATIC_THREAD_MGMT_SE1", pm4.RegisterName(0xb85c))
	assert.Equal(t, "register 0x28000", pm4.RegisterName(0x28000))
}

// An error in the buffer is the last line of the listing.
func TestListEndsWithTheError(t *testing.T) {
	var b strings.Builder
	require.NoError(t, pm4.Stream{Gen: gcn.GCN10, Ring: pm4.Compute}.List(&b,
		[]uint32{0x80000000, 0xffff1000, 0xffff1000, 0xffff1002, 0xc0002d00, 3}))
	assert.Equal(t, "    0  80000000  NOP\n    1  ffff1000  NOP, 2 times\n    3  ffff1002  NOP\n"+
		"    4  c0002d00  0xc0002d00 at dword 4 of a buffer of the compute ring of gcn1.0: "+
		"DRAW_INDEX_AUTO is no packet of this ring\n", b.String())
}
