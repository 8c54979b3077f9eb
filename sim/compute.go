package sim

import (
	"context"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/sim/codeobj"
	"github.com/gcnsim/gcnsim/internal/tool/contexts"
	"github.com/gcnsim/gcnsim/internal/tool/rule"
	"github.com/gcnsim/gcnsim/state"
)

// Compute is one dispatch as a command processor starts it: the COMPUTE registers and the operands of the packet
// (rules ST12, ST14 and ST19). Its code is in memory at Program; see [Machine.Compute].
type Compute struct {
	// Label names the dispatch in faults, for example "dispatch 3 of queue 1".
	Label string

	Initiator uint32    // COMPUTE_DISPATCH_INITIATOR
	End       [3]uint32 // DIM_X, Y, Z of the packet: in work-groups, or in work-items if Initiator has CountsThreads
	Start     [3]uint32 // COMPUTE_START_X, Y, Z: the first work-group
	NumThread [3]uint32 // COMPUTE_NUM_THREAD_X, Y, Z: FULL in bits 15:0, PARTIAL in 31:16
	Program   uint64    // address of the first instruction: COMPUTE_PGM times 256
	RSRC      gcn.RSRC  // COMPUTE_PGM_RSRC1 to 3
	TmpRing   uint32    // COMPUTE_TMPRING_SIZE
	UserData  [isa.MaxUserSGPRs]uint32

	// PrivateBase is SH_HIDDEN_PRIVATE_BASE, the address at which FLAT_SCRATCH offset 0 lies on GCN 1.1 and 1.2 (rule
	// F4).
	PrivateBase uint64
	// BorderColors is the address of the table of border colours, TA_CS_BC_BASE_ADDR times 256. 0 selects the machine's
	// table.
	BorderColors uint64

	// CodeObject, if not nil, returns the code object at pc and its load address, or nil. With it, faults, findings and
	// times name functions and source lines. It is called when a wave reaches new code, possibly by several goroutines
	// at a time.
	CodeObject func(pc uint64) (o *codeobj.Object, load uint64)

	Config
	// number of work-groups that execute at a time; 0 means one for each CPU
	Workers int
	// Schedule has the meaning of [Launch].Schedule.
	Schedule Schedule
	// Progress, if not nil, is called from time to time with the number of work-groups that have ended and their total.
	// Calls do not overlap.
	Progress func(done, total int)
}

// Bits of COMPUTE_DISPATCH_INITIATOR (rule ST19).
const (
	ShaderEnable  = 1 << 0 // without this bit no work-group starts
	PartialGroups = 1 << 1 // the last work-group along an axis has PARTIAL work-items
	StartAtZero   = 1 << 2 // Start is ignored
	OrderedAppend = 1 << 3
	CountsThreads = 1 << 5 // End is in work-items
)

// Compute executes a dispatch from registers. [Machine.Dispatch] ends in the same code, after it has derived the
// registers from a kernel descriptor. Code is decoded when a wave reaches it, cached by its contents (see
// [Machine.Objects]) and compared with memory at each dispatch. LDS is 0 when a work-group starts; scratch is not
// cleared. The error is an *[Error], a *[state.Fault] or the error of ctx. See [Machine.Dispatch] for the state after
// a launch.
func (m *Machine) Compute(ctx context.Context, c Compute) (*Result, error) {
	ctx = contexts.Given(ctx)
	d, err := m.newDispatch(&c)
	if err != nil {
		return nil, err
	}
	if err := d.start(nil); err != nil {
		return nil, err
	}
	if d.total == 0 {
		return d.result.finish(), nil
	}
	p, err := d.codeAt(ctx, c.Program)
	if err != nil {
		return nil, d.labelled(err)
	}
	d.code, d.inMemory = []*Program{p}, true
	if d.images, err = m.imagePort(); err != nil { // code that waves reach later may need images
		return nil, err
	}
	res, err := d.run(ctx)
	return res, d.labelled(err)
}

// labelled adds the label to a fault that no wave raised.
func (d *dispatch) labelled(err error) error {
	if f, ok := err.(*state.Fault); ok && f.Dispatch == "" { //nolint:errorlint // it is not wrapped here
		f.Dispatch = d.c.Label
	}
	return err
}

