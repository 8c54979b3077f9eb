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
	views map[gcn.TSharp]any
}

// maxViews bounds what Images keeps.
const maxViews = 1024

// View returns what [Images.Keep] kept for t, nil if nothing.
func (im *Images) View(t *gcn.TSharp) any {
	im.mu.RLock()
	defer im.mu.RUnlock()
	return im.views[*t]
}

// Keep keeps what package mimg makes of a T#, which takes long compared to an access.
func (im *Images) Keep(t *gcn.TSharp, view any) {
	im.mu.Lock()
	defer im.mu.Unlock()
	if im.views == nil || len(im.views) >= maxViews {
		im.views = make(map[gcn.TSharp]any)
	}
	im.views[*t] = view
}
