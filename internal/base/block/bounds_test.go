//go:build linux && amd64 && !purego

package block

import (
	"math"
	"math/rand/v2"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/base/vector"
	"github.com/gcnsim/gcnsim/state"
)

// registers is the number of VGPRs that the programs of these tests use: twice as many as the host has vector
// registers, and more than are saved at a time.
const registers = 32

// operation is an operation on two VGPRs in the programs of these tests, with the function that computes its result.
type operation struct {
	vector Vector
	plain  func(x, y uint32) uint32
}

// operations are operations whose results do not depend on a mode.
var operations = func() (all []operation) {
	for op, plain := range map[vector.Opcode]func(x, y uint32) uint32{
		vector.Add:    func(x, y uint32) uint32 { return x + y },
		vector.Xor:    func(x, y uint32) uint32 { return x ^ y },
		vector.AndNot: func(x, y uint32) uint32 { return x &^ y },
		vector.MinU:   func(x, y uint32) uint32 { return min(x, y) },
		vector.MaxS:   func(x, y uint32) uint32 { return uint32(max(int32(x), int32(y))) },
	} {
		body := func(e *vector.Code, a, b, _ vector.Value) vector.Value {
			return e.Emit(vector.Instr{Op: op, X: a, Y: b})
		}
		all = append(all, operation{Vector{Op: &vector.Op{Name: op.Name(), N: 2, Body: body}, N: 2}, plain})
	}
	slices.SortFunc(all, func(a, b operation) int { return int(a.vector.Op.Name[0]) - int(b.vector.Op.Name[0]) })
	return all
}()

// floatAdd adds floats: a run with it may have to be repeated.
var floatAdd = operation{
	Vector{Float: &Float{Op: &vector.Floats[0], Flush: func(state.Mode) (in, out uint32) { return 0, 0 }}, N: 2},
	func(x, y uint32) uint32 { return math.Float32bits(math.Float32frombits(x) + math.Float32frombits(y)) },
}

// step is an instruction in the programs of these tests.
type step struct {
	operation
	dst, x, y uint32
}

// assemble returns the program made of steps.
func assemble(steps []step) (all []*Instr, sizes []uint8) {
	for _, s := range steps {
		v := s.vector
		v.Dst, v.Src = s.dst, [4]Source{{Kind: VGPR, Code: s.x}, {Kind: VGPR, Code: s.y}}
		all, sizes = append(all, &Instr{Vector: &v}), append(sizes, 1)
	}
	return all, sizes
}

const boundsMode = state.ModeDenorm32

// guarded is a context surrounded by memory that no machine code may write.
type guarded struct {
	before [1 << 12]byte
	x      Context
	after  [1 << 12]byte
}

func newGuarded(t *testing.T) *guarded {
	if why := Unavailable(); why != "" {
		t.Skip(why)
	}
	return new(guarded)
}

// clean requires that nothing was written around the context.
func (g *guarded) clean(t *testing.T) {
	t.Helper()
	require.Zero(t, g.before)
	require.Zero(t, g.after)
}

// randomWave returns a wave whose VGPRs hold small floats.
func randomWave(rnd *rand.Rand) *state.Wave {
	w := state.NewWave(gcn.GFX900, registers)
	w.Mode = boundsMode
	for reg := range w.V {
		for lane := range w.V[reg] {
			w.V[reg][lane] = math.Float32bits(float32(rnd.IntN(1 << 12)))
		}
	}
	w.SetExec([]uint64{state.FullExec, rnd.Uint64(), 0xff00, 1}[rnd.IntN(4)])
	return w
}

