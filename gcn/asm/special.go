package asm

import (
	"math/bits"
	"strconv"

	"github.com/gcnsim/gcnsim/gcn"
)

// appendSpecial prints the operands that are written as expressions of their own.
func appendSpecial(b []byte, in gcn.Inst, p *part) []byte {
	v := in.Get(p.field)
	switch p.kind {
	case waitcnt:
		return appendWaitcnt(b, in.Target.Gen(), v)
	case hwreg:
		return appendHwreg(b, in.Target.Gen(), v)
	case sendmsg:
		return appendSendmsg(b, in.Target.Gen(), v)
	case gprIndex:
		return appendGPRIndex(b, v)
	case format:
		return appendFormat(b, in)
	case expTarget:
		return appendTarget(b, v)
	case expSource:
		return appendExpSource(b, in, p)
	case interpParam:
		return appendParam(b, v)
	case interpAttr:
		return appendAttr(b, in, p)
	}
	return b
}

// A counter is one field of S_WAITCNT's SIMM16, which may be split: low bits first.
type counter struct {
	name                   string
	shift, width, hi, more uint8
	max                    func(*gcn.Traits) uint8
}

// counters are the fields of S_WAITCNT. Source: rule W1.
var counters = [...]counter{
	{"vmcnt", 0, 4, 14, 2, func(t *gcn.Traits) uint8 { return t.MaxVM }},
	{"expcnt", 4, 3, 0, 0, func(t *gcn.Traits) uint8 { return t.MaxEXP }},
	{"lgkmcnt", 8, 4, 0, 0, func(*gcn.Traits) uint8 { return 15 }}, // rule K7
}

func (c *counter) get(v uint32, top uint8) uint8 {
	n := v >> c.shift & (1<<c.width - 1)
	if c.more != 0 {
		n |= v >> c.hi & (1<<c.more - 1) << c.width
	}
	return uint8(n) & top
}

func (c *counter) set(v uint32, n uint8) uint32 {
	v = v&^((1<<c.width-1)<<c.shift) | uint32(n)&(1<<c.width-1)<<c.shift
	if c.more != 0 {
		v = v&^((1<<c.more-1)<<c.hi) | uint32(n)>>c.width<<c.hi
	}
	return v
}

// allIdle is SIMM16 with every counter at its maximum: wait for nothing.
func allIdle(g gcn.Gen) (v uint32) {
	for n := range counters {
		v = counters[n].set(v, counters[n].max(g.Traits()))
	}
	return v
}

// appendWaitcnt prints the counters that are waited for, or all if none is. A number keeps
// bits that are of no counter.
func appendWaitcnt(b []byte, g gcn.Gen, v uint32) []byte {
	t := g.Traits()
	idle := allIdle(g)
	if v&^idle != 0 {
		return appendHex(b, uint64(v))
	}
	all, sep := v == idle, ""
	for n := range counters {
		c := &counters[n]
		top := c.max(t)
		if got := c.get(v, top); all || got != top {
			b = append(append(append(b, sep...), c.name...), '(')
			b = append(strconv.AppendUint(b, uint64(got), 10), ')')
			sep = " "
		}
	}
	return b
}

// hwregNames are the hardware registers of S_GETREG and S_SETREG; those from 15 on exist
// where there are apertures in registers. Source: rule ST8; LLVM's names.
var hwregNames = [20]string{
	1: "HW_REG_MODE", 2: "HW_REG_STATUS", 3: "HW_REG_TRAPSTS", 4: "HW_REG_HW_ID", 5: "HW_REG_GPR_ALLOC", 6: "HW_REG_LDS_ALLOC", 7: "HW_REG_IB_STS",
	15: "HW_REG_SH_MEM_BASES", 16: "HW_REG_TBA_LO", 17: "HW_REG_TBA_HI", 18: "HW_REG_TMA_LO", 19: "HW_REG_TMA_HI",
}

// hwregName returns the name of hardware register id on g, "" if it has none.
func hwregName(g gcn.Gen, id uint32) string {
	if int(id) >= len(hwregNames) || id >= 15 && !g.Traits().Apertures {
		return ""
	}
	return hwregNames[id]
}

