package rect

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"math"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/state"
)

// shader is the program of a stage, and the initial state of its waves.
type shader struct {
	program *sim.Program
	vgprs   int
	mode    state.Mode
	user    []uint32
	wave    *state.Wave // reused for each wave
}

// loads reports whether the shader loads from an image or from a buffer with vector instructions.
func (s *shader) loads() bool {
	for _, in := range s.program.Insts(s.program.Base, s.program.End) {
		if isa.Inst(in).Row().Mem.Op == gcn.Load && in.Enc != isa.SMEM {
			return true
		}
	}
	return false
}

// maxCode is the longest shader in bytes. codePiece is how many bytes are read at a time.
const (
	maxCode   = 64 << 10
	codePiece = 256
)

// load reads the shader of a stage.
func (d *Draw) load(stage string, pgmLo, user uint32) (*shader, error) {
	r, t := d.Registers, d.Machine.Target
	first := gcn.RSRC{r.get(pgmLo + rsrc1), r.get(pgmLo + rsrc2)}
	fields := first.Fields(t)
	switch {
	case first[1]&1 != 0:
		return nil, refuse("a %s shader with scratch", stage)
	case fields.UserSGPRs > isa.MaxUserSGPRs:
		return nil, refuse("a %s shader with %d user SGPRs", stage, fields.UserSGPRs)
	}
	addr := (uint64(r.get(pgmLo)) | uint64(r.get(pgmLo+programHi)&0xff)<<32) << 8
	words, err := d.code(addr)
	if err != nil {
		return nil, err
	}
	s := &shader{program: sim.NewProgram(t, addr, words, fields.VGPRs), vgprs: fields.VGPRs}
	s.mode = state.Mode(first[0]>>12&0xff | first[0]>>21&1<<8 | first[0]>>23&1<<9)
	for i := range uint32(fields.UserSGPRs) {
		s.user = append(s.user, r.get(user+4*i))
	}
	return s, nil
}

// code returns the words of a shader. It ends at an s_endpgm behind which no earlier branch leads.
func (d *Draw) code(addr uint64) (words []uint32, err error) {
	far := uint64(0) // farthest target of a branch
	for at := 0; at*4 < maxCode; {
		if len(words) < at+4 { // the longest instruction has three dwords
			var b [codePiece]byte
			n := len(b)
			for n > 0 && d.Memory.Read(b[:n], addr+4*uint64(len(words))) != nil {
				n -= 4 // near the end of the buffer: read less
			}
			for i := 0; i < n; i += 4 {
				words = append(words, binary.LittleEndian.Uint32(b[i:]))
			}
			switch {
			case at == 0 && n == 0:
				return nil, d.Memory.Read(b[:4], addr)
			case at >= len(words):
				return words, nil // a wave that reaches this word reports the error
			}
		}
		in, err := isa.Decode(d.Machine.Target, words[at:])
		if err != nil {
			return words[:at+1], nil //nolint:nilerr // a wave that reaches this word reports the error
		}
		if to, ok := in.BranchTarget(uint64(at) * 4); ok {
			far = max(far, to)
		}
		at += int(in.Size) / 4
		if in.Row().Name == "s_endpgm" && uint64(at)*4 > far {
			return words[:at], nil
		}
	}
	return words, nil
}

// run executes a wave with the given VGPRs and returns its exports. Parameters are interpolated over r.
func (d *Draw) run(ctx context.Context, s *shader, exec uint64, r *rectangle, vgprs ...state.Lanes) ([]state.Export,
	error) {
	if s.wave == nil {
		s.wave = state.NewWave(d.Machine.Target, max(s.vgprs, len(vgprs)))
	}
	w := s.wave
	w.Reset(d.Machine.Target)
	for i := range vgprs {
		w.SetVGPR(i, vgprs[i])
	}
	w.PC, w.Mode = s.program.Base, s.mode
	w.SetExec(exec)
	w.SetSGPRs(0, s.user...)
	for {
		result, err := d.Machine.RunProgram(ctx, s.program, w)
		d.Instructions += result.Instructions
		if err == nil {
			return w.Exports, nil
		}
		f, ok := errors.AsType[*state.Fault](err)
		if !ok || f.Kind != state.FaultUnsupported || r == nil || w.Executed > cmp.Or(d.Machine.Limit, sim.DefaultLimit) {
			return nil, err
		}
		in, ok := s.program.Inst(f.PC)
		if !ok || in.Enc != isa.VINTRP {
			return nil, err
		}
		if err := d.interpolate(w, (*isa.Inst)(&in), r); err != nil {
			return nil, err
		}
		w.PC = f.PC + uint64(in.Size)
		w.Executed++
		d.Instructions++
	}
}

// interpolate executes v_interp_p1_f32, p2 or mov. The attribute at a pixel is P0 + I * P10 + J * P20.
// SPI_PS_INPUT_CNTL maps attributes to parameters of the vertices. Source: GCN3 ISA manual, "Pixel shaders:
// interpolation".
func (d *Draw) interpolate(w *state.Wave, in *isa.Inst, r *rectangle) error {
	attribute, component := in.Get(isa.ATTR), in.Get(isa.ATTRCHAN)
	if attribute >= interpolatorsEnd {
		return refuse("attribute %d", attribute)
	}
	control := d.Registers.get(inputControl + 4*attribute)
	const constant, flat = 1 << 5, 1 << 10
	var p [corners]float32
	switch {
	case control&constant != 0:
		one := control >> 8 & 3
		p[0] = float32(one >> 1) // default values: 0, 0, 0, 0; 0, 0, 0, 1; 1, 1, 1, 0; 1, 1, 1, 1
		if component == 3 {
			p[0] = float32(one & 1)
		}
	default:
		for i := range p {
			p[i] = math.Float32frombits(r.corner[i].params[control&0x1f][component])
		}
		if control&flat == 0 {
			p[1], p[2] = p[1]-p[0], p[2]-p[0]
		} else {
			p[1], p[2] = 0, 0
		}
	}
	dst, src := int(in.Get(isa.VDST)), in.Get(isa.VSRC1)
	old := w.VGPR(dst)
	if in.Row().Has(isa.Parameter) {
		// VSRC selects P10, P20 or P0. A flat parameter is copied bit by bit, because it may be an integer.
		value := math.Float32bits(p[(src+1)%corners])
		if src == 2 && control&constant == 0 {
			value = r.corner[0].params[control&0x1f][component]
		}
		for lane := range old {
			if w.Exec()>>lane&1 != 0 {
				old[lane] = value
			}
		}
		w.SetVGPR(dst, old)
		return nil
	}
	from := w.VGPR(int(src))
	for lane := range old {
		if w.Exec()>>lane&1 == 0 {
			continue
		}
		x := math.Float32frombits(from[lane])
		plane, sum := p[1], p[0] // v_interp_p1_f32
		if in.Row().Has(isa.ReadsDst) {
			plane, sum = p[2], math.Float32frombits(old[lane])
		}
		old[lane] = math.Float32bits(float32(float64(plane)*float64(x) + float64(sum)))
	}
	w.SetVGPR(dst, old)
	return nil
}
