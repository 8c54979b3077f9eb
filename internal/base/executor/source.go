package executor

import (
	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/tool/enum"
	"github.com/gcnsim/gcnsim/internal/tool/rule"
	"github.com/gcnsim/gcnsim/state"
)

// Source returns the 32-bit value of scalar operand code, 0 to 255. literal is the value of [isa.Literal]. Codes that
// [Check] refuses return 0.
func Source(w *state.Wave, code, literal uint32) uint32 {
	if code < isa.NumScalarCodes {
		return w.S[code]
	}
	return constant(w, code, literal)
}

func constant(w *state.Wave, code, literal uint32) uint32 {
	if v, ok := isa.InlineConstant(code, isa.B32); ok {
		return uint32(v)
	}
	switch code {
	case isa.Literal:
		return literal
	case isa.SCC:
		return w.SCC
	case isa.VCCZ:
		return b2u(w.Scalar64(gcn.VCC) == 0)
	case isa.EXECZ:
		return b2u(w.Exec() == 0)
	}
	return uint32(aperture(w, code))
}

// Source64 returns the value of a 64-bit operand of type t: a register pair, a sign-extended integer constant, or a
// floating-point constant in the format of t. A literal is the high half of an F64 operand, otherwise it is
// zero-extended (sign-extended for I64).
func Source64(w *state.Wave, code, literal uint32, t isa.Type) uint64 {
	if code < isa.NumScalarCodes {
		return w.Scalar64(code)
	}
	if v, ok := isa.InlineConstant(code, t); ok {
		return v
	}
	if code == isa.Literal {
		switch t {
		case isa.F64:
			return uint64(literal) << 32
		case isa.I64:
			return uint64(int64(int32(literal)))
		}
		return uint64(literal)
	}
	if a := aperture(w, code); a != 0 {
		return a
	}
	return uint64(constant(w, code, literal))
}

// aperture returns the 64-bit aperture operands of GCN 1.4. A base is in the high dword (rule F11); a limit is the
// last byte of the 4 GiB.
func aperture(w *state.Wave, code uint32) uint64 {
	if !isa.TraitsOf(w.Target).Apertures {
		return 0
	}
	switch code {
	case isa.SharedBase:
		return uint64(w.SharedBase) << 32
	case isa.SharedLimit:
		return uint64(w.SharedBase)<<32 | 0xffffffff
	case isa.PrivateBase:
		return uint64(w.PrivateBase) << 32
	case isa.PrivateLimit:
		return uint64(w.PrivateBase)<<32 | 0xffffffff
	}
	return 0
}

// Check returns a fault if in names a register that a wave with vgprs vector registers does not have, or one that its
// width does not allow. Afterwards executors may index registers without checks. buf is scratch space.
func Check(in *isa.Inst, vgprs int, buf []isa.Operand) *state.Fault {
	return CheckOperands(in, vgprs, in.Operands(buf[:0]))
}

// NotModelled maps operand codes that a generation may have and that do not execute to the text of the fault.
var NotModelled = map[uint16]string{
	isa.POPSExiting: "POPS_EXITING_WAVE_ID is not modelled",
}

// ReadsLDSDirect reports whether SRC0 of in is LDS_DIRECT (rule DP10).
func ReadsLDSDirect(in *isa.Inst) (reads bool) {
	var buf [8]isa.Operand
	for _, o := range in.Operands(buf[:0]) {
		reads = reads || o.Read && o.File == isa.NotReg && o.Code == isa.LDSDirect && o.Field == isa.SRC0
	}
	return reads
}

// fileWords are the names of the register files in messages.
var fileWords = [isa.NumRegFiles]string{isa.SReg: "a scalar register", isa.VReg: "a VGPR"}

var _ = enum.Full(fileWords[:], isa.NotReg, isa.FlagReg)

// CheckOperands does what [Check] does, if the operands of in are known.
func CheckOperands(in *isa.Inst, vgprs int, operands []isa.Operand) *state.Fault {
	for i := range operands {
		o := &operands[i]
		if o.Only != isa.NotReg && o.File != o.Only {
			return NewFault(state.FaultIllegal, "%v of %v must be %s", o.Field, in.Op, fileWords[o.Only])
		}
		if o.Type == isa.Mask && o.File == isa.VReg {
			return NewFault(state.FaultIllegal, "%v of %v is a lane mask, which no VGPR can be", o.Field, in.Op)
		}
		var f *state.Fault
		switch o.File {
		case isa.VReg:
			if code, n := int(o.Code), int(o.Dwords); code+n > vgprs {
				f = NewFault(state.FaultRegister, "%v is v%d of %d dwords, but the wave has only %d VGPRs", o.Field, code, n, vgprs)
			}
		case isa.SReg:
			f = checkScalar(in.Target, o)
		case isa.NotReg:
			f = checkConstant(in.Target, o)
		}
		if f != nil {
			return f
		}
	}
	return nil
}

// checkScalar does what [CheckOperands] does, for scalar registers.
func checkScalar(target gcn.Target, o *isa.Operand) *state.Fault {
	code, n, t := int(o.Code), int(o.Dwords), isa.TraitsOf(target)
	align := 1
	if n >= 4 {
		align = 4
	} else if n >= 2 {
		align = 2
	}
	if code%align != 0 {
		return NewFault(state.FaultRegister, "%v is register %d of %d dwords, which must be a multiple of %d", o.Field,
			code, n, align)
	}
	end := t.SGPRs
	if ttmp := int(t.TTMP); code >= ttmp {
		end = ttmp + t.NumTTMP
	}
	// A pair may be VCC, EXEC or similar; wider operands are SGPRs or TTMPs (rule R8).
	if n > 2 && code+n > end || code+n > isa.NumScalarCodes {
		return NewFault(state.FaultRegister, "%v is s[%d:%d], but %v has only %d SGPRs", o.Field, code, code+n-1, target,
			t.SGPRs)
	}
	return nil
}

// checkConstant does what [CheckOperands] does, for operands that are not registers.
func checkConstant(target gcn.Target, o *isa.Operand) *state.Fault {
	switch {
	case !validConstant(uint32(o.Code), isa.TraitsOf(target)):
		return NewFault(state.FaultIllegal, "operand code %d of %v is not defined on %v", o.Code, o.Field, target)
	case o.Code == isa.LDSDirect && (o.Field != isa.SRC0 || o.Dwords > 1):
		return NewFault(state.FaultIllegal, "%v cannot be LDS_DIRECT, which SRC0 of vector instructions alone reads, as one "+
			"dword ("+rule.DP10+")", o.Field)
	case NotModelled[o.Code] != "":
		return NewFault(state.FaultUnsupported, "%s", NotModelled[o.Code])
	}
	return nil
}

// validConstant reports whether code, 128 or more, is a valid source.
func validConstant(code uint32, t *isa.Traits) bool {
	if _, ok := isa.InlineConstant(code, isa.B32); ok {
		return code != isa.ConstInvTwoPi || t.InvTwoPi
	}
	switch {
	case code >= isa.VCCZ && code <= isa.Literal:
		return true
	case code >= isa.SharedBase && code <= isa.POPSExiting:
		return t.Apertures
	}
	return false
}

func b2u(b bool) uint32 {
	if b {
		return 1
	}
	return 0
}

// Hold allocates the first n VGPRs of w in w.V, at most those that the wave has; they are 0 until they are written.
// Executors require it for the registers that instructions name, and for all if instructions select registers at run
// time.
func Hold(w *state.Wave, n int) {
	if n = min(n, w.NumVGPRs); n > len(w.V) {
		w.SetVGPR(n-1, state.Lanes{})
	}
}