// TestAllocator runs random programs that need more vectors at a time than the host has registers. The results equal
// those that Go computes, and nothing around the context is written.
func TestAllocator(t *testing.T) {
	g := newGuarded(t)
	spills := 0
	for seed := range uint64(60) {
		rnd := rand.New(rand.NewPCG(seed, 54))
		var steps []step
		for range 20 + rnd.IntN(100) {
			s := step{operations[rnd.IntN(len(operations))], rnd.Uint32N(registers), rnd.Uint32N(registers),
				rnd.Uint32N(registers)}
			if seed%2 == 0 && rnd.IntN(4) == 0 { // two VGPRs that hold floats
				s = step{floatAdd, s.dst &^ 1, 2 * (s.x / 4), 2 * (s.y / 4)}
			} else if seed%2 == 0 {
				s.dst |= 1
			}
			steps = append(steps, s)
		}
		all, sizes := assemble(steps)
		code, err := Compile(all, sizes, boundsMode, false)
		require.NoError(t, err)
		w := randomWave(rnd)
		want := slices.Clone(w.V)
		for _, s := range steps {
			for lane := range state.NumLanes {
				if w.Exec()>>lane&1 != 0 {
					want[s.dst][lane] = s.plain(want[s.x][lane], want[s.y][lane])
				}
			}
		}
		g.x.spills = [maxSpills][16]uint32{}
		for next := uint64(0); next < uint64(len(steps)); {
			var did uint64
			var why Left
			next, did, why = code.Run(&g.x, w, next, 1<<10, nil)
			require.NotEqual(t, Missed, why, "seed %d", seed)
			require.NotZero(t, did)
		}
		for _, slot := range g.x.spills {
			if slot != ([16]uint32{}) {
				spills++
			}
		}
		require.Equal(t, want, w.V, "seed %d", seed)
		g.clean(t)
	}
	require.Greater(t, spills, 60)
}

// TestSavedRegisters runs programs that read and write more VGPRs than a run may save, on values that machine code
// leaves to executors. The machine code restores the old values, and writes nothing behind them.
func TestSavedRegisters(t *testing.T) {
	g := newGuarded(t)
	var steps []step
	for reg := range uint32(registers) {
		steps = append(steps, step{floatAdd, reg, reg, reg})
	}
	all, sizes := assemble(steps)
	code, err := Compile(all, sizes, boundsMode, false)
	require.NoError(t, err)
	for from := range uint64(registers) {
		if !code.Begins(int(from)) {
			continue
		}
		w := randomWave(rand.New(rand.NewPCG(from, 55)))
		w.SetExec(state.FullExec)
		for reg := from; reg < registers; reg++ {
			w.V[reg][40] = 0x7fa00000 // a signalling NaN
		}
		before := slices.Clone(w.V)
		next, did, why := code.Run(&g.x, w, from, 1<<10, nil)
		require.Equal(t, []any{from, uint64(0), Missed}, []any{next, did, why})
		require.Equal(t, before, w.V)
		g.clean(t)
	}
	for _, u := range code.undos {
		require.LessOrEqual(t, len(u.saved), maxSaved)
		require.GreaterOrEqual(t, len(u.saved), registers/4)
	}
}

// manyOf returns n instructions, each on registers of its own.
func manyOf(n int, of func(i uint32) Vector) []*Instr {
	all := make([]*Instr, n)
	for i := range all {
		v := of(uint32(i))
		all[i] = &Instr{Vector: &v}
	}
	return all
}

// contextPlace matches a memory operand in the context, and the index that is added to it: at most the lanes of a
// VGPR, in bytes, or the bytes of a lane mask.
var contextPlace = regexp.MustCompile(`(\w+) PTR \[rdx(\+rcx\*1|\+r8\*1)?\+0x([0-9a-f]+)\]`)

