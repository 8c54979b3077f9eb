package r600

import (
	"cmp"
	"encoding/binary"
	"math"
	"math/bits"

	"github.com/gcnsim/gcnsim/internal/isa/format"
)

// Threads is the number of threads in a wave.
const Threads = 64

// Machine has the resources that programs use, by number.
type Machine struct {
	Buffers  []Buffer
	Textures []*Image
	Samplers []Sampler
	Targets  []*Image // colour buffers
	// Constants are the constant banks that ALU clauses lock.
	Constants [][][4]uint32
	Loops     []Loop   // constants of LOOP_START
	Fetch     *Program // the fetch shader, which CALL_FS calls; may be nil
	// Trace is called before each instruction of a wave. It may be nil.
	Trace func(Event)

	limit int // limit of instructions and groups of a wave; 0 means most
}

// Event describes an instruction that a wave is about to execute.
type Event struct {
	Wave    int // number of the wave in the draw, from 0
	Threads int // number of active threads
	Slot    int
	Clause  bool // whether the instruction is part of a clause
	Inst    Inst
	State   *State // state of the wave before the instruction; it is updated in place
}

// State is the state of the threads of a wave.
type State struct {
	GPR           [Threads][gprs][4]uint32
	Active, Valid uint64          // active threads, and threads that were not killed
	Touched       uint64          // threads for which the latest instruction has accessed memory
	Addr          [Threads]uint64 // address of that access, in bytes from the beginning of the buffer or image
	Bytes         int             // size of that access for one thread
}

// touch records an access of thread t.
func (s *State) touch(t int, at uint64, bytes int) {
	s.Touched, s.Bytes, s.Addr[t] = s.Touched|1<<t, bytes, at
}

// vec is a register or an export, with components X, Y, Z and W.
type vec = [4]uint32

// floats returns the components of v as floats.
func floats(v vec) (f [4]float32) {
	for i, b := range v {
		f[i] = math.Float32frombits(b)
	}
	return f
}

// Output has a vertex shader's exports for one vertex, as bits of X, Y, Z and W.
type Output struct {
	Position [4]uint32
	Params   [maxParams][4]uint32
}

// wave is the state of a wave's threads, and the resources that they use.
type wave struct {
	State
	m        *Machine
	number   int
	count    int      // number of threads
	vertices []Output // set for a vertex shader
	pixels   [][2]int // set for a pixel shader
	threads  []Thread // set by Group

	pc       int
	passed   uint64   // threads whose predicate is true
	stack    []uint64 // masks of active threads
	loops    []*loop
	called   bool // whether the fetch shader is executing
	left     int  // remaining limit of instructions and groups
	address  [4][Threads]int32
	previous [transSlot + 1]row
}

