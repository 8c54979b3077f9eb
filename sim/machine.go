package sim

import (
	"context"
	"fmt"
	"math"
	"sync"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/gcn/tile"
	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/sim/disasm"
	"github.com/gcnsim/gcnsim/internal/tool/contexts"
	"github.com/gcnsim/gcnsim/state"
)

// Machine is a GPU with memory. Set its fields before the first run. A Machine may execute several dispatches at a
// time. Dispatches whose result depends on the order of work-groups, and all that use the GDS, wait for one another.
// Runs of waves alone are executed one at a time, without a dispatch at the same time. Different machines are
// independent.
type Machine struct {
	Memory
	Target gcn.Target
	// Config holds the settings for waves alone. A dispatch has its own.
	Config
	// LDSSize is the size in bytes of the LDS of waves alone. The default is the largest size of a work-group.
	LDSSize int
	// GDSSize is the size of the GDS in bytes.
	GDSSize int

	// Tiling are the tiling registers. nil selects those of a chip that implements the target.
	Tiling *tile.Registers
	// BorderColors is the table of border colours, indexed by BORDER_COLOR_PTR of an S#: red, green, blue and alpha as
	// floats or integers, depending on the image's format.
	BorderColors [][4]uint32

	// Objects, if not nil, caches the code objects that LoadObject reads, and their decoded code. Machines may share it.
	Objects *ObjectCache

	code codeCache // used if Objects is nil

	turn sync.Mutex // held by a dispatch whose result depends on the order of work-groups
	sync executor.Sync

	own      sync.Mutex // guards the fields below
	lds, gds *executor.Span
	idle     []*worker // workers of launches that have ended
	images   *executor.Images
	tiling   *tile.Registers // value of Tiling when images was made
}

// gdsBytes is the size of the GDS of every GCN chip.
const gdsBytes = 64 << 10

// New returns a machine of target t with empty memory.
func New(t gcn.Target) *Machine {
	return &Machine{Target: t, LDSSize: isa.TraitsOf(t).MaxLDS, GDSSize: gdsBytes}
}

// NewWave returns a wave with 256 VGPRs. All registers and the PC are 0, except that EXEC has all lanes set.
func (m *Machine) NewWave() *state.Wave {
	w := state.NewWave(m.Target, firstVGPRs)
	w.NumVGPRs = state.MaxVGPRs
	return w
}

// firstVGPRs is the number of VGPRs that a wave has storage for at first. Most programs need no more, and 64 KiB for
// all would be most of the cost of a small test.
const firstVGPRs = 16

// LDS returns the LDS of waves alone. It keeps its contents between runs.
func (m *Machine) LDS() *Buffer {
	m.own.Lock()
	defer m.own.Unlock()
	if m.lds == nil {
		m.lds = newShared("LDSSize", m.LDSSize)
	}
	return &Buffer{Size: m.lds.Hi, span: m.lds}
}

// newShared returns LDS or GDS of size bytes. field names the field of Machine that has the size.
func newShared(field string, size int) *executor.Span {
	if size < 0 {
		panic(fmt.Sprintf("sim: %s of the machine is %d", field, size))
	}
	return newSpan(0, uint64(size))
}

// GDS returns the GDS; it keeps its contents between runs.
func (m *Machine) GDS() *Buffer {
	m.own.Lock()
	defer m.own.Unlock()
	if m.gds == nil {
		m.gds = newShared("GDSSize", m.GDSSize)
	}
	return &Buffer{Size: m.gds.Hi, span: m.gds}
}

// Run executes words on w, from w.PC (a byte offset into words, 0 for a new wave) to s_endpgm or to the end of the
// words. A wave that ended in an earlier run, as Ended tells, starts at the first word again. Afterwards w has the
// state behind the last executed instruction. The error is a *[state.Fault], an *[Error] or the error of ctx. The
// result is never nil.
func (m *Machine) Run(ctx context.Context, w *state.Wave, words []uint32) (*Result, error) {
	if w == nil {
		return &Result{}, noWave(0)
	}
	return m.RunProgram(ctx, NewProgram(m.Target, 0, words, w.NumVGPRs), w)
}

// RunAsm assembles text in LLVM syntax and executes it as [Machine.Run] does. Under [state.RDNARules] the text has
// the mnemonics of RDNA. The error may also be an *[asm.Error].
func (m *Machine) RunAsm(ctx context.Context, w *state.Wave, text string) (*Result, error) {
	p, err := disasm.Assemble(m.Target, text, m.Rules)
	if err != nil {
		return &Result{}, err
	}
	return m.Run(ctx, w, p.Words)
}

