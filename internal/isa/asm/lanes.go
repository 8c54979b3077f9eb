package asm

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"

	"github.com/gcnsim/gcnsim/internal/isa"
)

// dppShifts are the DPP controls with a count from 1 to 15. The code is base plus the count.
var dppShifts = [...]struct {
	word string
	base uint32
}{{"row_shl", 0x100}, {"row_shr", 0x110}, {"row_ror", 0x120}}

// dppControl is a DPP control without a count: its text in each syntax, and its code.
type dppControl struct {
	words [numSyntaxes]string
	ctrl  uint32
}

// dppFixed are the DPP controls without a count. Source: AMD GCN3 ISA manual, DPP_CTRL.
var dppFixed = [...]dppControl{
	{[...]string{"wave_shl:1", "wave_shl"}, 0x130}, {[...]string{"wave_rol:1", "wave_rol"}, 0x134},
	{[...]string{"wave_shr:1", "wave_shr"}, 0x138}, {[...]string{"wave_ror:1", "wave_ror"}, 0x13c},
	{[...]string{"row_mirror", "row_mirror"}, 0x140}, {[...]string{"row_half_mirror", "row_half_mirror"}, 0x141},
	{[...]string{"row_bcast:15", "row_bcast15"}, 0x142}, {[...]string{"row_bcast:31", "row_bcast31"}, 0x143},
}

func appendDPP(b []byte, in isa.Inst, p *part) []byte {
	v := in.Get(p.field)
	if v < 0x100 {
		b = append(b, " quad_perm:["...)
		for n := range 4 {
			if n > 0 {
				b = append(b, ',')
			}
			b = append(b, '0'+byte(v>>(2*n)&3))
		}
		return append(b, ']')
	}
	for _, shift := range &dppShifts {
		if v > shift.base && v <= shift.base+15 {
			return strconv.AppendUint(append(append(append(b, ' '), shift.word...), ':'), uint64(v-shift.base), 10)
		}
	}
	for n := range dppFixed {
		if f := &dppFixed[n]; v == f.ctrl {
			return append(append(b, ' '), f.words[p.syntax]...)
		}
	}
	switch {
	case p.syntax == CLRX && v == 0x100:
		return b
	case p.syntax == CLRX:
		return appendHex(append(b, " dppctrl:"...), uint64(v))
	case v&^15 == 0x150: // a control of later chips; LLVM prints it so
		return append(b, "  /* row_newbcast/row_share is not supported on ASICs earlier than GFX90A/GFX10 */"...)
	case v&^15 == 0x160:
		return append(b, " /* row_xmask is not supported on ASICs earlier than GFX10 */"...)
	}
	return append(b, " /* Invalid dpp_ctrl value */"...)
}

func (p *parser) dpp(*part) *syntaxError {
	at := p.begin()
	w := p.word()
	if w == "quad_perm" {
		v, err := p.quadPerm()
		p.set(isa.DPPCTRL, v)
		return err
	}
	counts, known := map[int64]uint32{}, ""
	for _, s := range &dppShifts {
		for n := uint32(1); w == s.word && n <= 15; n++ {
			counts[int64(n)], known = s.base+n, "1 to 15"
		}
	}
	for _, f := range &dppFixed {
		if name, count, counted := strings.Cut(f.words[LLVM], ":"); w == name && !counted {
			p.set(isa.DPPCTRL, int64(f.ctrl))
			return nil
		} else if n, _ := strconv.ParseInt(count, 10, 64); w == name {
			counts[n], known = f.ctrl, strings.TrimPrefix(known+" or "+count, " or ")
		}
	}
	if known == "" {
		p.at = at
		return p.errorf(at, "expected a DPP control, as quad_perm:[0,1,2,3] or row_shl:1, found %s", p.found())
	}
	err := p.expect(":")
	if err != nil {
		return err
	}
	at = p.begin()
	n, err := p.known(w)
	ctrl, ok := counts[n]
	if err == nil && !ok {
		err = p.errorf(at, "%s is %d, must be %s", w, n, known)
	}
	p.set(isa.DPPCTRL, int64(ctrl))
	return err
}