// Vertices executes a vertex shader. The X component of GPR 0 has the vertex's index. The error is an *[Error] of
// kind [Fault].
func (m *Machine) Vertices(p *Program, indices []uint32) ([]Output, error) {
	out := make([]Output, len(indices))
	for first := 0; first < len(indices); first += Threads {
		w := newWave(m, first/Threads, min(Threads, len(indices)-first))
		w.vertices = out[first : first+w.count]
		for t := range w.count {
			w.GPR[t][0] = vec{indices[first+t]}
		}
		if err := w.run(p); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func newWave(m *Machine, number, count int) *wave {
	all := ^uint64(0) >> (Threads - count)
	return &wave{m: m, number: number, count: count, left: m.mostSteps(), State: State{Active: all, Valid: all}}
}

// most is the default limit of instructions and groups, after which a program counts as endless.
const most = 1 << 22

// mostSteps returns the limit of instructions and groups of a wave.
func (m *Machine) mostSteps() int { return cmp.Or(m.limit, most) }

// spend counts an instruction or group against the limit.
func (w *wave) spend(slot int) error {
	if w.left--; w.left < 0 {
		return faultAt(endless, slot, "", "the wave has executed %d instructions and groups, and does not end",
			w.m.mostSteps())
	}
	return nil
}

// run executes a program strictly in order. That is always correct, because instructions without BARRIER may overlap
// earlier ones but need not (rule FS7).
func (w *wave) run(p *Program) error {
	for w.pc = 0; w.pc < len(p.steps); {
		s := &p.steps[w.pc]
		w.pc++
		if err := w.spend(s.slot); err != nil {
			return err
		}
		w.trace(s.slot, false, &s.in)
		if s.in.does == doCallFetch {
			if err := w.callFetch(s); err != nil {
				return err
			}
		}
		if err := flows[s.in.does](w, s); err != nil || s.in.ends() {
			return err
		}
	}
	return nil
}

// runFetches executes a fetch clause.
func (w *wave) runFetches(s *step) error {
	for j := range s.clause {
		fetch, slot := &s.clause[j], s.start+2*j
		w.trace(slot, true, fetch)
		run := w.vertexFetch
		if fetch.does == doSample {
			run = w.sample
		}
		if err := run(slot, fetch); err != nil {
			return err
		}
	}
	return nil
}

func (w *wave) trace(slot int, clause bool, in *Inst) {
	if w.m.Trace != nil {
		w.m.Trace(Event{w.number, bits.OnesCount64(w.Active), slot, clause, *in, &w.State})
	}
	w.Touched = 0
}

// elements are the memory elements of a wave's threads, as dwords or as components.
type elements [format.MaxComponents][]uint32

func newElements(n int) (e elements) {
	for i := range e {
		e[i] = make([]uint32, n)
	}
	return e
}

// first returns the first n columns. The others are nil.
func (e *elements) first(n int) (columns [4][]uint32) {
	copy(columns[:n], e[:n])
	return columns
}

// read stores the bytes of thread i's element.
func (e *elements) read(i int, b []byte) {
	for j := 0; j*4 < len(b); j++ {
		var dword [4]byte
		copy(dword[:], b[4*j:])
		e[j][i] = binary.LittleEndian.Uint32(dword[:])
	}
}

// write writes the bytes of thread i's element to b.
func (e *elements) write(i int, b []byte) {
	for j := range b {
		b[j] = byte(e[j/4][i] >> (8 * (j % 4)))
	}
}

// unpack converts elements to components and writes the registers that DST_SEL selects.
func (w *wave) unpack(in *Inst, f *format.Format, words *elements) {
	parts := newElements(w.count)
	src, dst := words.first(f.Words), parts.first(f.Components)
	f.Unpack(&dst, &src)
	for t := range w.count {
		if w.Active>>t&1 == 0 {
			continue
		}
		r := &w.GPR[t][in.get(fieldDstGPR)]
		for c, field := range [...]field{fieldDstSelX, fieldDstSelY, fieldDstSelZ, fieldDstSelW} {
			switch sel := in.get(field); sel {
			case sel0:
				r[c] = 0
			case sel1:
				r[c] = f.One
			case selMask:
			default:
				r[c] = parts[sel][t] // 0 if the format lacks the component
			}
		}
	}
}

// pick returns a component of a register, or a constant, as sel selects.
func pick(r *vec, sel uint32) uint32 {
	switch sel {
	case sel0:
		return 0
	case sel1:
		return math.Float32bits(1)
	}
	return r[sel]
}

// vertexFetch fetches a record of a buffer. Records behind the end of the buffer are zeros (rule FS3).
func (w *wave) vertexFetch(slot int, in *Inst) error {
	id := in.get(fieldBufferID)
	if int(id) >= len(w.m.Buffers) || w.m.Buffers[id].Data == nil {
		return faultAt(noMemory, slot, in.Name, "there is no buffer %d", id)
	}
	b := &w.m.Buffers[id]
	if b.Stride < 0 {
		return faultAt(noMemory, slot, in.Name, "buffer %d has a stride of %d", id, b.Stride)
	}
	f, kind, err := in.format().lookup()
	if err != nil {
		return faultAt(kind, slot, in.Name, "%v", err)
	}
	words := newElements(w.count)
	for t := range w.count {
		index := pick(&w.GPR[t][in.get(fieldSrcGPR)], in.get(fieldSrcSelX))
		at := uint64(index)*uint64(uint32(b.Stride)) + uint64(in.get(fieldOffset))
		if end := at + uint64(f.Size); end <= uint64(len(b.Data)) {
			words.read(t, b.Data[at:end])
		}
		if w.Active>>t&1 != 0 {
			w.touch(t, at, f.Size)
		}
	}
	w.unpack(in, f, &words)
	return nil
}

// sample fetches the texel at a coordinate, or the nearest one if it is outside (rules FS4 and FS8).
func (w *wave) sample(slot int, in *Inst) error {
	id, sampler := in.get(fieldResourceID), in.get(fieldSamplerID)
	if int(id) >= len(w.m.Textures) || w.m.Textures[id] == nil {
		return faultAt(noMemory, slot, in.Name, "there is no texture %d", id)
	}
	if int(sampler) >= len(w.m.Samplers) {
		return faultAt(noMemory, slot, in.Name, "there is no sampler %d", sampler)
	}
	if s := w.m.Samplers[sampler]; s != (Sampler{}) {
		return faultAt(unsupported, slot, in.Name, "sampler %d is not modelled: only point filter and the last texel "+
			"beyond the edges are", sampler)
	}
	img := w.m.Textures[id]
	words := newElements(w.count)
	for t := range w.count {
		r := &w.GPR[t][in.get(fieldSrcGPR)]
		if w.Active>>t&1 == 0 {
			continue
		}
		texel, err := w.texel(t, img, nearest(pick(r, in.get(fieldSrcSelX)), img.Width),
			nearest(pick(r, in.get(fieldSrcSelY)), img.Height))
		if err != nil {
			return faultAt(noMemory, slot, in.Name, "thread %d: %v", t, err)
		}
		words.read(t, texel)
	}
	w.unpack(in, img.format, &words)
	return nil
}

// nearest returns the texel index of a coordinate, clamped to 0 and size-1. It is 0 for a NaN.
func nearest(v uint32, size int) int {
	x := math.Floor(float64(math.Float32frombits(v)))
	if !(x > 0) {
		return 0
	}
	return int(min(x, float64(size-1)))
}

// export executes an export (rule FS2).
func (w *wave) export(s *step) error {
	in := &s.in
	kind := in.get(fieldExportType)
	if w.threads == nil && (kind == exportPixel) != (w.pixels != nil) {
		return faultAt(illegal, s.slot, in.Name, "%s is for the other kind of shader",
			fieldExportType.text(in.Family, kind))
	}
	for i := range in.get(fieldBurstCount) + 1 {
		to := in.get(fieldArrayBase) + i
		out := newElements(w.count)
		for t := range w.count {
			for c, field := range [...]field{fieldSrcSelX, fieldSrcSelY, fieldSrcSelZ, fieldSrcSelW} {
				out[c][t] = pick(&w.GPR[t][in.get(fieldRWGPR)+i], in.get(field))
			}
		}
		if kind == exportPixel && w.pixels != nil {
			if err := w.colour(s, to, w.pixels, &out); err != nil {
				return err
			}
			continue
		}
		_ = w.writing(func(t int) error {
			*w.place(t, kind, to) = vec{out[0][t], out[1][t], out[2][t], out[3][t]}
			return nil
		})
	}
	return nil
}

// place returns the destination of thread t's export.
func (w *wave) place(t int, kind, to uint32) *vec {
	var out *Output
	if w.threads != nil {
		out = &w.threads[t].Output
	} else {
		out = &w.vertices[t]
	}
	switch kind {
	case exportPixel:
		return &w.threads[t].Colours[to]
	case exportPosition:
		return &out.Position
	}
	return &out.Params[to]
}

// colour writes texels to a render target. Pixels outside of the target are dropped.
func (w *wave) colour(s *step, target uint32, at [][2]int, out *elements) error {
	if int(target) >= len(w.m.Targets) || w.m.Targets[target] == nil {
		return faultAt(noMemory, s.slot, s.in.Name, "there is no target %d", target)
	}
	img := w.m.Targets[target]
	words := newElements(w.count)
	dst, src := words.first(img.format.Words), out.first(img.format.Components)
	img.format.Pack(&dst, &src)
	return w.writing(func(t int) error {
		if x, y := at[t][0], at[t][1]; x >= img.Width || y >= img.Height {
			return nil
		}
		texel, err := w.texel(t, img, at[t][0], at[t][1])
		if err != nil {
			return faultAt(noMemory, s.slot, s.in.Name, "thread %d: %v", t, err)
		}
		words.write(t, texel)
		return nil
	})
}

// writing calls visit for each thread that is active and not killed.
func (w *wave) writing(visit func(t int) error) error {
	for t := range w.count {
		if w.Active&w.Valid>>t&1 != 0 {
			if err := visit(t); err != nil {
				return err
			}
		}
	}
	return nil
}
