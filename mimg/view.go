package mimg

import (
	"errors"
	"fmt"
	"sync/atomic"
	"unsafe"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/gcn/tile"
	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/isa/format"
	"github.com/gcnsim/gcnsim/internal/tool/rule"
	"github.com/gcnsim/gcnsim/state"
)

const maxLevels = 16

// view is a decoded T#. Only its plans change.
type view struct {
	owner *executor.Images
	t     gcn.TSharp
	gcn.Image

	null        bool           // the data format is invalid or reserved: nothing is accessed
	format      *format.Format // conversion of loads; nil if null or formatFault is set
	stored      *format.Format // conversion of stores
	sel         format.Select
	fault       *state.Fault // why the image cannot be accessed, or nil
	formatFault *state.Fault // why its texels cannot be converted, or nil

	// Doubts about addresses and fields, about the conversion of loads, and about stores (rule IM13).
	doubts, formatDoubts, storeDoubts []string

	layout tile.Layout
	base   uint64 // address of the surface
	levels int    // number of levels of the view, from BASE_LEVEL on; 0 if it has none
	layers int    // number of slices of the view, from BASE_ARRAY on
	size   [maxLevels]extent
	plans  [maxLevels]atomic.Pointer[tile.Plan]
}

// extent is the size of a level in texels; z is 1 unless it is a 3D image.
type extent struct{ x, y, z int }

// along returns the size along axis d.
func (e *extent) along(d int) int { return [...]int{e.x, e.y, e.z}[d] }

// find returns the view of the T# of a wave, decoding it if necessary. last remembers the instruction's latest view.
func find(last *atomic.Pointer[view], w *state.Wave, p *executor.Ports, t *gcn.TSharp) *view {
	if v := last.Load(); v != nil && v.owner == p.Images && v.t == *t {
		return v
	}
	v := findView(w, p.Images, *t)
	last.Store(v)
	return v
}

// findView does what find does, without a latest view.
func findView(w *state.Wave, im *executor.Images, t gcn.TSharp) *view {
	v, _ := im.View(&t).(*view)
	if v == nil {
		v = newView(w.Target, im, &t)
		im.Keep(&t, v)
	}
	return v
}

// Bytes returns the size of v in bytes after the plans of all levels are made.
func (v *view) Bytes() int {
	n := int(unsafe.Sizeof(*v))
	for i := range v.levels {
		n += v.layout.Levels()[v.firstLevel()+i].PlanBytes
	}
	return n
}

// newView decodes a T#.
func newView(target gcn.Target, im *executor.Images, t *gcn.TSharp) *view {
	g := target.Gen()
	v := &view{owner: im, t: *t, Image: t.Fields(g)}
	v.sel = v.DstSel
	if !isa.ShapeOf(v.Type).Valid { // nothing is accessed (rule IM10)
		v.doubts = reasons(reason{v.Type != 0, "a reserved TYPE (1 to 7) is taken as that of a null resource (" +
			rule.IM10 + ")"})
		return v
	}
	v.fault = v.prepare(target, g)
	return v
}

// prepare sets format and layout. Source: rules CO1 and IF1.
func (v *view) prepare(target gcn.Target, g gcn.Gen) *state.Fault {
	refuse := func(text string, args ...any) *state.Fault {
		return executor.NewFault(state.FaultUnsupported, text, args...)
	}
	illegal := func(text string, args ...any) *state.Fault {
		return executor.NewFault(state.FaultIllegal, text, args...)
	}
	f, err := format.LookupImage(g, v.DataFormat, v.NumFormat)
	switch e := (*format.Error)(nil); {
	case isa.TraitsOf(target).ETC2 && v.DataFormat >= gcn.DataETC2_RGB && v.DataFormat <= gcn.DataETC2_RGBA1:
		return refuse("the T# has an ETC2 format (%d), which is not modelled: unpack the texture, or give it as BC; on a card "+
			"take a chip without ETC2, as vega12 or vega20, on which drivers do not offer it", v.DataFormat)
	case errors.As(err, &e) && e.Null:
		v.null = true
		v.doubts = reasons(reason{v.DataFormat != 0,
			fmt.Sprintf("the reserved DATA_FORMAT %d is taken as an invalid one: loads give 0 ("+rule.IF1+")", v.DataFormat)})
		return nil
	case e != nil && e.Mismatch:
		v.formatFault = illegal("the format of the T#: %v", err)
	case err != nil:
		v.formatFault = refuse("the format of the T# is not modelled: %v", err)
	default:
		v.format, v.stored = f, f
		if isa.TraitsOf(target).UnsignedAlpha {
			v.format = f.UnsignedAlpha
		}
	}
	if v.Compression { // compression (rule MC1)
		return refuse("the T# has COMPRESSION_EN set, compressed surfaces are not modelled; clear it")
	}
	s, err := tile.FromImage(g, &v.Image)
	if err == nil {
		v.layout, err = v.owner.Regs.Layout(s)
	}
	var wrong *tile.Error
	switch {
	case errors.As(err, &wrong) && wrong.Kind == tile.BadSurface:
		return illegal("the T# describes no surface: %v", err)
	case err != nil:
		return refuse("the T# describes no surface that is modelled: %v", err)
	}
	v.findDoubts()
	v.base = v.Base &^ v.layout.SwizzleMask
	there := isa.ExtentOf(v.Image, g)
	v.layers = there.ViewLayers
	v.levels = max(0, min(there.ViewLevels, v.layout.Surface.Levels-v.firstLevel()))
	for i := range v.size[:v.levels] {
		l := v.firstLevel() + i
		v.size[i] = extent{max(1, v.Width>>l), max(1, v.Height>>l), 1}
		if isa.ShapeOf(v.Type).Linear1D {
			v.size[i].y = 1
		}
		if v.Type == gcn.Image3D {
			v.size[i].z = max(1, v.Depth>>l)
		}
	}
	return nil
}

// sRGB reports whether texels are decoded by the sRGB curve.
func (v *view) sRGB() bool { return v.NumFormat == gcn.NumSRGB }

// firstLevel returns the level of the surface that is level 0 of the view.
func (v *view) firstLevel() int {
	if isa.ShapeOf(v.Type).MSAA {
		return 0
	}
	return v.BaseLevel
}

// plan returns the addresses of a level of the view. z counts slices of the view.
func (v *view) plan(level int) *tile.Plan {
	if p := v.plans[level].Load(); p != nil {
		return p
	}
	p, err := v.layout.Plan(v.firstLevel()+level, v.base, v.firstSlice(), v.slices(level))
	if err != nil {
		panic("mimg: " + err.Error()) // unreachable: all levels of the view exist in the surface
	}
	v.plans[level].Store(p)
	return p
}

// firstSlice returns the slice of the surface that is slice 0 of the view. 3D images always start at 0 (rule CO1).
func (v *view) firstSlice() int {
	if v.Type == gcn.Image3D {
		return 0
	}
	return v.BaseArray
}

// slices returns the number of slices in a level of the view.
func (v *view) slices(level int) int {
	if v.Type == gcn.Image3D {
		return v.size[level].z
	}
	return v.layers
}