// refuse returns the error for a dispatch that cannot start.
func (c *Compute) refuse(format string, args ...any) error {
	return badLaunch(c.Label, format, args...)
}

// scratchUnit is the unit of COMPUTE_TMPRING_SIZE.WAVESIZE in bytes.
const scratchUnit = 1 << 10

// tmpRing returns the fields of COMPUTE_TMPRING_SIZE: the number of waves that can have scratch at a time, and the
// bytes of scratch per wave (rule ST19).
func (c *Compute) tmpRing() (waves int, size uint32) {
	return int(c.TmpRing & 0xfff), c.TmpRing >> 12 & 0x1fff * scratchUnit
}

// maxGroup is the largest work-group in work-items: 16 waves. maxGroups is the largest number of work-groups in a
// launch.
const (
	maxGroup  = 1024
	maxGroups = 1<<31 - 1
)

// grid sets the number of work-groups of d and their sizes.
func (d *dispatch) grid() error {
	c := d.c
	if err := checkWorkers(c.Label, c.Workers); err != nil {
		return err
	}
	if c.Initiator&ShaderEnable == 0 {
		return nil
	}
	if c.Initiator&OrderedAppend != 0 {
		return c.refuse("COMPUTE_DISPATCH_INITIATOR asks for ordered append, which is not modelled")
	}
	items, groups := uint64(1), uint64(1)
	for i, axis := range "XYZ" {
		full := c.NumThread[i] & 0xffff
		if items *= uint64(full); items == 0 || items > maxGroup {
			return c.refuse("COMPUTE_NUM_THREAD_%c.FULL is %d; a work-group has 1 to %d work-items", axis, full, maxGroup)
		}
		d.full[i], d.last[i] = full, full
		end := c.End[i]
		if c.Initiator&CountsThreads != 0 {
			end = uint32(ceil(end, full))
			d.last[i] = c.End[i] - (max(end, 1)-1)*full
		} else if part := c.NumThread[i] >> 16; c.Initiator&PartialGroups != 0 && part != 0 {
			if part > full {
				return c.refuse("COMPUTE_NUM_THREAD_%c.PARTIAL is %d, more than FULL, %d", axis, part, full)
			}
			d.last[i] = part
		}
		if c.Initiator&StartAtZero == 0 {
			d.first[i] = c.Start[i]
		}
		d.groups[i] = max(end, d.first[i]) - d.first[i]
		// The product does not overflow, because the factors so far are small.
		if groups *= uint64(d.groups[i]); groups > maxGroups {
			return c.refuse("a grid of %v work-groups has more than 2^31-1", d.groups)
		}
	}
	d.total, d.wavesPerGroup = int(groups), wavesOf(int(items))
	return nil
}

// resources sets the registers and memory of a wave and of a work-group, and checks that they are available.
func (d *dispatch) resources() error {
	c, t := d.c, d.m.Target
	r := c.RSRC.Fields(t)
	d.vgprs, d.sgprs, d.ids = r.VGPRs, r.SGPRs, r.WorkItemIDs
	d.user, d.system, d.mode, d.ldsBytes = r.UserSGPRs, r.System, state.Mode(r.Mode), r.LDSBytes
	waves, size := c.tmpRing()
	switch {
	case d.ids > 3:
		return c.refuse("COMPUTE_PGM_RSRC2.TIDIG_COMP_CNT is 3, which is undefined (" + rule.ST14 + ")")
	case d.user > isa.MaxUserSGPRs:
		return c.refuse("COMPUTE_PGM_RSRC2.USER_SGPR is %d, there are %d ("+rule.ST12+")", d.user, isa.MaxUserSGPRs)
	case d.ldsBytes > isa.TraitsOf(t).MaxLDS:
		return c.refuse("COMPUTE_PGM_RSRC2.LDS_SIZE gives a work-group %d bytes, it has at most %d", d.ldsBytes,
			isa.TraitsOf(t).MaxLDS)
	case !d.system[isa.SystemScratchOffset] || size == 0:
		return nil
	case waves < d.wavesPerGroup:
		return c.refuse("COMPUTE_TMPRING_SIZE.WAVES is %d, a work-group has %d waves, each with scratch", waves,
			d.wavesPerGroup)
	}
	d.slotBytes, d.slots = size, waves
	return nil
}
