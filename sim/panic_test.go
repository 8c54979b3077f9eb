package sim

import (
	"context"
	"os"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/isa/asm"
	"github.com/gcnsim/gcnsim/internal/tool/crash"
	"github.com/gcnsim/gcnsim/state"
)

// breakStores returns a cache that decodes every FLAT store as one that reads a VGPR that no wave has. flow sets
// executor.Impl.Flow.
func breakStores(flow bool) *ObjectCache {
	return &ObjectCache{bind: func(in *isa.Inst) executor.Impl {
		impl := executor.Find(in)
		if row := in.Row(); row.Enc == isa.FLAT && row.Mem.Op == gcn.Store {
			impl.Flow, impl.Block = flow, nil
			impl.Exec = func(w *state.Wave, _ *executor.Ports, in *isa.Inst, _ *state.Access) *state.Fault {
				return executor.NewFault(state.FaultIllegal, "%d", w.V[state.MaxVGPRs+int(in.Get(isa.VDATA))][0])
			}
		}
		return impl
	}}
}

// broken returns a program with such stores.
func broken(t *testing.T, flow bool, text string) *Program {
	t.Helper()
	a, err := asm.Assemble(gcn.GFX803, text, asm.LLVM)
	require.NoError(t, err)
	p, err := newProgram(t.Context(), gcn.GFX803, a.Words, len(a.Words), state.MaxVGPRs, breakStores(flow).bind)
	require.NoError(t, err)
	return p.at(0, nil, 0, "")
}

// internalFault requires that err is an internal fault and returns it with its cause.
func internalFault(t *testing.T, err error) (*state.Fault, *crash.Error) {
	t.Helper()
	var f *state.Fault
	require.ErrorAs(t, err, &f)
	require.Equal(t, "internal", f.Kind.String())
	var cause *crash.Error
	require.ErrorAs(t, err, &cause)
	return f, cause
}

func TestRunReturnsThePanicOfAnExecutor(t *testing.T) {
	m := New(gcn.GFX803)
	w := m.NewWave()
	w.SetVGPR(3, state.Lanes{5: 0x1234})
	w.SetExec(0x60)
	res, err := m.RunProgram(context.Background(), broken(t, false, "s_nop 0\nflat_store_dword v[4:5], v3\ns_endpgm"), w)
	f, cause := internalFault(t, err)
	assert.Equal(t, "flat_store_dword v[4:5], v3", f.Text)
	assert.EqualValues(t, 4, f.PC)
	assert.EqualValues(t, 1, res.Instructions)
	assert.Contains(t, err.Error(), "index out of range")
	assert.Contains(t, cause.State, "words [dc700000 00000304], 256 VGPRs, EXEC 0x0000000000000060")
	assert.Contains(t, cause.State, "VDATA: v3[5]=0x00001234")
	assert.Contains(t, cause.Stack, "breakStores")
	assert.ErrorAs(t, err, new(runtime.Error))
	_, err = m.RunAsm(context.Background(), m.NewWave(), "s_endpgm")
	assert.NoError(t, err, "the machine goes on")
}

// After a panic the wave has the state before the instruction, whether or not a watcher sees each instruction.
func TestPanicLeavesTheWaveWhereItWas(t *testing.T) {
	for _, c := range []struct {
		flow     bool
		watchers []Watcher
	}{{false, nil}, {true, nil}, {false, []Watcher{Observer(func(*Event) {})}},
		{true, []Watcher{Observer(func(*Event) {})}}} {
		m := New(gcn.GFX803)
		require.NoError(t, m.Watch(c.watchers...))
		w := m.NewWave()
		res, err := m.RunProgram(context.Background(), broken(t, c.flow,
			"s_nop 0\nv_mov_b32 v0, 0x1234\nv_mov_b32 v1, 0\nflat_store_dword v[4:5], v3\ns_endpgm"), w)
		f, _ := internalFault(t, err)
		assert.EqualValues(t, 16, f.PC)
		assert.Equal(t, [...]uint64{24, 3, 3, 2}, [...]uint64{w.PC, w.Executed, res.Instructions, res.ByClass[ClassVALU]},
			"PC, executed")
	}
}

// panics is a watcher that panics in the method in: in Issue at the first instruction of wave 1.
type panics struct{ in string }

func (p panics) Needs() Needs { return Needs{Events: BeforeAndAfter, Clock: p} }

