package draw

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa/asm"
	"github.com/gcnsim/gcnsim/internal/tool/plural"
	"github.com/gcnsim/gcnsim/internal/tool/svg"
	"github.com/gcnsim/gcnsim/lds"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/state"
)

// BankAccess is a wave's access to the LDS.
type BankAccess struct {
	Name  string
	Addr  [state.NumLanes]uint64 // byte offset in the LDS, for each lane of Exec
	Exec  uint64
	Size  int // bytes a lane, 1 to 16
	Store bool
}

// use returns the access's use of the banks. Loads of 96 bits have the same lane groups as stores, like in the timing
// model.
func (a *BankAccess) use() lds.BankUse {
	return lds.Banks(&a.Addr, a.Exec, a.Size, a.Store || a.Size == 12)
}

// cell is a dword that a bank delivers in one clock.
type cell struct {
	dword uint64
	lane  int  // the first lane that receives it
	more  bool // other lanes receive it, too
}

// phase has a column for each bank, for the lanes that are served together.
type phase struct {
	title string
	banks [lds.NumBanks][]cell
	high  int
}

// phases returns the phases of the access that have active lanes.
func (a *BankAccess) phases() []*phase {
	var all []*phase
	use := a.use()
	for i, lanes := range use.Phases {
		if use.Degree[i] == 0 {
			continue
		}
		p := &phase{title: a.Name, high: use.Degree[i]}
		for m := a.Exec & lanes; m != 0; m &= m - 1 {
			p.add(bits.TrailingZeros64(m), a)
		}
		if a.Exec&^lanes != 0 {
			p.title += fmt.Sprintf(", part %d of %d", i+1, len(use.Phases))
		}
		p.title += ": " + plural.Of(p.high, "clock")
		all = append(all, p)
	}
	return all
}

// add adds the dwords of lane n to the columns of their banks.
func (p *phase) add(n int, a *BankAccess) {
	for dword := a.Addr[n] / 4; dword <= (a.Addr[n]+uint64(a.Size)-1)/4; dword++ {
		bank := &p.banks[dword%lds.NumBanks]
		if i := slices.IndexFunc(*bank, func(c cell) bool { return c.dword == dword }); i >= 0 {
			(*bank)[i].more = true
		} else {
			*bank = append(*bank, cell{dword, n, false})
		}
	}
}

// Banks draws the LDS banks for each access: the lanes that each bank serves, clock by clock.
func Banks(text Text, accesses []BankAccess) *svg.Canvas {
	const side, left, top = 24.0, 60.0, 136.0
	var all []*phase
	total, most := 0, 0
	for i := range accesses {
		all = append(all, accesses[i].phases()...)
	}
	for _, p := range all {
		total += p.high
		most = max(most, p.high)
	}
	c := svg.New(left+lds.NumBanks*side+20, top+float64(total)*side+float64(len(all))*58, text.Title, text.Description)
	legend := []svg.Entry{{Fill: svg.Tints[0], Text: "taken in clock 1"}}
	for clock := 1; clock < min(most, len(svg.Tints)); clock++ {
		legend = append(legend, svg.Entry{Fill: svg.Tints[clock], Text: fmt.Sprint(clock + 1)})
	}
	if most > len(svg.Tints) {
		legend[len(legend)-1].Text += " and later"
	}
	c.Legend(24, c.Heading(24, text.Title, text.Caption)+4, lds.NumBanks*side, svg.Style{Size: 13}, legend...)
	y := top
	for _, p := range all {
		c.Text(left, y+16, svg.Style{Size: 13, Bold: true}, p.title)
		y += 24 + float64(p.high)*side
		p.draw(c, left, y, side)
		y += 34
	}
	return c
}

