package r600

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"

	"github.com/gcnsim/gcnsim/gcn/format"
)

// Threads is how many threads a wave has.
const Threads = 64

// Machine is what programs reach: resources by number, and who watches.
type Machine struct {
	Buffers  []Buffer
	Textures []*Image
	Samplers []Sampler
	Targets  []*Image // colours, and resources of typed stores
	// Constants are the banks that ALU clauses lock.
	Constants [][][4]uint32
	// RATs are what MEM_RAT writes, by RAT_ID. Returns are where operations that end in _RTN leave the value before; a RAT
	// without such memory leaves it nowhere.
	RATs, Returns [][]byte
	// Streams are what MEM_STREAM writes, by buffer, on Evergreen and Cayman by 4*stream + buffer; Rings are what MEM_RING
	// writes. The stride is the size of the record of a vertex or thread.
	Streams, Rings []Buffer
	Loops          []Loop   // the constants of LOOP_START
	Fetch          *Program // what CALL_FS calls, if not nil
	// Trace is called before each instruction of a wave, if not nil.
	Trace func(Event)
}

// Event is an instruction that a wave executes.
type Event struct {
	Wave    int // of the draw, from 0
	Threads int // that are active
	Slot    int
	Clause  bool // whether the instruction is one of a clause
	Inst    Inst
}

// vec is a register or an export: X, Y, Z and W.
type vec = [4]uint32

// floats returns the components of v as numbers.
func floats(v vec) (f [4]float32) {
	for i, b := range v {
		f[i] = math.Float32frombits(b)
	}
	return f
}

// Output is what a vertex shader exports of a vertex: the bits of X, Y, Z and W.
type Output struct {
	Position [4]uint32
	Params   [maxParams][4]uint32
}

// wave holds the registers of the threads of a wave, and the resources that they use.
type wave struct {
	m        *Machine
	number   int
	count    int // threads
	gpr      [Threads][gprs]vec
	vertices []Output // of vertex shaders
	pixels   [][2]int // of pixel shaders
	threads  []Thread // of others
	lds      []byte
	wait     func() // for the other waves of the work-group

	pc       int
	active   uint64   // threads that execute
	valid    uint64   // threads that nothing has killed
	passed   uint64   // threads whose predicate is 1
	stack    []uint64 // masks of active threads
	loops    []*loop
	called   bool // whether the fetch shader runs
	spent    int  // instructions and groups
	address  [4][Threads]int32
	previous [transSlot + 1]row
	queue    [Threads][]uint32 // values of LDS that were read
}

// Vertices runs a vertex shader for vertices whose indices GPR 0 has in X. The error is an
// *[Error] of kind [Fault].
func (m *Machine) Vertices(p *Program, indices []uint32) ([]Output, error) {
	out := make([]Output, len(indices))
	w := &wave{}
	for first := 0; first < len(indices); first += Threads {
		w.start(m, first/Threads, min(Threads, len(indices)-first))
		w.vertices = out[first : first+w.count]
		for t := range w.count {
			w.gpr[t][0] = vec{indices[first+t]}
		}
		if err := w.run(p); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// start makes the wave the next one.
func (w *wave) start(m *Machine, number, count int) {
	all := ^uint64(0) >> (Threads - count)
	*w = wave{m: m, number: number, count: count, active: all, valid: all, wait: func() {}}
}

// most is how many instructions and groups a wave executes before it counts as endless.
const most = 1 << 22

// spend counts an instruction or group.
func (w *wave) spend(slot int) error {
	if w.spent++; w.spent > most {
		return faultAt(slot, "", "the wave has executed %d instructions and groups, and does not end", most)
	}
	return nil
}

// run executes a program in order, which is always right: an instruction without BARRIER
// may overlap those before it, and need not (rule FS7).
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

// runFetches executes the fetches of a clause.
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
		w.m.Trace(Event{Wave: w.number, Threads: bits.OnesCount64(w.active), Slot: slot, Clause: clause, Inst: *in})
	}
}

// elements are a wave's elements as dwords, and as components.
type elements [format.MaxComponents][]uint32

func newElements(n int) (e elements) {
	for i := range e {
		e[i] = make([]uint32, n)
	}
	return e
}

// read takes the bytes of element i.
func (e *elements) read(i int, b []byte) {
	for j := 0; j*4 < len(b); j++ {
		var dword [4]byte
		copy(dword[:], b[4*j:])
		e[j][i] = binary.LittleEndian.Uint32(dword[:])
	}
}

// write gives the bytes of element i.
func (e *elements) write(i int, b []byte) {
	for j := range b {
		b[j] = byte(e[j/4][i] >> (8 * (j % 4)))
	}
}

// unpack converts what was read into registers, as DST_SEL says.
func (w *wave) unpack(in *Inst, f *format.Format, words *elements) {
	parts := newElements(w.count)
	src, dst := [4][]uint32(*words), [4][]uint32(parts)
	for c := f.Words; c < len(src); c++ {
		src[c] = nil
	}
	for c := f.Components; c < len(dst); c++ {
		dst[c] = nil
	}
	f.Unpack(&dst, &src)
	for t := range w.count {
		if w.active>>t&1 == 0 {
			continue
		}
		r := &w.gpr[t][in.get(fieldDstGPR)]
		for c, field := range [...]field{fieldDstSelX, fieldDstSelY, fieldDstSelZ, fieldDstSelW} {
			switch sel := in.get(field); sel {
			case sel0:
				r[c] = 0
			case sel1:
				r[c] = f.One
			case selMask:
			default:
				r[c] = parts[sel][t] // 0 if the format does not have it
			}
		}
	}
}