func (p panics) at(call string) {
	if p.in == call {
		panic("of the user")
	}
}

func (p panics) Start(*Run) error {
	p.at("Start")
	return nil
}
func (p panics) Begin([]*state.Wave) { p.at("Begin") }
func (p panics) Retire(*Event)       { p.at("Retire") }
func (p panics) Issue(e *Event) {
	if e.Wave.ID == 1 {
		p.at("Issue")
	}
}

func (p panics) Now(*state.Wave, *gcn.Inst) (uint64, bool) {
	p.at("Now")
	return 0, p.in != "Settle"
}

func (p panics) Settle([]*state.Wave) bool {
	p.at("Settle")
	return false
}

// The fault for a panicking watcher names the watcher, for each method and with other watchers present.
func TestThePanicOfAWatcherNamesIt(t *testing.T) {
	object, err := os.ReadFile("../testdata/kernels/clock.fiji.co")
	require.NoError(t, err)
	for _, in := range []string{"Start", "Begin", "Issue", "Retire", "Now", "Settle"} {
		m := New(gcn.GFX803)
		mod, err := m.LoadObject(object)
		require.NoError(t, err)
		l := Launch{Module: mod, Kernel: "clock", Grid: [3]uint32{128}, Group: [3]uint32{128},
			Args: []Arg{BufferArg(m.Alloc(4096))}}
		for _, c := range []*Config{&m.Config, &l.Config} {
			require.NoError(t, c.Watch(Observer(func(*Event) {}), panics{in}, SparseObserver(func(*Event) {})))
		}
		_, err = m.RunAsm(context.Background(), m.NewWave(), "s_memtime s[0:1]\ns_endpgm")
		_, failed := m.Dispatch(context.Background(), l)
		for i, err := range []error{err, failed} {
			if i == 0 && in == "Issue" { // there is only one wave
				require.NoError(t, err)
				continue
			}
			f, _ := internalFault(t, err)
			assert.Equal(t, "the watcher sim.panics panicked: of the user", f.What, in)
		}
	}
}

func TestThePanicOfAWatcherNamesTheInstruction(t *testing.T) {
	m := New(gcn.GFX803)
	require.NoError(t, m.Watch(panics{"Issue"}))
	p, err := asm.Assemble(m.Target, "v_mov_b32 v0, 0\nv_mov_b32 v1, 0\ns_endpgm", asm.LLVM)
	require.NoError(t, err)
	waves := []*state.Wave{m.NewWave(), m.NewWave()}
	waves[1].ID, waves[0].PC, waves[1].PC = 1, 0x1000, 0x1000
	_, err = m.RunProgram(context.Background(), NewProgram(m.Target, 0x1000, p.Words, 8), waves...)
	f, _ := internalFault(t, err)
	assert.Equal(t, "v_mov_b32_e32 v0, 0", f.Text)
	assert.EqualValues(t, 0x1000, f.PC)
}

func TestDispatchReturnsThePanicOfAnExecutor(t *testing.T) {
	m := New(gcn.GFX803)
	m.Objects = breakStores(false)
	object, err := os.ReadFile("../testdata/kernels/vadd.fiji.co")
	require.NoError(t, err)
	mod, err := m.LoadObject(object)
	require.NoError(t, err)
	const n = 1 << 10
	arg := BufferArg(m.Alloc(4 * n))
	l := Launch{Module: mod, Kernel: "vadd", Grid: [3]uint32{n}, Group: [3]uint32{64}, Args: []Arg{arg, arg, arg, U32(n)}}
	for range 10 {
		res, err := m.Dispatch(context.Background(), l)
		f, cause := internalFault(t, err)
		assert.Zero(t, f.Group, "of several that of the first work-group")
		assert.Contains(t, f.Text, "flat_store_dword")
		assert.Contains(t, cause.Stack, "breakStores")
		assert.NotZero(t, res.Instructions)
	}
}

func TestThePanicOfAnObserverSaysSo(t *testing.T) {
	m := New(gcn.GFX803)
	require.NoError(t, m.Watch(Observer(func(*Event) { panic("of the user") })))
	_, err := m.RunAsm(context.Background(), m.NewWave(), "s_mov_b32 s1, 1\ns_endpgm")
	f, _ := internalFault(t, err)
	assert.Equal(t, "s_mov_b32 s1, 1", f.Text)
	assert.Equal(t, "the observer panicked: of the user", f.What)
}
