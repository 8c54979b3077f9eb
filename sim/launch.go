package sim

import (
	"fmt"
	"slices"

	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/sim/codeobj"
	"github.com/gcnsim/gcnsim/internal/sim/hidden"
)

// Launch is one dispatch of a kernel over a grid.
type Launch struct {
	Module *Module
	Kernel string
	Grid   [3]uint32 // work-items in x, y, z; 0 means 1
	Group  [3]uint32 // work-items of a work-group; 0 means 1
	Args   []Arg     // the explicit arguments, in order

	// Offset is added to the global ids. The kernel adds it, because it is passed in hidden arguments; a kernel without
	// them must have no offset.
	Offset [3]uint64
	// WorkDim is the number of dimensions of the grid, 1 to 3. 0 means up to the last dimension with more than one
	// work-item.
	WorkDim int
	// Kernarg, if not nil, is the whole kernarg segment including hidden arguments. Use it for objects without metadata
	// or for another layout. Args must then be nil.
	Kernarg []byte
	// Registers, if not nil, replaces the registers that follow from the descriptor and the ABI. Use it for kernels
	// whose user SGPRs are set by another driver. Args, Kernarg, Offset and WorkDim must then not be set.
	Registers *Registers
	// DynamicLDS is the number of bytes of LDS that a work-group receives in addition to those of the kernel and its
	// __local pointers.
	DynamicLDS uint32
	// GroupLimit, if not 0, is the largest number of work-items in a work-group. It replaces the limit in the metadata;
	// the hardware's limit is 1024.
	GroupLimit uint32

	Config
	// number of work-groups that execute at a time; 0 means one for each CPU
	Workers int
	// Schedule is the order in which waves and work-groups take turns. The values that they read of data which others
	// change depend on it.
	Schedule Schedule
	// Progress, if not nil, is called from time to time with the number of work-groups that have ended and their total.
	// Calls do not overlap.
	Progress func(done, total int)
}

// Registers are the registers of a dispatch that are not in a kernel descriptor (rules ST12 and ST19). [Compute]
// documents each in detail.
type Registers struct {
	UserData [isa.MaxUserSGPRs]uint32 `json:"user"` // COMPUTE_USER_DATA
	// TmpRing is COMPUTE_TMPRING_SIZE: the size of the scratch that the registers above point to.
	TmpRing      uint32 `json:"tmp_ring"`
	PrivateBase  uint64 `json:"private_base"`  // SH_HIDDEN_PRIVATE_BASE
	BorderColors uint64 `json:"border_colors"` // address of the table of border colours; 0 selects the machine's table
	// Start is the id of the first work-group to execute. Those before it are in the grid but do not execute.
	Start [3]uint32 `json:"start"`
}

// compute returns the registers for the command processor if l.Registers is set.
func (l *Launch) compute(m *Machine, k *codeobj.Kernel) (*Compute, error) {
	r := l.Registers
	lds := uint64(k.GroupBytes) + uint64(l.DynamicLDS)
	switch {
	case l.Args != nil || l.Kernarg != nil || l.Offset != [3]uint64{} || l.WorkDim != 0:
		return nil, badLaunch(k.Name, "its registers are given, so that arguments, a kernarg segment, an offset and "+
			"dimensions have no effect; leave them out")
	case lds > uint64(isa.TraitsOf(m.Target).MaxLDS):
		return nil, badLaunch(k.Name, "it wants %d bytes of LDS, %v has %d", lds, m.Target, isa.TraitsOf(m.Target).MaxLDS)
	}
	c := l.registers(k)
	c.RSRC = isa.WithLDS(k.RSRC, m.Target, int(lds))
	c.TmpRing, c.UserData, c.PrivateBase = r.TmpRing, r.UserData, r.PrivateBase
	c.BorderColors, c.Start = r.BorderColors, r.Start
	return c, nil
}