func appendHwreg(b []byte, g gcn.Gen, v uint32) []byte {
	id, offset, size := v&63, v>>6&31, v>>11&31+1
	b = append(b, "hwreg("...)
	if name := hwregName(g, id); name != "" {
		b = append(b, name...)
	} else {
		b = strconv.AppendUint(b, uint64(id), 10)
	}
	if offset != 0 || size != 32 {
		b = strconv.AppendUint(append(b, ", "...), uint64(offset), 10)
		b = strconv.AppendUint(append(b, ", "...), uint64(size), 10)
	}
	return append(b, ')')
}

// message describes a message of S_SENDMSG: since which generation it exists, and its
// operations.
type message struct {
	name   string
	since  gcn.Gen
	ops    []string // by operation number; nil: takes none
	stream bool     // operations other than 0 name a stream
	none   bool     // operation 0 is allowed
}

func gsOps() []string { return []string{"GS_OP_NOP", "GS_OP_CUT", "GS_OP_EMIT", "GS_OP_EMIT_CUT"} }
func sysOps() []string {
	return []string{1: "SYSMSG_OP_ECC_ERR_INTERRUPT", 2: "SYSMSG_OP_REG_RD", 3: hostTrapAck, 4: "SYSMSG_OP_TTRACE_PC"}
}

// messages are the messages by number. Source: AMD GCN ISA manuals, S_SENDMSG; LLVM's names.
var messages = [16]message{
	1:  {name: "MSG_INTERRUPT"},
	2:  {name: "MSG_GS", ops: gsOps(), stream: true},
	3:  {name: "MSG_GS_DONE", ops: gsOps(), stream: true, none: true},
	4:  {name: "MSG_SAVEWAVE", since: gcn.GCN12},
	5:  {name: "MSG_STALL_WAVE_GEN", since: gcn.GCN14},
	6:  {name: "MSG_HALT_WAVES", since: gcn.GCN14},
	7:  {name: "MSG_ORDERED_PS_DONE", since: gcn.GCN14},
	8:  {name: "MSG_EARLY_PRIM_DEALLOC", since: gcn.GCN14},
	9:  {name: "MSG_GS_ALLOC_REQ", since: gcn.GCN14},
	10: {name: "MSG_GET_DOORBELL", since: gcn.GCN14},
	15: {name: "MSG_SYSMSG", ops: sysOps()},
}

// hostTrapAck is an operation that GCN 1.4 no longer has.
const hostTrapAck = "SYSMSG_OP_HOST_TRAP_ACK"

// hasOp reports whether message m takes operation op.
func (m *message) hasOp(op uint32, g gcn.Gen) bool {
	if m.ops == nil {
		return op == 0
	}
	return int(op) < len(m.ops) && m.ops[op] != "" && (op != 0 || m.none) && !(m.ops[op] == hostTrapAck && g >= gcn.GCN14)
}

func appendSendmsg(b []byte, g gcn.Gen, v uint32) []byte {
	id, op, stream := v&15, v>>4&7, v>>8&3
	m := &messages[id]
	if m.name != "" && m.since <= g && m.hasOp(op, g) && (stream == 0 || m.stream && op != 0) {
		b = append(append(b, "sendmsg("...), m.name...)
		if m.ops != nil {
			b = append(append(b, ", "...), m.ops[op]...)
			if m.stream && op != 0 {
				b = strconv.AppendUint(append(b, ", "...), uint64(stream), 10)
			}
		}
		return append(b, ')')
	}
	if v != id|op<<4|stream<<8 {
		return strconv.AppendUint(b, uint64(v), 10)
	}
	b = strconv.AppendUint(append(b, "sendmsg("...), uint64(id), 10)
	b = strconv.AppendUint(append(b, ", "...), uint64(op), 10)
	b = strconv.AppendUint(append(b, ", "...), uint64(stream), 10)
	return append(b, ')')
}

// gprIndexModes are the bits of the VGPR index mode (S_SET_GPR_IDX_ON).
var gprIndexModes = [4]string{"SRC0", "SRC1", "SRC2", "DST"}