// Assemble returns the program of a text in LLVM syntax for [Machine.RunProgram]. It is assembled and decoded once,
// and can be executed any number of times and on several waves with at most vgprs VGPRs. The error is an
// *[asm.Error].
func (m *Machine) Assemble(text string, vgprs int) (*Program, error) {
	p, err := disasm.Assemble(m.Target, text, m.Rules)
	if err != nil {
		return nil, err
	}
	return NewProgram(m.Target, 0, p.Words, vgprs), nil
}

// maxGroupWaves is the largest number of waves in a work-group.
const maxGroupWaves = maxGroup / state.NumLanes

// RunProgram executes a decoded program as [Machine.Run] does. Several waves form one work-group: they share LDS and
// barriers, and RunProgram numbers them. The program's Base must be 0, or the address to which the PCs of the waves
// are relative.
func (m *Machine) RunProgram(ctx context.Context, p *Program, waves ...*state.Wave) (*Result, error) {
	ctx = contexts.Given(ctx)
	if err := m.checkBare(p, waves); err != nil {
		return &Result{}, err
	}
	if w := m.watched(); len(w.all) > 0 {
		if err := w.start(&Run{Machine: m, Program: p, Waves: waves}, ""); err != nil {
			return &Result{}, err
		}
	}
	r, c := &runner{code: []*Program{p}, openEnd: true, memory: &m.Memory}, m.ofWave()
	before, most := uint64(0), uint64(0)
	for _, w := range waves {
		before += w.Executed
		most = max(most, w.Executed)
	}
	c.Limit = most + min(c.Limit, math.MaxUint64-most)
	r.configure(&c, (*ports)(&m.Memory))
	r.driven = r.director != nil
	defer r.native.release()
	usesLDS, usesImages := p.usesLDS, p.usesImages
	if h := m.TrapHandler.program(m.Target, p.decodedFor); h != nil {
		r.code = append(r.code, h)
		usesLDS, usesImages = usesLDS || h.usesLDS, usesImages || h.usesImages
	}
	if usesLDS {
		r.ports.LDS, r.ports.GDS, r.ports.Sync = *m.LDS().span, *m.GDS().span, &m.sync
	}
	if usesImages {
		images, err := m.imagePort()
		if err != nil {
			return &Result{}, err
		}
		r.ports.Images, r.ports.Borders.Table = images, m.BorderColors
	}
	for i, w := range waves {
		p.hold(w)
		w.LDSBytes = uint32(m.LDSSize)
		r.giveHandler(w)
		if w.Ended {
			w.PC = p.Base
		}
		w.Ended, w.AtBarrier, w.Wait = false, false, state.NoWait // the wave may have ended in an earlier run
		if len(waves) > 1 {
			w.ID = i
			w.SetStatus(w.Status() | state.StatusInTG)
		}
	}
	if f := r.astray(p, waves); f != nil {
		return &Result{}, f
	}
	defer r.stopWith(ctx)()
	err := r.caught(ctx, waves)
	r.count(waves)
	r.res.Instructions -= before
	return r.tallied().finish(), err
}

// caught does what [runner.group] does, and returns a fault of kind internal if that panics.
func (r *runner) caught(ctx context.Context, waves []*state.Wave) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = r.internal(v)
		}
	}()
	return r.group(ctx, waves)
}

// astray returns a fault if the PC of a wave is outside of p.
func (r *runner) astray(p *Program, waves []*state.Wave) *state.Fault {
	for _, w := range waves {
		if len(p.steps) > 0 && !p.contains(w.PC) {
			f := executor.NewFault(state.FaultPC, "the wave begins outside of the program, which lies from 0x%x to 0x%x; "+
				"reset w.PC", p.Base, p.End)
			return r.fault(w, p, w.PC, f)
		}
	}
	return nil
}

// Registers returns the tiling registers of m. The error is an *[Error].
func (m *Machine) Registers() (*tile.Registers, error) {
	if m.Tiling == nil {
		return tile.ForTarget(m.Target)
	}
	if m.Tiling.Gen != m.Target.Gen() {
		return nil, &Error{Kind: BadTiling, What: fmt.Sprintf("the tiling registers of %s are for %v, the machine is "+
			"%v (%v)", m.Tiling.Chip, m.Tiling.Gen, m.Target, m.Target.Gen())}
	}
	return m.Tiling, nil
}

// imagePort returns the data that image instructions need. It caches decoded T#s as long as the registers are the
// same.
func (m *Machine) imagePort() (*executor.Images, error) {
	m.own.Lock()
	defer m.own.Unlock()
	if m.images == nil || m.tiling != m.Tiling {
		regs, err := m.Registers()
		if err != nil {
			return nil, err
		}
		m.images, m.tiling = &executor.Images{Regs: regs}, m.Tiling
	}
	return m.images, nil
}
