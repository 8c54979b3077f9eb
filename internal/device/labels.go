package device

import (
	"encoding/binary"
	"strings"
	"unicode"
)

// labels are the debug labels of a command stream that are open (vkCmdBeginDebugUtilsLabelEXT). With RADV_THREAD_TRACE
// RADV writes them into its command buffers, as markers for a profiler: one to some words, two a packet at most.
//
// Source: Mesa, src/amd/common/ac_rgp.h and ac_sqtt.h, radv_sqtt_layer.c of 22.3.
type labels struct {
	open   []string
	words  []uint32 // the marker so far
	wanted int      // words of it
}

// Identifiers of markers, and what a label does.
const (
	markerLabel = 5
	labelPop    = 1
	labelPush   = 2
)

// markerWords is the number of words of a marker, by its identifier. Markers that are not listed have one word; labels,
// draws and dispatches hold their number of words.
var markerWords = map[uint32]int{0: 3, 1: 4, 2: 3, 3: 2, 4: 2, 9: 2, 0xc: 3}

// labelDoes returns what the marker of a label does, by its first word.
func labelDoes(word uint32) uint32 { return word >> 12 & 0xff }

// Bounds of labels, which are a program's.
const (
	maxLabels     = 64
	maxLabelWords = 64
)

// mark takes words of markers.
func (l *labels) mark(words []uint32) {
	for _, w := range words {
		l.words = append(l.words, w)
		switch {
		case len(l.words) == 2 && l.words[0]&15 == markerLabel: // the length of the text in bytes
			l.wanted = 2 + int(min(w, 4*maxLabelWords)+3)/4
		case len(l.words) > 1:
		case w&15 == markerLabel && labelDoes(w) != labelPop:
			l.wanted = 2
		case w&15 == 0 && w>>31 != 0: // it has the three sizes of a dispatch
			l.wanted = 6
		default:
			l.wanted = max(markerWords[w&15], 1)
		}
		if len(l.words) == l.wanted {
			l.end()
			l.words = l.words[:0]
		}
	}
}

// end does what a marker says that is complete.
func (l *labels) end() {
	if l.words[0]&15 != markerLabel {
		return
	}
	switch labelDoes(l.words[0]) {
	case labelPop:
		l.open = l.open[:max(len(l.open)-1, 0)]
	case labelPush:
		var text []byte
		for _, w := range l.words[2:] {
			text = binary.LittleEndian.AppendUint32(text, w)
		}
		if len(l.open) < maxLabels {
			l.open = append(l.open, printable(string(text)))
		}
	}
}

// printable returns a text without what a terminal would not show.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if r == unicode.ReplacementChar || !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, text)
}

// innermost returns the label that was opened last, "" if none is open.
func (l *labels) innermost() string {
	if len(l.open) == 0 {
		return ""
	}
	return l.open[len(l.open)-1]
}