func (p *parser) quadPerm() (int64, *syntaxError) {
	v := int64(0)
	for n := range 4 {
		if err := p.expect([...]string{":", ",", ",", ","}[n]); err != nil {
			return 0, err
		}
		if n == 0 {
			if err := p.expect("["); err != nil {
				return 0, err
			}
		}
		x, err := p.integer("quad_perm element", 0, 3)
		if err != nil {
			return 0, err
		}
		v |= x << (2 * n)
	}
	return v, p.expect("]")
}

// dppWordsCLRX maps the first word of a DPP control to its code, or to its base.
var dppWordsCLRX = func() map[string]uint32 {
	words := map[string]uint32{"quad_perm": 0, "dppctrl": 0, "row_bcast": 0, "row_hmirror": 0x141}
	for _, s := range &dppShifts {
		words[s.word] = s.base
	}
	for _, f := range &dppFixed {
		words[f.words[CLRX]] = f.ctrl
	}
	return words
}()

// dppCLRX parses a DPP control.
func (p *parser) dppCLRX(*part) *syntaxError {
	w := p.folded()
	set := func(ctrl int64, err *syntaxError) *syntaxError {
		p.set(isa.DPPCTRL, ctrl)
		return err
	}
	number := func(lo, hi int64) (int64, *syntaxError) {
		if err := p.expect(":"); err != nil {
			return 0, err
		}
		return p.integer(w, lo, hi)
	}
	ctrl := int64(dppWordsCLRX[w])
	switch {
	case w == "quad_perm":
		return set(p.quadPerm())
	case w == "dppctrl":
		p.onlyOurs(true)
		return set(number(0, 511))
	case w == "row_bcast":
		at := p.at
		n, err := number(15, 31)
		if err == nil && n != 15 && n != 31 {
			err = p.errorf(at, "row_bcast is %d, must be 15 or 31", n)
		}
		return set(int64(dppWordsCLRX[fmt.Sprint(w, n)]), err)
	case ctrl < 0x130: // a shift
		n, err := number(1, 15)
		return set(ctrl+n, err)
	case strings.HasPrefix(w, "wave_") && p.peek() == ':':
		_, err := number(1, 1)
		return set(ctrl, err)
	}
	return set(ctrl, nil)
}

const sdwaDWORD = 6

var (
	sdwaSels = [8][numSyntaxes]string{
		{"BYTE_0", "byte0"}, {"BYTE_1", "byte1"}, {"BYTE_2", "byte2"}, {"BYTE_3", "byte3"},
		{"WORD_0", "word0"}, {"WORD_1", "word1"}, {"DWORD", "dword"}, {"invalid_sel_7", "invalid"},
	}
	sdwaUnused = [4][numSyntaxes]string{
		{"UNUSED_PAD", "pad"}, {"UNUSED_SEXT", "sext"}, {"UNUSED_PRESERVE", "preserve"},
		{"UNUSED_PAD", "invalid"}, // reserved
	}
)

// appendSel prints the part of a register that SDWA selects. CLRX omits DWORD, the default.
func appendSel(b []byte, in isa.Inst, p *part) []byte {
	v := in.Get(p.field)
	if v == sdwaDWORD && p.syntax == CLRX {
		return b
	}
	return append(appendKey(b, p), sdwaSels[v&7][p.syntax]...)
}

func appendDstUnused(b []byte, in isa.Inst, p *part) []byte {
	v := in.Get(p.field)
	if v == 0 && p.syntax == CLRX {
		return b
	}
	return append(appendKey(b, p), sdwaUnused[v&3][p.syntax]...)
}

// sel parses the part of a register that SDWA selects. CLRX also accepts byte_0 and b0 for byte0.
func (p *parser) sel(q *part) *syntaxError {
	return p.name(q, sdwaSels[:sdwaDWORD+1], func(w string) string {
		stem := strings.TrimSuffix(strings.TrimRight(w, "0123456789"), "_")
		for _, long := range [...]string{"byte", "word"} {
			if stem == long || stem == long[:1] && w[1] != '_' {
				return long + w[len(w)-1:]
			}
		}
		return w
	})
}

