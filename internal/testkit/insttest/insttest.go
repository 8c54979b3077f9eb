// Package insttest creates random instructions and states for tests of arbitrary instructions.
package insttest

import (
	"math/rand/v2"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/state"
)

// VGPRs is the number of VGPRs of a wave.
const VGPRs = 24

// First SGPRs of the image and sampler descriptors. Random operands avoid these SGPRs.
const imageSGPR, samplerSGPR = 64, 72

// Random returns a random form of op in encoding e. Fields are random, and registers exist in a wave with [VGPRs]
// VGPRs. Image instructions use the descriptors that [Fill] creates. ok is false if the words do not decode to op.
func Random(r *rand.Rand, target gcn.Target, op gcn.Op, e gcn.Encoding) (in isa.Inst, ok bool) {
	in, _ = isa.New(target, op, e)
	_, opcode := in.Fixed()
	for f := range isa.Field(isa.NumFields) {
		shift, width := isa.FieldBits(in.Target.Gen(), e, f)
		if width == 0 || shift < opcode.Shift+opcode.Width && opcode.Shift < shift+width {
			continue
		}
		v := r.Uint64() & (1<<width - 1)
		switch f {
		case isa.SEG, isa.LITERAL:
			continue
		case isa.VDST, isa.VSRC1, isa.ADDR, isa.DATA0, isa.DATA1, isa.VDATA:
			v = r.Uint64N(14)
		case isa.SRC0, isa.SRC1, isa.SRC2:
			v = r.Uint64N(14)
			if width == 9 {
				v = [...]uint64{isa.VGPR0 + v, r.Uint64N(48), gcn.VCC, gcn.EXEC, isa.SCC, isa.VCCZ, isa.ConstHalf, 130}[r.IntN(8)]
			}
		case isa.SSRC0, isa.SSRC1, isa.SOFFSET:
			v = [...]uint64{r.Uint64N(48), gcn.VCC, gcn.EXEC, gcn.M0, isa.SCC, isa.VCCZ, isa.EXECZ, 130}[r.IntN(8)]
			if width == 7 {
				v &= 63
			}
		case isa.SDST, isa.SADDR:
			v = [...]uint64{r.Uint64N(48), r.Uint64N(24) * 2, gcn.VCC}[r.IntN(3)]
		case isa.SBASE:
			v = r.Uint64N(16)
		case isa.SRSRC, isa.SSAMP:
			v = r.Uint64N(8)
			if e == isa.MIMG {
				v = imageSGPR / 4
				if f == isa.SSAMP {
					v = samplerSGPR / 4
				}
			}
		case isa.SIMM16:
			if isa.RowOf(op).Imm == isa.HwregImm {
				v = 3 | v&^63 // TRAPSTS
			}
		case isa.OFFSET:
			v &= 63
		}
		in.Words = in.Words&^((1<<width-1)<<shift) | v<<shift
	}
	if e == isa.EXP {
		in.Words = in.Words&0xffffffff | uint64(r.Uint32())&0x0f0f0f0f<<32
	}
	decoded, err := isa.Decode(target, []uint32{uint32(in.Words), uint32(in.Words >> 32)})
	if err != nil || decoded.Op != op || decoded.Enc != e && !(e == isa.VOP3B && decoded.Enc == isa.VOP3A) {
		return in, false
	}
	return decoded, executor.Check(&decoded, VGPRs, nil) == nil
}

// Fill randomizes the state of w: addresses near the start of memory, an image of a random type, which it returns,
// and a sampler.
func Fill(r *rand.Rand, w *state.Wave) (kind gcn.ImageType) {
	value := func() uint32 {
		if r.IntN(4) == 0 {
			return r.Uint32()
		}
		return r.Uint32N(1<<12) * 4
	}
	w.Reset(w.Target)
	for i := range w.V {
		for lane := range w.V[i] {
			w.V[i][lane] = value()
		}
	}
	for i := range w.S {
		w.S[i] = r.Uint32N(1 << 8)
	}
	w.SetExec(r.Uint64() | r.Uint64())
	w.SetScalar64(gcn.VCC, r.Uint64())
	w.SCC = r.Uint32N(2)
	w.S[gcn.M0] = 0
	if isa.TraitsOf(w.Target).FlatScratchIsAddr {
		w.SetFlatScratch(0x4000)
	}
	w.SharedBase, w.PrivateBase = 1, 2
	w.PC = 0x100
	kind = [...]gcn.ImageType{gcn.Image1D, gcn.Image2D, gcn.Image3D, gcn.Image2DArray, gcn.ImageCube}[r.IntN(5)]
	img := gcn.Image{Base: 0x2000, Type: kind, Width: 4, Height: 4, DataFormat: 10, NumFormat: 4,
		DstSel: [4]gcn.Sel{4, 5, 6, 7}}
	if kind == gcn.Image1D {
		img.Height = 1
	}
	if kind == gcn.Image3D || kind == gcn.Image2DArray {
		img.Depth = 4
	}
	if kind == gcn.ImageCube {
		img.Depth = 6
	}
	if !isa.GenTraits(w.Target.Gen()).SwizzleModes {
		img.TileMode = 8
	}
	copy(w.S[imageSGPR:], img.Words(w.Target.Gen()))
	copy(w.S[samplerSGPR:], gcn.SamplerState{}.Words(w.Target.Gen()))
	return kind
}