func appendGPRIndex(b []byte, v uint32) []byte {
	if v > 15 {
		return appendHex(b, uint64(v))
	}
	b = append(b, "gpr_idx("...)
	sep := ""
	for n, name := range gprIndexModes {
		if v>>n&1 != 0 {
			b = append(append(b, sep...), name...)
			sep = ","
		}
	}
	return append(b, ')')
}

// The formats of MTBUF as LLVM names them: codes without a name have one there, and so
// has number format 6, which is SNORM_OGL before GCN 1.2.
var (
	dfmtNames = func() (names [16]string) {
		for code := range names {
			names[code] = gcn.DataFormatName(uint8(code))
		}
		names[0], names[15] = "INVALID", "RESERVED_15"
		return names
	}()
	nfmtNames = func() (names [8]string) {
		for code := range names {
			names[code] = gcn.NumFormatName(uint8(code))
		}
		names[snormOGL] = "RESERVED_6"
		return names
	}()
)

const (
	dfmtPrefix  = gcn.DataFormatPrefix
	nfmtPrefix  = gcn.NumFormatPrefix
	snormOGL    = 6 // the number format whose name changed
	defaultDFMT = 1 // BUF_DATA_FORMAT_8, with UNORM: not printed
)

func nfmtName(g gcn.Gen, n uint32) string {
	if n == snormOGL && g.Traits().SnormOGL {
		return gcn.NumFormatName(snormOGL)
	}
	return nfmtNames[n]
}

func appendFormat(b []byte, in gcn.Inst) []byte {
	d, n := in.Get(gcn.DFMT), in.Get(gcn.NFMT)
	b = append(b, " format:["...)
	if d != defaultDFMT {
		b = append(append(b, dfmtPrefix...), dfmtNames[d]...)
		if n != 0 {
			b = append(b, ',')
		}
	}
	if n != 0 {
		b = append(append(b, nfmtPrefix...), nfmtName(in.Target.Gen(), n)...)
	}
	return append(b, ']')
}

// expTargets are the export targets: a range of codes, numbered unless it is one.
// Source: AMD GCN ISA manuals, EXP.
var expTargets = [...]struct {
	name        string
	first, last uint32
}{{"mrt", 0, 7}, {"mrtz", 8, 8}, {"null", 9, 9}, {"pos", 12, 15}, {"param", 32, 63}}

func appendTarget(b []byte, v uint32) []byte {
	for _, t := range &expTargets {
		if v >= t.first && v <= t.last {
			b = append(b, t.name...)
			if t.first != t.last {
				b = strconv.AppendUint(b, uint64(v-t.first), 10)
			}
			return b
		}
	}
	return strconv.AppendUint(append(b, "invalid_target_"...), uint64(v), 10)
}

// appendExpSource prints source p.src of an export: VSRC0 to VSRC3 are bytes of the
// second word; with COMPR the first two serve two channels each.
func appendExpSource(b []byte, in gcn.Inst, p *part) []byte {
	if in.Get(gcn.EN)>>p.src&1 == 0 {
		return append(b, "off"...)
	}
	reg := p.src
	if in.Bool(gcn.COMPR) {
		reg /= 2
	}
	return appendVGPR(b, uint32(in.Words>>(32+8*reg)&0xff), 1)
}

var interpParams = [3]string{"p10", "p20", "p0"}

func appendParam(b []byte, v uint32) []byte {
	if int(v) < len(interpParams) {
		return append(b, interpParams[v]...)
	}
	return strconv.AppendUint(append(b, "invalid_param_"...), uint64(v), 10)
}

const attrChans = "xyzw"

// appendAttr prints an attribute and its channel. In VOP3 both are in SRC0.
func appendAttr(b []byte, in gcn.Inst, p *part) []byte {
	attr, ch := in.Get(gcn.ATTR), in.Get(gcn.ATTRCHAN)
	if p.field == gcn.SRC0 {
		attr, ch = in.Get(gcn.SRC0)&63, in.Get(gcn.SRC0)>>6&3
	}
	b = strconv.AppendUint(append(b, "attr"...), uint64(attr), 10)
	return append(b, '.', attrChans[ch])
}

