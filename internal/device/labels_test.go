//go:build linux && (amd64 || arm64)

package device

import (
	"encoding/binary"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// marker returns packets as RADV writes a marker: two words each.
func marker(words ...uint32) (packets []uint32) {
	for len(words) > 0 {
		n := min(len(words), 2)
		packets = append(packets, packet(0x79, append([]uint32{0x342}, words[:n]...)...)...)
		words = words[n:]
	}
	return packets
}

// label returns the marker that opens a label.
func label(text string) []uint32 {
	padded := text + strings.Repeat("\x00", (4-len(text)%4)%4)
	words := []uint32{labelPush<<12 | markerLabel, uint32(len(padded))}
	for i := 0; i < len(padded); i += 4 {
		words = append(words, binary.LittleEndian.Uint32([]byte(padded[i:])))
	}
	return marker(words...)
}

// TestLabels: a kernel's name is the debug label that is open at its first dispatch. Other markers, whose words may
// look like labels, do not matter.
func TestLabels(t *testing.T) {
	c := newClient(t, Options{Chip: "vega10"})
	c.mapped(dataVA, 64<<10)
	q := c.queue(ipCompute, 0, commandsVA)
	words := q.program(storeGroup)
	dispatch := packet(0x15, 1, 1, 1, 5)
	// a different RSRC1 makes a different kernel
	other := func(n uint32) []uint32 { return packet(0x76, 0x212, 1|1<<6|n<<28, 2<<1|7<<7) }
	pop := marker(labelPop<<12 | markerLabel)
	q.submit(slices.Concat(words,
		marker(0x8000001, labelPush<<12|markerLabel, 0x557d, 14), // the beginning of a command buffer
		label("frame"), marker(0x506), label("my\x1b blur"), marker(0x8c, 5, 5), marker(0x80000300, 5, 0, 1, 1, 1),
		dispatch, other(1), dispatch, pop)...)
	q.submit(slices.Concat(other(2), dispatch, pop, other(3), dispatch)...)
	var names []string
	for _, k := range c.f.dev.Kernels() {
		names = append(names, k.Name)
	}
	assert.Equal(t, []string{"my blur", "my blur.2", "frame", ""}, names)
}

// TestLabelsAreBounded: the device limits the length of labels and the depth of their nesting.
func TestLabelsAreBounded(t *testing.T) {
	var l labels
	for range 2 * maxLabels {
		l.mark([]uint32{labelPush<<12 | markerLabel, 1 << 31})
		l.mark(make([]uint32, maxLabelWords))
	}
	require.Len(t, l.open, maxLabels)
	require.Empty(t, l.words)
	for range 2 * maxLabels {
		l.mark([]uint32{labelPop<<12 | markerLabel})
	}
	assert.Empty(t, l.innermost())
}