// registers returns the registers of a launch of k that do not depend on an ABI.
func (l *Launch) registers(k *codeobj.Kernel) *Compute {
	c := &Compute{
		Initiator: ShaderEnable | PartialGroups, Program: l.Module.Base + k.Entry,
		Config: l.Config, Workers: l.Workers, Schedule: l.Schedule, Progress: l.Progress,
	}
	grid, group := size(l.Grid), size(l.Group)
	for i := range c.End {
		c.End[i] = uint32(ceil(grid[i], group[i]))
		c.NumThread[i] = group[i] | grid[i]%group[i]<<16
	}
	return c
}

// size returns d with 0 replaced by 1.
func size(d [3]uint32) [3]uint32 {
	for i := range d {
		d[i] = max(d[i], 1)
	}
	return d
}

// dims returns the number of dimensions of the grid.
func (l *Launch) dims() int {
	if l.WorkDim != 0 {
		return l.WorkDim
	}
	n, grid, group := 3, size(l.Grid), size(l.Group)
	for n > 1 && grid[n-1] == 1 && group[n-1] == 1 {
		n--
	}
	return n
}

// ceil returns the number of groups that n work-items need.
func ceil(n, group uint32) uint64 { return (uint64(n) + uint64(group) - 1) / uint64(group) }

// check returns an error if the kernel or the machine does not support the launch.
func (l *Launch) check(k *codeobj.Kernel) error {
	fail := func(format string, args ...any) error {
		return badLaunch(k.Name, format, args...)
	}
	limit, says := uint64(maxGroup), ""
	switch {
	case l.GroupLimit > maxGroup:
		return fail("a limit of %d work-items for a work-group; the hardware has at most %d", l.GroupLimit, maxGroup)
	case l.GroupLimit > 0:
		limit = uint64(l.GroupLimit)
	case k.MaxFlatGroupSize > 0 && uint64(k.MaxFlatGroupSize) < limit:
		limit = uint64(k.MaxFlatGroupSize)
		says = fmt.Sprintf("; its metadata say so, and GroupLimit may allow up to %d", maxGroup)
	}
	grid, g := size(l.Grid), size(l.Group)
	items, groups := uint64(1), uint64(1)
	for i := range g {
		// The products do not overflow, because the factors so far are small.
		if items *= uint64(g[i]); items > limit {
			return fail("a work-group of %d x %d x %d work-items is larger than the %d it can have%s", g[0], g[1], g[2],
				limit, says)
		}
		if groups *= ceil(grid[i], g[i]); groups > maxGroups {
			return fail("a grid of %v has more than 2^31-1 work-groups of %v", grid, g)
		}
	}
	if k.ReqdGroupSize != [3]uint32{} && size(k.ReqdGroupSize) != g {
		return fail("it requires work-groups of %v, not %v", k.ReqdGroupSize, g)
	}
	if err := checkWorkers(k.Name, l.Workers); err != nil {
		return err
	}
	if l.WorkDim < 0 || l.WorkDim > len(g) {
		return fail("a grid of %d dimensions; it has 1 to %d, or 0 for those that are used", l.WorkDim, len(g))
	}
	for i := l.dims(); i < len(g); i++ {
		if grid[i] != 1 || g[i] != 1 {
			return fail("a grid of %v in work-groups of %v has more than %d dimensions", grid, g, l.WorkDim)
		}
	}
	return l.checkOffset(k)
}

// checkOffset returns an error if there is an offset and the kernel does not use it.
func (l *Launch) checkOffset(k *codeobj.Kernel) error {
	for i, offset := range l.Offset {
		kind := hidden.GlobalOffsetX + codeobj.ArgKind(i)
		switch {
		case offset == 0:
		case l.Kernarg != nil:
			return badLaunch(k.Name, "an offset is a hidden argument; with a kernarg segment write it there")
		case !slices.ContainsFunc(k.Args, func(a codeobj.Arg) bool { return a.Kind == kind }):
			return badLaunch(k.Name, "it has no argument %v, so an offset of %d has no effect; leave it 0", kind, offset)
		}
	}
	return nil
}