// draw draws the columns of a phase. y is the lower end of the columns.
func (p *phase) draw(c *svg.Canvas, left, y, side float64) {
	for bank, cells := range p.banks {
		for i, cell := range cells {
			x, top := left+float64(bank)*side, y-float64(i+1)*side
			c.Box(x+1, top+1, side-2, side-2, svg.Tints[min(i, len(svg.Tints)-1)])
			label, style := fmt.Sprint(cell.lane), svg.Style{Fill: svg.OnTint, Anchor: "middle"}
			if cell.more {
				label, style.Size = label+"*", 11
			}
			c.Text(x+side/2, top+16, style, label)
		}
	}
	c.Line(left, y+1, left+lds.NumBanks*side, y+1, svg.Soft)
	c.Text(left-8, y+16, svg.Style{Fill: svg.Soft, Anchor: "end"}, "bank")
	for bank := range lds.NumBanks {
		c.Text(left+(float64(bank)+0.5)*side, y+16, svg.Style{Size: 11, Fill: svg.Soft, Anchor: "middle"},
			fmt.Sprint(bank))
	}
}

// ldsPicture shows the banks of LDS accesses.
type ldsPicture struct {
	all  []BankAccess
	wide string // an access whose banks are not modelled
}

// See records an access to the LDS.
func (p *ldsPicture) See(e *sim.Event) {
	if a := e.Access; a.Op != gcn.NoMem && a.Space == state.LDS && len(p.all) <= maxAccesses {
		name := asm.Format(*e.Inst, asm.LLVM)
		if accesses := ofLDS(a, name); accesses != nil {
			p.all = append(p.all, accesses...)
		} else {
			p.wide = name
		}
	}
}

// Canvas draws the banks. The error says that there is no LDS access, or that there are too many.
func (p *ldsPicture) Canvas() (*svg.Canvas, error) {
	switch {
	case p.wide != "":
		return nil, fmt.Errorf("%s: its banks are not modelled; only accesses of up to 16 bytes a lane are", p.wide)
	case !slices.ContainsFunc(p.all, func(a BankAccess) bool { return a.Exec != 0 }):
		return nil, errors.New("no lane accesses the LDS; give an instruction such as ds_read_b32 v1, v0, whose " +
			"addresses are below 64 KiB")
	case len(p.all) > maxAccesses:
		return nil, tooMany("accesses to the LDS")
	}
	return Banks(Text{
		Title: "Which lanes are served by which bank of the LDS",
		Caption: "Numbers are lanes; 0* is lane 0 and others that get the same dword. A bank gives one dword a clock, " +
			"so the tallest column is how long its part of the wave takes.",
		Description: "For each access and each part of the wave the 32 banks, and above each the lanes that it serves, " +
			"one clock above the other.",
	}, p.all), nil
}

// ofLDS returns an instruction's accesses to the banks: two if it has two addresses. It is nil if the banks are not
// modelled for its element size.
func ofLDS(a *state.Access, name string) []BankAccess {
	size := int(a.Elem) * int(a.Count)
	first := BankAccess{Name: name, Addr: a.Addr, Exec: a.Exec &^ a.Out[0], Size: size, Store: a.Op == gcn.Store}
	if !a.Split || adjacent(a) {
		if size < 1 || size > 16 {
			return nil
		}
		return []BankAccess{first}
	}
	if a.Count != 2 {
		return nil
	}
	first.Size = int(a.Elem)
	second := first
	first.Name, second.Name = name+", first address", name+", second address"
	second.Addr, second.Exec = a.More[0], a.Exec&^a.Out[1]
	return []BankAccess{first, second}
}

// adjacent reports whether every lane's second element directly follows its first. The hardware treats such an access
// as one access of twice the size.
func adjacent(a *state.Access) bool {
	for m := a.Exec; m != 0; m &= m - 1 {
		if n := bits.TrailingZeros64(m); a.At(1, n) != a.At(0, n)+uint64(a.Elem) {
			return false
		}
	}
	return a.Count == 2 && a.Out[0] == a.Out[1]
}