// dppShifts are the DPP controls with a count: base+1 to base+15.
var dppShifts = [...]struct {
	word string
	base uint32
}{{"row_shl", 0x100}, {"row_shr", 0x110}, {"row_ror", 0x120}}

// dppControl is the text of a DPP control without a free count, and its code.
type dppControl struct {
	word string
	ctrl uint32
}

// dppFixed are the DPP controls without a free count. Source: AMD GCN3 ISA manual, DPP_CTRL.
var dppFixed = [...]dppControl{
	{"wave_shl:1", 0x130}, {"wave_rol:1", 0x134}, {"wave_shr:1", 0x138}, {"wave_ror:1", 0x13c},
	{"row_mirror", 0x140}, {"row_half_mirror", 0x141}, {"row_bcast:15", 0x142}, {"row_bcast:31", 0x143},
}

func appendDPP(b []byte, v uint32) []byte {
	if v < 0x100 {
		b = append(b, "quad_perm:["...)
		for n := range 4 {
			if n > 0 {
				b = append(b, ',')
			}
			b = append(b, '0'+byte(v>>(2*n)&3))
		}
		return append(b, ']')
	}
	for _, s := range &dppShifts {
		if v > s.base && v <= s.base+15 {
			return strconv.AppendUint(append(append(b, s.word...), ':'), uint64(v-s.base), 10)
		}
	}
	for _, f := range &dppFixed {
		if v == f.ctrl {
			return append(b, f.word...)
		}
	}
	switch v &^ 15 { // LLVM says so of what later chips have
	case 0x150:
		return append(b, " /* row_newbcast/row_share is not supported on ASICs earlier than GFX90A/GFX10 */"...)
	case 0x160:
		return append(b, "/* row_xmask is not supported on ASICs earlier than GFX10 */"...)
	}
	return append(b, "/* Invalid dpp_ctrl value */"...)
}

// Ranges of OFFSET of DS_SWIZZLE. Source: rule DS7; names as LLVM prints them.
const (
	swizzleQuad   = 0x8000 // and the 8 bits of a quad permutation
	swizzleRotate = 0xc000 // GCN 1.4: bit 10 direction, bits 9:5 count
	swizzleFFT    = 0xe000 // GCN 1.4: bits 4:0
)

func appendSwizzle(b []byte, in gcn.Inst, v uint32) []byte {
	if v == 0 {
		return b
	}
	and, or, xor := v&31, v>>5&31, v>>10&31
	group := 32 - and
	b = append(b, " offset:"...)
	num := func(name string, a ...uint32) []byte {
		b = append(append(b, "swizzle("...), name...)
		for _, x := range a {
			b = strconv.AppendUint(append(b, ','), uint64(x), 10)
		}
		return append(b, ')')
	}
	modes := in.Target.Traits().Apertures // ROTATE and FFT came with GCN 1.4
	switch {
	case v&^31 == swizzleFFT && modes:
		return num("FFT", v&31)
	case v&^0x7e0 == swizzleRotate && modes:
		return num("ROTATE", v>>10&1, v>>5&31)
	case v&0xff00 == swizzleQuad:
		return num("QUAD_PERM", v&3, v>>2&3, v>>4&3, v>>6&3)
	case v >= swizzleQuad:
		return strconv.AppendUint(b, uint64(v), 10) // no mode
	case and == 31 && or == 0 && bits.OnesCount32(xor) == 1:
		return num("SWAP", xor)
	case and == 31 && or == 0 && xor != 0 && xor&(xor+1) == 0:
		return num("REVERSE", xor+1)
	case group > 1 && group&(group-1) == 0 && or < group && xor == 0:
		return num("BROADCAST", group, or)
	}
	if or&(and|xor) != 0 || xor&^and != 0 { // several masks do the same; a pattern means one of them
		return strconv.AppendUint(b, uint64(v), 10)
	}
	b = append(b, `swizzle(BITMASK_PERM,"`...)
	for bit := uint32(16); bit != 0; bit >>= 1 {
		switch {
		case or&bit != 0:
			b = append(b, '1')
		case xor&bit != 0:
			b = append(b, 'i')
		case and&bit != 0:
			b = append(b, 'p')
		default:
			b = append(b, '0')
		}
	}
	return append(b, `")`...)
}
