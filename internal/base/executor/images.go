package executor

import (
	"sync"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/gcn/tile"
)

// Images holds the state of image instructions besides memory. Waves share it; do not change
// its fields once one has executed.
type Images struct {
	Regs *tile.Registers // the tiling registers of the chip

	mu    sync.RWMutex
	views map[gcn.TSharp]ImageView
	bytes int // of views
}

// Borders is the table of border colours that BORDER_COLOR_PTR selects from: red, green,
// blue and alpha as the format reads them, floats or integers (rule CO5).
type Borders struct {
	Table [][4]uint32
	// Addr, if not 0, is where the table lies in memory in place of Table: TA_BC_BASE_ADDR.
	Addr uint64
}

// At returns entry ptr; ok is false if there is none.
func (b *Borders) At(mem Memory, ptr int) (colour [4]uint32, ok bool) {
	const bytes = 16 // of an entry
	if b.Addr != 0 {
		f := ReadWords(mem, b.Addr+uint64(ptr)*bytes, colour[:])
		return colour, f == nil
	}
	if ptr >= len(b.Table) {
		return colour, false
	}
	return b.Table[ptr], true
}

// ImageView is a T# that package mimg has made ready for accesses, which takes long
// compared to one.
type ImageView interface {
	Bytes() int // most bytes that the image can have
}

// maxViewBytes bounds the cache of decoded T#s. One entry for the largest image takes some
// megabytes.
const maxViewBytes = 256 << 20

// View returns what [Images.Keep] kept for t, nil if nothing.
func (im *Images) View(t *gcn.TSharp) ImageView {
	im.mu.RLock()
	defer im.mu.RUnlock()
	return im.views[*t]
}

// Keep keeps what package mimg makes of a T#; all others are dropped if they are too large
// together.
func (im *Images) Keep(t *gcn.TSharp, view ImageView) {
	im.mu.Lock()
	defer im.mu.Unlock()
	size := view.Bytes()
	if old := im.views[*t]; old != nil { // another wave was faster
		im.bytes -= old.Bytes()
	}
	if im.views == nil || im.bytes > maxViewBytes-size {
		im.views, im.bytes = make(map[gcn.TSharp]ImageView), 0
	}
	im.views[*t] = view
	im.bytes += size
}
