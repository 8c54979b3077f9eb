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

// Machine is a GPU with memory. Set its fields before the first run. A Machine may run
// several dispatches at a time; those whose order can show in what they leave, and all
// that use the GDS, wait for one another. Bare waves it runs one at a time, and no dispatch
// meanwhile. Different machines are independent.
type Machine struct {
	Memory
	Target gcn.Target
	// Config is how bare waves run; dispatches have their own.
	Config
	// LDSSize is the LDS of a bare wave in bytes: all a work-group can have, unless set.
	LDSSize int
	// GDSSize is the size of the GDS in bytes.
	GDSSize int

	// Tiling are the tiling registers; nil are the registers of a chip that is the target.
	Tiling *tile.Registers
	// BorderColors is the table of border colours, by the BORDER_COLOR_PTR of an S#: red,
	// green, blue and alpha as the format of the image reads them, floats or integers.
	BorderColors [][4]uint32

	// Objects, if not nil, keeps what LoadObject reads and what is decoded of it. Machines
	// may share it.
	Objects *ObjectCache

	code codeCache // without Objects

	turn sync.Mutex // held by a dispatch whose result depends on the order of work-groups
	sync executor.Sync

	own      sync.Mutex // guards what follows
	lds, gds *executor.Span
	idle     []*worker // of launches that have ended
	images   *executor.Images
	tiling   *tile.Registers // Tiling when images was made
}

// gdsBytes is the size of the GDS of every GCN chip.
const gdsBytes = 64 << 10

// New returns a machine of target t with empty memory.
func New(t gcn.Target) *Machine {
	return &Machine{Target: t, LDSSize: isa.TraitsOf(t).MaxLDS, GDSSize: gdsBytes}
}

// NewWave returns a wave with 256 VGPRs, all registers 0, EXEC full, PC 0.
func (m *Machine) NewWave() *state.Wave {
	w := state.NewWave(m.Target, firstVGPRs)
	w.NumVGPRs = state.MaxVGPRs
	return w
}

// firstVGPRs is the storage of a wave that takes more when it needs it: most programs do
// not, and 64 KiB would be most of what a small test costs.
const firstVGPRs = 16

// LDS returns the LDS of bare waves; it keeps its contents between runs.
func (m *Machine) LDS() *Buffer {
	m.own.Lock()
	defer m.own.Unlock()
	if m.lds == nil {
		m.lds = newShared("LDSSize", m.LDSSize)
	}
	return &Buffer{Size: m.lds.Hi, span: m.lds}
}

// newShared returns LDS or GDS of size bytes, which a field of a machine says.
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

// Run executes words on w, from w.PC (a byte offset into words, 0 for a new wave) to
// s_endpgm or to the end of the words. A wave that has ended an earlier run, as Ended says,
// begins at the first word again. The state of w is that after the last executed
// instruction. The error is a *[state.Fault], an *[Error] or the error of ctx; the result is never
// nil.
func (m *Machine) Run(ctx context.Context, w *state.Wave, words []uint32) (*Result, error) {
	if w == nil {
		return &Result{}, noWave(0)
	}
	return m.RunProgram(ctx, NewProgram(m.Target, 0, words, w.NumVGPRs), w)
}

// RunAsm assembles text in LLVM syntax, with [state.RDNARules] with the mnemonics of RDNA, and runs it as [Machine.Run]
// does. The error may be an *[asm.Error], too.
func (m *Machine) RunAsm(ctx context.Context, w *state.Wave, text string) (*Result, error) {
	p, err := disasm.Assemble(m.Target, text, m.Rules)
	if err != nil {
		return &Result{}, err
	}
	return m.Run(ctx, w, p.Words)
}

// Assemble returns the program of a text in LLVM syntax, for [Machine.RunProgram]: assembled and decoded once, it runs
// any number of times and on several waves, which have at most vgprs VGPRs. The error is an *[asm.Error].
func (m *Machine) Assemble(text string, vgprs int) (*Program, error) {
	p, err := disasm.Assemble(m.Target, text, m.Rules)
	if err != nil {
		return nil, err
	}
	return NewProgram(m.Target, 0, p.Words, vgprs), nil
}

// maxGroupWaves is how many waves a work-group has at most.
const maxGroupWaves = maxGroup / state.NumLanes

// RunProgram runs a decoded program as [Machine.Run] does on a wave, or on the waves of one
// work-group, which share LDS and meet at barriers and get their numbers in the work-group.
// The program's Base must be 0 or where the PCs of the waves count from.
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
		w.Ended, w.AtBarrier, w.Wait = false, false, state.NoWait // it may have ended an earlier run
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

// caught is [runner.group] whose error is a fault of kind internal if it panics.
func (r *runner) caught(ctx context.Context, waves []*state.Wave) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = r.internal(v)
		}
	}()
	return r.group(ctx, waves)
}

// astray returns the fault of a wave that would begin outside of p, where there is nothing.
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

// imagePort returns what image instructions need. It keeps what T#s were decoded to as
// long as the registers are the same.
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
