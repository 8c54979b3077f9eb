package device

import (
	"encoding/binary"
	"strings"
	"unicode"
)

// labels holds the open debug labels of a command stream (vkCmdBeginDebugUtilsLabelEXT). If RADV_THREAD_TRACE is set,
// RADV writes them into its command buffers as markers for a profiler. A marker has one or more words; a packet
// carries at most two of them.
//
// Source: Mesa, src/amd/common/ac_rgp.h and ac_sqtt.h, radv_sqtt_layer.c of 22.3.
type labels struct {
	open   []string
	words  []uint32 // words of the current marker that have arrived
	wanted int      // number of words that the current marker has
}

// Identifiers of markers, and operations of labels.
const (
	markerLabel = 5
	labelPop    = 1
	labelPush   = 2
)

// markerWords is the number of words of a marker, by its identifier. Markers that are not listed have one word.
// Markers of labels, draws and dispatches contain their own length.
var markerWords = map[uint32]int{0: 3, 1: 4, 2: 3, 3: 2, 4: 2, 9: 2, 0xc: 3}

// labelDoes returns the operation of a label's marker, from its first word.
func labelDoes(word uint32) uint32 { return word >> 12 & 0xff }

// Limits of labels, whose text comes from the program.
const (
	maxLabels     = 64
	maxLabelWords = 64
)

// mark adds words of markers.
func (l *labels) mark(words []uint32) {
	for _, w := range words {
		l.words = append(l.words, w)
		switch {
		case len(l.words) == 2 && l.words[0]&15 == markerLabel: // the length of the text in bytes
			l.wanted = 2 + int(min(w, 4*maxLabelWords)+3)/4
		case len(l.words) > 1:
		case w&15 == markerLabel && labelDoes(w) != labelPop:
			l.wanted = 2
		case w&15 == 0 && w>>31 != 0: // the marker also has the three sizes of a dispatch
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

// end applies a complete marker.
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

// printable returns text without characters that a terminal cannot show.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if r == unicode.ReplacementChar || !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, text)
}

// innermost returns the label that was opened last, or "" if no label is open.
func (l *labels) innermost() string {
	if len(l.open) == 0 {
		return ""
	}
	return l.open[len(l.open)-1]
}
