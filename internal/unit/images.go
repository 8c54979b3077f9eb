package unit

import (
	"sync"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/gcn/tile"
)

// Images is what image instructions need besides memory. Waves share it; do not change
// its fields once one has executed.
type Images struct {
	Regs *tile.Registers // the tiling registers of the chip
	// Borders is the table of border colours at TA_BC_BASE_ADDR, by BORDER_COLOR_PTR:
	// red, green, blue and alpha as the format reads them, floats or integers.
	Borders [][4]uint32

	mu    sync.RWMutex
	views map[gcn.TSharp]ImageView
	bytes int // of views
}

// ImageView is a T# that package mimg has made ready for accesses, which takes long
// compared to one.
type ImageView interface {
	Bytes() int // that it can come to hold
}

// maxViewBytes bounds what Images keeps: that of an image of the largest size is some
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