// TestContextBounds checks that each operand of machine code in the context lies in the field meant for it, for a run
// with the largest numbers of VGPRs to save, lane masks, loads and live vectors.
func TestContextBounds(t *testing.T) {
	newGuarded(t)
	src := func(codes ...uint32) (all [4]Source) {
		for i, code := range codes {
			all[i] = Source{Kind: VGPR, Code: code % registers}
		}
		return all
	}
	var random []step
	rnd := rand.New(rand.NewPCG(1, 56))
	for i := range uint32(200) { // results that are all written at the end of a run
		random = append(random, step{operations[rnd.IntN(len(operations))], i, 200 + i%50, 201 + i%50})
	}
	pressed, _ := assemble(random)
	programs := map[string][]*Instr{
		"saved": manyOf(60, func(i uint32) Vector {
			return Vector{Float: floatAdd.vector.Float, N: 2, Src: src(i, i), Dst: i % registers}
		}),
		"masks": manyOf(30, func(i uint32) Vector {
			return Vector{Compare: &Compare{Op: &vector.Comparisons[0]}, N: 2, Src: src(i, i+1), MaskOut: 2 * i}
		}),
		"loads": manyOf(30, func(i uint32) Vector {
			l := &Load{Addr: 0, Off: 8 * i, N: 2, Disp: [4]uint32{0, 4}, Regs: [4]uint32{2 + i, 40 + i}, End: 8, Most: 15,
				Apart: &Access{N: 2, Size: 4}}
			return Vector{Load: l}
		}),
		"spills": pressed,
	}
	fields := reflect.TypeFor[Context]()
	sizes := map[string]int{"BYTE": 1, "WORD": 2, "DWORD": 4, "QWORD": 8, "XMMWORD": 16, "YMMWORD": 32, "ZMMWORD": 64}
	for name, program := range programs {
		for _, traces := range []bool{false, true} {
			code, err := Compile(program, slices.Repeat([]uint8{1}, len(program)), boundsMode, traces)
			require.NoError(t, err)
			reached := map[string]uintptr{} // for each field, the last byte of it that is reached
			for _, text := range disassembled(t, code.mem) {
				m := contextPlace.FindStringSubmatch(text)
				if m == nil {
					continue
				}
				from, err := strconv.ParseUint(m[3], 16, 32)
				require.NoError(t, err)
				end, field := uintptr(from)+uintptr(sizes[m[1]]), ""
				switch {
				case m[2] == "+rcx*1":
					end, field = uintptr(from)+unsafe.Sizeof(state.Lanes{}), "saved"
				case m[2] == "+r8*1":
					end, field = uintptr(from)+8, "masks"
				case sizes[m[1]] >= 32:
					field = "spills"
				}
				inside := ""
				for f := range fields.Fields() {
					if first := f.Offset; uintptr(from) >= first && end <= first+f.Type.Size() {
						inside, reached[f.Name] = f.Name, max(reached[f.Name], end-first)
					}
				}
				require.NotContains(t, []string{"", "_"}, inside, "%s: %s reaches bytes %d to %d of the context", name, text, from,
					end)
				require.True(t, field == "" || field == inside, "%s: %s reaches %s, which is for something else", name, text,
					inside)
			}
			if len(reached) > 0 && name == "saved" {
				require.Greater(t, reached["saved"], unsafe.Sizeof(Context{}.saved)/2)
			}
			if len(reached) > 0 && name != "loads" {
				require.NotZero(t, reached[name], "%s does not reach what it is for: %v", name, reached)
			}
		}
	}
}

// TestMachineCodeIsCounted checks that machine code occupies whole pages of memory, and that they are freed.
func TestMachineCodeIsCounted(t *testing.T) {
	newGuarded(t)
	require.Equal(t, []int64{4096, 4096, 8192}, []int64{pages(1) * 4096 / pages(1), pages(4096) * 4096 / pages(1),
		pages(int(pages(1))+1) * 4096 / pages(1)})
	all, sizes := assemble([]step{{floatAdd, 0, 0, 0}})
	before := mapped.Load()
	code, err := Compile(all, sizes, boundsMode, false)
	require.NoError(t, err)
	require.GreaterOrEqual(t, mapped.Load()-before, pages(len(code.mem)))
}