func (p *parser) dstUnused(q *part) *syntaxError {
	return p.name(q, sdwaUnused[:3], func(w string) string { return strings.TrimPrefix(w, "unused_") })
}

// name parses word:NAME. NAME is one of names. In CLRX syntax, usual first converts NAME to one of them. A number may
// replace the name; in CLRX syntax it follows @.
func (p *parser) name(q *part, names [][numSyntaxes]string, usual func(string) string) *syntaxError {
	var number bool
	if p.syntax == CLRX {
		p.folded()
		if err := p.expect(":"); err != nil {
			return err
		}
		number = p.accept("@")
	} else if !p.acceptKey(q.word) {
		return nil
	} else {
		number = !isWordByte(p.peek(), true)
	}
	if number {
		return p.number(q.word, q.field, within(q.word, 0, int64(len(names))-1))
	}
	at := p.begin()
	w := p.folded()
	if p.syntax == CLRX {
		w = usual(w)
	}
	var all []string
	for n, name := range names {
		if w == name[p.syntax] {
			p.set(q.field, int64(n))
			return nil
		}
		all = append(all, name[p.syntax])
	}
	p.at = at
	return p.errorf(at, "%s is %s, must be one of %v", q.word, p.found(), all)
}

// Ranges of OFFSET for the modes of DS_SWIZZLE. Source: rule DS7; names as LLVM prints them.
const (
	swizzleQuad   = 0x8000 // bits 7:0 are a quad permutation
	swizzleRotate = 0xc000 // GCN 1.4: bit 10 direction, bits 9:5 count
	swizzleFFT    = 0xe000 // GCN 1.4: bits 4:0
)

// appendSwizzle prints OFFSET of DS_SWIZZLE as a mode. If the bits do not fit a mode exactly, it prints a number.
func appendSwizzle(b []byte, in isa.Inst, p *part) []byte {
	v := in.Get(p.field)
	if v == 0 {
		return b
	}
	b = appendKey(b, p)
	modes := isa.TraitsOf(in.Target).Apertures // ROTATE and FFT came with GCN 1.4
	switch {
	case v&^31 == swizzleFFT && modes:
		return appendMode(b, "FFT", v&31)
	case v&^0x7e0 == swizzleRotate && modes:
		return appendMode(b, "ROTATE", v>>10&1, v>>5&31)
	case v&0xff00 == swizzleQuad:
		return appendMode(b, "QUAD_PERM", v&3, v>>2&3, v>>4&3, v>>6&3)
	case v >= swizzleQuad:
		return strconv.AppendUint(b, uint64(v), 10) // not a mode
	}
	return appendMasks(b, v)
}

// appendMode prints a swizzle mode with its arguments.
func appendMode(b []byte, name string, args ...uint32) []byte {
	b = append(append(b, "swizzle("...), name...)
	for _, x := range args {
		b = strconv.AppendUint(append(b, ','), uint64(x), 10)
	}
	return append(b, ')')
}