// pick returns a component of a register, or a constant.
func pick(r *vec, sel uint32) uint32 {
	switch sel {
	case sel0:
		return 0
	case sel1:
		return math.Float32bits(1)
	}
	return r[sel]
}

// vertexFetch reads a record of a buffer; beyond its end it is zeros (rule FS3).
func (w *wave) vertexFetch(slot int, in *Inst) error {
	id := in.get(fieldBufferID)
	if int(id) >= len(w.m.Buffers) {
		return faultAt(slot, in.Name, "there is no buffer %d", id)
	}
	b := &w.m.Buffers[id]
	if b.Stride < 0 {
		return faultAt(slot, in.Name, "buffer %d has a stride of %d", id, b.Stride)
	}
	f, err := in.format().lookup()
	if err != nil {
		return faultAt(slot, in.Name, "%v", err)
	}
	words := newElements(w.count)
	for t := range w.count {
		index := pick(&w.gpr[t][in.get(fieldSrcGPR)], in.get(fieldSrcSelX))
		at := uint64(index)*uint64(uint32(b.Stride)) + uint64(in.get(fieldOffset))
		if end := at + uint64(f.Size); end <= uint64(len(b.Data)) {
			words.read(t, b.Data[at:end])
		}
	}
	w.unpack(in, f, &words)
	return nil
}

// sample reads the texel that a coordinate lies in, or the nearest one (rules FS4 and FS8).
func (w *wave) sample(slot int, in *Inst) error {
	fault := func(text string, args ...any) error {
		return faultAt(slot, in.Name, text, args...)
	}
	id, sampler := in.get(fieldResourceID), in.get(fieldSamplerID)
	if int(id) >= len(w.m.Textures) || w.m.Textures[id] == nil {
		return fault("there is no texture %d", id)
	}
	if int(sampler) >= len(w.m.Samplers) {
		return fault("there is no sampler %d", sampler)
	}
	if s := w.m.Samplers[sampler]; s != (Sampler{}) {
		return fault("sampler %d is not modelled: only point filter and the last texel beyond the edges are", sampler)
	}
	img := w.m.Textures[id]
	words := newElements(w.count)
	for t := range w.count {
		r := &w.gpr[t][in.get(fieldSrcGPR)]
		if w.active>>t&1 == 0 {
			continue
		}
		texel, err := img.texel(nearest(pick(r, in.get(fieldSrcSelX)), img.Width),
			nearest(pick(r, in.get(fieldSrcSelY)), img.Height))
		if err != nil {
			return fault("thread %d: %v", t, err)
		}
		words.read(t, texel)
	}
	w.unpack(in, img.format, &words)
	return nil
}

// nearest returns the texel that a coordinate lies in, from 0 to size-1. It returns 0 for NaN.
func nearest(v uint32, size int) int {
	x := math.Floor(float64(math.Float32frombits(v)))
	if !(x > 0) {
		return 0
	}
	return int(min(x, float64(size-1)))
}

// export takes registers out of the program (rule FS2).
func (w *wave) export(s *step) error {
	in := &s.in
	kind := in.get(fieldExportType)
	if w.threads == nil && (kind == exportPixel) != (w.pixels != nil) {
		return faultAt(s.slot, in.Name, "%s is for the other kind of shader", fieldExportType.text(in.Family, kind))
	}
	for i := range in.get(fieldBurstCount) + 1 {
		to := in.get(fieldArrayBase) + i
		out := newElements(w.count)
		for t := range w.count {
			for c, field := range [...]field{fieldSrcSelX, fieldSrcSelY, fieldSrcSelZ, fieldSrcSelW} {
				out[c][t] = pick(&w.gpr[t][in.get(fieldRWGPR)+i], in.get(field))
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

// place returns where thread t exports to.
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

// colour writes texels to a target; outside of it nothing happens.
func (w *wave) colour(s *step, target uint32, at [][2]int, out *elements) error {
	fault := func(what string) error { return faultAt(s.slot, s.in.Name, "%s", what) }
	if int(target) >= len(w.m.Targets) || w.m.Targets[target] == nil {
		return fault(fmt.Sprintf("there is no target %d", target))
	}
	img := w.m.Targets[target]
	words := newElements(w.count)
	dst, src := [4][]uint32(words), [4][]uint32(*out)
	for c := img.format.Words; c < len(dst); c++ {
		dst[c] = nil
	}
	for c := img.format.Components; c < len(src); c++ {
		src[c] = nil
	}
	img.format.Pack(&dst, &src)
	return w.writing(func(t int) error {
		if x, y := at[t][0], at[t][1]; x >= img.Width || y >= img.Height {
			return nil
		}
		texel, err := img.texel(at[t][0], at[t][1])
		if err != nil {
			return fault(fmt.Sprintf("thread %d: %v", t, err))
		}
		words.write(t, texel)
		return nil
	})
}
