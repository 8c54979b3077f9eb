package executor

import (
	"sync"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/gcn/tile"
)

// Images holds the state of image instructions except memory. Waves share it; do not change its fields after an image
// instruction has executed.
type Images struct {
	Regs *tile.Registers // the tiling registers of the chip

	mu    sync.RWMutex
	views map[gcn.TSharp]ImageView
	bytes int // total size of views in bytes
}

// Borders is the table of border colours that BORDER_COLOR_PTR indexes: red, green, blue and alpha as floats or
// integers, depending on the format (rule CO5).
type Borders struct {
	Table [][4]uint32
	// Addr, if not 0, is the address of a table in memory that replaces Table: TA_BC_BASE_ADDR.
	Addr uint64
}

// At returns entry ptr; ok is false if it does not exist.
func (b *Borders) At(mem Memory, ptr int) (colour [4]uint32, ok bool) {
	const bytes = 16 // size of an entry
	if b.Addr != 0 {
		f := ReadWords(mem, b.Addr+uint64(ptr)*bytes, colour[:])
		return colour, f == nil
	}
	if ptr >= len(b.Table) {
		return colour, false
	}
	return b.Table[ptr], true
}

// ImageView is a T# that package mimg has decoded, which takes long compared to an access.
type ImageView interface {
	Bytes() int // largest size in bytes that the view can reach
}

// maxViewBytes bounds the cache of decoded T#s. One entry for the largest image takes a few MB.
const maxViewBytes = 256 << 20

// View returns the view that [Images.Keep] cached for t, or nil.
func (im *Images) View(t *gcn.TSharp) ImageView {
	im.mu.RLock()
	defer im.mu.RUnlock()
	return im.views[*t]
}

// Keep caches a decoded T#. All others are dropped if they are too large together.
func (im *Images) Keep(t *gcn.TSharp, view ImageView) {
	im.mu.Lock()
	defer im.mu.Unlock()
	size := view.Bytes()
	if old := im.views[*t]; old != nil { // another wave has added it meanwhile
		im.bytes -= old.Bytes()
	}
	if im.views == nil || im.bytes > maxViewBytes-size {
		im.views, im.bytes = make(map[gcn.TSharp]ImageView), 0
	}
	im.views[*t] = view
	im.bytes += size
}