// appendMasks prints a mode with the and, or and xor masks of the lane number.
func appendMasks(b []byte, v uint32) []byte {
	and, or, xor := v&31, v>>5&31, v>>10&31
	group, whole := 32-and, and == 31 && or == 0
	switch {
	case whole && bits.OnesCount32(xor) == 1:
		return appendMode(b, "SWAP", xor)
	case whole && xor != 0 && xor&(xor+1) == 0:
		return appendMode(b, "REVERSE", xor+1)
	case group > 1 && group&(group-1) == 0 && or < group && xor == 0:
		return appendMode(b, "BROADCAST", group, or)
	case or&(and|xor) != 0 || xor&^and != 0: // several masks have the same effect; the pattern means only one of them
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

// swizzle parses offset:N or offset:swizzle(MODE, ...).
func (p *parser) swizzle(q *part) *syntaxError {
	if !p.acceptKey(q.word) {
		return nil
	}
	if !p.call("swizzle") {
		v, err := p.integer("offset", 0, 65535)
		p.set(q.field, v)
		return err
	}
	at := p.begin()
	mode := p.word()
	var v int64
	var err *syntaxError
	switch mode {
	case "BROADCAST", "SWAP", "REVERSE":
		v, err = p.swizzleGroup(mode, at)
	case "BITMASK_PERM":
		v, err = p.bitmaskPerm()
	case "QUAD_PERM":
		v, err = p.swizzleFields(mode, swizzleQuad, []swizzleField{{0, 3}, {2, 3}, {4, 3}, {6, 3}})
	case "FFT", "ROTATE":
		switch {
		case !isa.GenTraits(p.g).Apertures:
			return p.errorf(at, "%v has no %s swizzle", p.g, mode)
		case mode == "FFT":
			v, err = p.swizzleFields(mode, swizzleFFT, []swizzleField{{0, 31}})
		default:
			v, err = p.swizzleFields(mode, swizzleRotate, []swizzleField{{10, 1}, {5, 31}})
		}
	default:
		return p.errorf(at, "swizzle mode is %q, must be QUAD_PERM, BITMASK_PERM, BROADCAST, SWAP, REVERSE, ROTATE or FFT",
			mode)
	}
	if err == nil {
		err = p.expect(")")
	}
	p.set(q.field, v)
	return err
}

// swizzleArg parses the next argument of a swizzle mode.
func (p *parser) swizzleArg(mode string, lo, hi int64) (int64, *syntaxError) {
	if err := p.expect(","); err != nil {
		return 0, err
	}
	return p.integer(mode+" argument", lo, hi)
}

// swizzleField is the position in OFFSET and the largest value of an argument of a mode.
type swizzleField struct{ shift, last int64 }

// swizzleFields parses the arguments of a mode and puts each into its field of OFFSET.
func (p *parser) swizzleFields(mode string, v int64, fields []swizzleField) (int64, *syntaxError) {
	for _, f := range fields {
		x, err := p.swizzleArg(mode, 0, f.last)
		if err != nil {
			return v, err
		}
		v |= x << f.shift
	}
	return v, nil
}

// swizzleGroup parses the arguments of a mode for groups of lanes. The mode begins at byte at.
func (p *parser) swizzleGroup(mode string, at int) (int64, *syntaxError) {
	least, most := int64(2), int64(32)
	if mode == "SWAP" {
		least, most = 1, 16
	}
	size, err := p.swizzleArg(mode, least, most)
	switch {
	case err != nil:
		return 0, err
	case size&(size-1) != 0:
		return 0, p.errorf(at, "group size is %d, must be a power of two", size)
	case mode == "SWAP":
		return 31 | size<<10, nil
	case mode == "REVERSE":
		return 31 | (size-1)<<10, nil
	}
	lane, err := p.swizzleArg(mode, 0, size-1)
	return 32 - size | lane<<5, err
}

// bitmaskPerm parses a string such as "00pip". It has a rule for each bit of the lane number, the highest bit first.
func (p *parser) bitmaskPerm() (int64, *syntaxError) {
	if err := p.expect(","); err != nil {
		return 0, err
	}
	if err := p.expect(`"`); err != nil {
		return 0, err
	}
	at := p.at
	end := strings.IndexByte(p.s[at:], '"')
	if end != 5 {
		return 0, p.errorf(at, "bit mask must be five of 0, 1, p, i in quotes")
	}
	var and, or, xor int64
	for n, c := range p.s[at : at+5] {
		bit := int64(16) >> n
		switch c {
		case '0':
		case '1':
			or |= bit
		case 'p':
			and |= bit
		case 'i':
			and |= bit
			xor |= bit
		default:
			return 0, p.errorf(at+n, "bit mask must be five of 0, 1, p, i in quotes")
		}
	}
	p.at = at + 6
	return and | or<<5 | xor<<10, nil
}
