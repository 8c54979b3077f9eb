package asm

import (
	"encoding/binary"
	"fmt"
	"sort"
	"strings"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa"
)

// Kernel has the values of the directives about a kernel, from .amdhsa_kernel, or from
// .amd_kernel_code_t before the code in code objects of version 2.
// Source: LLVM AMDGPUUsage, "Kernel Descriptor" and "amd_kernel_code_t".
type Kernel struct {
	Name       string
	Line       int  // line of the directive
	Entry      int  // byte offset of its code from the first word
	Descriptor int  // byte offset of its descriptor from the first word
	CodeT      bool // the descriptor is an amd_kernel_code_t

	GroupBytes, PrivateBytes, KernargBytes uint32
	RSRC1, RSRC2, RSRC3                    uint32 // COMPUTE_PGM_RSRC1 to 3
	Properties                             uint32 // KERNEL_CODE_PROPERTIES
}

// kernel is a kernel during assembly.
type kernel struct {
	Kernel
	place amount  // address of the descriptor
	entry *symbol // symbol of the code; nil if the code follows the descriptor
	set   []setting
	col   int
}

// setting is a field of a descriptor and its value.
type setting struct {
	name      string
	field     descriptorField
	v         value
	line, col int
}

// descriptorField is a field of a kernel descriptor.
type descriptorField struct {
	at           int // byte offset, or noByte
	shift, width uint8
	sgprs        uint8   // number of user SGPRs for the value 1
	from         gcn.Gen // the first generation with this field
}

// noByte marks a value that is not stored itself, but from which a field is computed.
const noByte = -1

// Byte offsets in a kernel descriptor. The resource registers and the properties have the same
// offsets in an amd_kernel_code_t.
const (
	descriptorBytes = 64
	descriptorEntry = 16
	descriptorRSRC3 = 44
	descriptorRSRC1 = 48
	descriptorRSRC2 = 52
	descriptorProps = 56
)

// kernelFields are the directives of .amdhsa_kernel that set a single field.
var kernelFields = map[string]descriptorField{
	"group_segment_fixed_size":         {at: 0, width: 32},
	"private_segment_fixed_size":       {at: 4, width: 32},
	"kernarg_size":                     {at: 8, width: 32},
	"float_round_mode_32":              {at: descriptorRSRC1, shift: 12, width: 2},
	"float_round_mode_16_64":           {at: descriptorRSRC1, shift: 14, width: 2},
	"float_denorm_mode_32":             {at: descriptorRSRC1, shift: 16, width: 2},
	"float_denorm_mode_16_64":          {at: descriptorRSRC1, shift: 18, width: 2},
	"dx10_clamp":                       {at: descriptorRSRC1, shift: 21, width: 1},
	"ieee_mode":                        {at: descriptorRSRC1, shift: 23, width: 1},
	"fp16_overflow":                    {at: descriptorRSRC1, shift: 26, width: 1, from: gcn.GCN14},
	"system_sgpr_workgroup_id_x":       {at: descriptorRSRC2, shift: 7, width: 1},
	"system_sgpr_workgroup_id_y":       {at: descriptorRSRC2, shift: 8, width: 1},
	"system_sgpr_workgroup_id_z":       {at: descriptorRSRC2, shift: 9, width: 1},
	"system_sgpr_workgroup_info":       {at: descriptorRSRC2, shift: 10, width: 1},
	"system_vgpr_workitem_id":          {at: descriptorRSRC2, shift: 11, width: 2},
	"exception_fp_ieee_invalid_op":     {at: descriptorRSRC2, shift: 24, width: 1},
	"exception_fp_denorm_src":          {at: descriptorRSRC2, shift: 25, width: 1},
	"exception_fp_ieee_div_zero":       {at: descriptorRSRC2, shift: 26, width: 1},
	"exception_fp_ieee_overflow":       {at: descriptorRSRC2, shift: 27, width: 1},
	"exception_fp_ieee_underflow":      {at: descriptorRSRC2, shift: 28, width: 1},
	"exception_fp_ieee_inexact":        {at: descriptorRSRC2, shift: 29, width: 1},
	"exception_int_div_zero":           {at: descriptorRSRC2, shift: 30, width: 1},
	"user_sgpr_private_segment_buffer": {at: descriptorProps, shift: 0, width: 1, sgprs: 4},
	"user_sgpr_dispatch_ptr":           {at: descriptorProps, shift: 1, width: 1, sgprs: 2},
	"user_sgpr_queue_ptr":              {at: descriptorProps, shift: 2, width: 1, sgprs: 2},
	"user_sgpr_kernarg_segment_ptr":    {at: descriptorProps, shift: 3, width: 1, sgprs: 2},
	"user_sgpr_dispatch_id":            {at: descriptorProps, shift: 4, width: 1, sgprs: 2},
	"user_sgpr_flat_scratch_init":      {at: descriptorProps, shift: 5, width: 1, sgprs: 2},
	"user_sgpr_private_segment_size":   {at: descriptorProps, shift: 6, width: 1, sgprs: 1},
	"uses_dynamic_stack":               {at: descriptorProps, shift: 11, width: 1},

	"system_sgpr_private_segment_wavefront_offset": {at: descriptorRSRC2, shift: 0, width: 1},

	// Inputs for the numbers of registers and user SGPRs.
	"user_sgpr_count":      {at: noByte, width: 5},
	"next_free_vgpr":       {at: noByte, width: 32},
	"next_free_sgpr":       {at: noByte, width: 32},
	"reserve_vcc":          {at: noByte, width: 1},
	"reserve_flat_scratch": {at: noByte, width: 1, from: gcn.GCN11},
	"reserve_xnack_mask":   {at: noByte, width: 1, from: gcn.GCN12},
}

// The fields for numbers of registers.
var (
	fieldVGPRs     = descriptorField{at: descriptorRSRC1, shift: 0, width: 6}
	fieldSGPRs     = descriptorField{at: descriptorRSRC1, shift: 6, width: 4}
	fieldUserSGPRs = descriptorField{at: descriptorRSRC2, shift: 1, width: 5}
)

// put writes v to its field in descriptor b.
func (f descriptorField) put(b []byte, v int64) {
	var raw [8]byte
	n := copy(raw[:], b[f.at:])
	mask := (uint64(1)<<f.width - 1) << f.shift
	word := binary.LittleEndian.Uint64(raw[:])&^mask | uint64(v)<<f.shift&mask
	binary.LittleEndian.PutUint64(raw[:], word)
	copy(b[f.at:f.at+n], raw[:])
}

const amdhsa = ".amdhsa_"

// beginKernel executes .amdhsa_kernel NAME. It reads the fields that follow and adds the
// descriptor of the kernel to the section.
func (a *assembler) beginKernel(_ string, c *cursor, at int) *Error {
	name := c.wordOrQuoted()
	if name == "" {
		return a.fail(c.at, "expected the name of a kernel, found "+c.found(), nil)
	}
	k := &kernel{Kernel: Kernel{Name: name}, entry: a.lookup(name, at)}
	k.Line, k.col = a.position(at)
	return a.beginBlock(".end_amdhsa_kernel", at, func(c *cursor) *Error { return a.kernelField(k, c) }, func() *Error {
		if err := a.reserve(k, name+".kd", descriptorBytes, at); err != nil {
			return err
		}
		b := k.place.from.data[k.place.n:]
		kernelFields["float_denorm_mode_16_64"].put(b, 3)
		for _, name := range [...]string{"dx10_clamp", "ieee_mode", "system_sgpr_workgroup_id_x"} {
			kernelFields[name].put(b, 1)
		}
		return nil
	})
}

// reserve reserves the bytes of the descriptor of k and defines symbol there.
func (a *assembler) reserve(k *kernel, symbol string, size, at int) *Error {
	if symbol != "" {
		if err := a.defineLabel(symbol, at); err != nil {
			return err
		}
	}
	a.mark()
	k.place = a.sec.here()
	if _, err := a.emit(size, at); err != nil {
		return err
	}
	a.kernels = append(a.kernels, k)
	return nil
}

// kernelField reads a line inside .amdhsa_kernel.
func (a *assembler) kernelField(k *kernel, c *cursor) *Error {
	at := c.begin()
	name := c.word()
	short, ours := strings.CutPrefix(name, amdhsa)
	f, ok := kernelFields[short]
	g := a.target.Gen()
	switch {
	case !ours || !ok:
		return a.fail(at, "unknown directive "+name+" in .amdhsa_kernel; it may be one of chips "+
			"after "+gcn.GFX909.String(), nil)
	case g < f.from:
		return a.fail(at, fmt.Sprintf("%s exists from %v on, not on %v", name, f.from, a.target), nil)
	}
	for _, s := range k.set {
		if s.name == short {
			return a.fail(at, name+" is there twice", nil)
		}
	}
	s, err := a.setting(short, f, c)
	if err == nil {
		k.set = append(k.set, s)
	}
	return err
}

// setting parses the value of field f up to the end of the line. name is the name of the field.
func (a *assembler) setting(name string, f descriptorField, c *cursor) (setting, *Error) {
	v, at, err := c.integral(name)
	if err == nil {
		err = c.finish()
	}
	if err != nil {
		return setting{}, a.located(err)
	}
	s := setting{name: name, field: f, v: v}
	s.line, s.col = a.position(at)
	return s, nil
}

// number returns the value of s, which must be at least lo and fit its field.
func (a *assembler) number(s *setting, lo int64) (int64, *Error) {
	n := s.v.i
	if s.v.e != nil {
		x, failed := a.eval(s.v.e)
		switch {
		case failed != nil:
			return 0, a.noValue(failed, s.line, s.col)
		case x.from != nil:
			return 0, a.failAt(s.line, s.col, s.name+" must be a number, not an address", nil)
		}
		n = x.n
	}
	if hi := int64(1)<<s.field.width - 1; s.field.width < 63 && (n < lo || n > hi) {
		return 0, a.failAt(s.line, s.col, fmt.Sprintf("%s is %d, must be %d to %d", s.name, n, lo, hi), nil)
	}
	return n, nil
}

// finishKernels writes the descriptors.
func (a *assembler) finishKernels() *Error {
	for _, k := range a.kernels {
		fill := a.fillDescriptor
		if k.CodeT {
			fill = a.fillCodeT
		}
		if err := fill(k); err != nil {
			return err
		}
	}
	return nil
}

// address returns the byte offset of p from the first word.
func address(p amount) int { return int((&evaluator{when: final}).placed(p).n) }

func (a *assembler) fillDescriptor(k *kernel) *Error {
	b := k.place.from.data[k.place.n:]
	if k.entry.kind != label || k.entry.place.from.sec.kind != codeSection {
		return a.failAt(k.Line, k.col, "kernel "+k.Name+" has no code: there is no label "+k.Name+" in a section of code",
			nil)
	}
	k.Descriptor, k.Entry = address(k.place), address(k.entry.place)
	binary.LittleEndian.PutUint64(b[descriptorEntry:], uint64(k.Entry-k.Descriptor))
	given := map[string]int64{"reserve_vcc": 1, "reserve_flat_scratch": 1}
	implied := int64(0)
	for i := range k.set {
		s := &k.set[i]
		n, err := a.number(s, 0)
		if err != nil {
			return err
		}
		given[s.name] = n
		if s.field.at != noByte {
			s.field.put(b, n)
			implied += n * int64(s.field.sgprs)
		}
	}
	if err := a.countRegisters(k, b, given, implied); err != nil {
		return err
	}
	le := binary.LittleEndian
	k.GroupBytes, k.PrivateBytes, k.KernargBytes = le.Uint32(b), le.Uint32(b[4:]), le.Uint32(b[8:])
	k.RSRC1, k.RSRC2, k.RSRC3 = le.Uint32(b[descriptorRSRC1:]), le.Uint32(b[descriptorRSRC2:]),
		le.Uint32(b[descriptorRSRC3:])
	k.Properties = uint32(le.Uint16(b[descriptorProps:]))
	return nil
}

// Granularity of register counts. A descriptor has the number of steps, less one. Source: LLVM
// AMDGPUUsage, "GRANULATED_WORKITEM_VGPR_COUNT" and "GRANULATED_WAVEFRONT_SGPR_COUNT".
const (
	vgprStep = 4
	sgprStep = 8
	maxVGPRs = 256
)

// countRegisters sets the numbers of VGPRs and SGPRs in a descriptor. The SGPRs include those for VCC,
// FLAT_SCRATCH and XNACK_MASK.
func (a *assembler) countRegisters(k *kernel, b []byte, given map[string]int64, implied int64) *Error {
	fail := func(name, f string, args ...any) *Error {
		line, col := k.Line, k.col
		for i := range k.set {
			if k.set[i].name == name {
				line, col = k.set[i].line, k.set[i].col
			}
		}
		return a.failAt(line, col, fmt.Sprintf(f, args...), nil)
	}
	for _, name := range [...]string{"next_free_vgpr", "next_free_sgpr"} {
		if _, ok := given[name]; !ok {
			return fail("", "kernel %s needs %s%s", k.Name, amdhsa, name)
		}
	}
	vgprs, sgprs := given["next_free_vgpr"], given["next_free_sgpr"]
	if vgprs > maxVGPRs {
		return fail("next_free_vgpr", "next_free_vgpr is %d, must be 0 to %d", vgprs, maxVGPRs)
	}
	if xnack, ok := given["reserve_xnack_mask"]; ok && xnack != b2i(a.xnack()) {
		return fail("reserve_xnack_mask", "reserve_xnack_mask is %d, but for this target it is %d; .amdgcn_target says "+
			"otherwise with :xnack+ or :xnack-", xnack, b2i(a.xnack()))
	}
	extra := extraSGPRs(a.target, given["reserve_vcc"] != 0, given["reserve_flat_scratch"] != 0, a.xnack())
	most, total := int64(isa.TraitsOf(a.target).SGPRs), sgprs
	fixed := int64(isa.TraitsOf(a.target).FixedSGPRs)
	if fixed > 0 {
		most = fixed
	}
	if a.target.Gen() < gcn.GCN12 || fixed > 0 { // from GCN 1.2 on, VCC, FLAT_SCRATCH and XNACK_MASK need no SGPRs here
		total += int64(extra)
	}
	if total > most {
		return fail("next_free_sgpr", "next_free_sgpr is %d, which makes %d SGPRs; a wave has %d", sgprs, total, most)
	}
	sgprs += int64(extra)
	if fixed > 0 {
		sgprs = fixed
	}
	fieldVGPRs.put(b, (max(vgprs, 1)-1)/vgprStep)
	fieldSGPRs.put(b, (max(sgprs, 1)-1)/sgprStep)
	users, ok := given["user_sgpr_count"]
	if !ok {
		users = implied
	}
	if users < implied {
		return fail("user_sgpr_count", "user_sgpr_count is %d, but the enabled values take %d", users, implied)
	}
	fieldUserSGPRs.put(b, users)
	return nil
}

// xnack reports whether the code must run on processors with XNACK switched on.
func (a *assembler) xnack() bool { return isa.TraitsOf(a.target).XNACK && !a.xnackOff }

// declareKernel executes .amdgpu_hsa_kernel NAME. It declares that the label NAME is a kernel.
func (a *assembler) declareKernel(_ string, c *cursor, at int) *Error {
	name := c.wordOrQuoted()
	if name == "" {
		return a.fail(at, "expected the name of a kernel, found "+c.found(), nil)
	}
	a.declared = name
	return nil
}

// codeObjectVersion executes .amdhsa_code_object_version N.
func (a *assembler) codeObjectVersion(name string, c *cursor, _ int) *Error {
	_, err := c.integer("code object version", 3, 6)
	if err != nil {
		return a.located(err)
	}
	return nil
}

// published returns the kernels in the order of their directives.
func (a *assembler) published() (all []Kernel) {
	for _, k := range a.kernels {
		all = append(all, k.Kernel)
	}
	sort.SliceStable(all, func(i, j int) bool { return all[i].Line < all[j].Line })
	return all
}

// block is a run of lines up to a closing directive.
type block struct {
	end       string
	line, col int
	raw       bool // lines are plain text, not statements
	read      func(c *cursor) *Error
	done      func() *Error
}

// beginBlock passes the following lines to read up to the directive end, and then calls done.
func (a *assembler) beginBlock(end string, at int, read func(c *cursor) *Error, done func() *Error) *Error {
	a.block = &block{end: end, read: read, done: done}
	a.block.line, a.block.col = a.position(at)
	return nil
}

// blockLine handles a line of a block.
func (a *assembler) blockLine(c *cursor) *Error {
	b := a.block
	at := c.at
	if c.word() == b.end {
		a.block = nil
		if err := c.finish(); err != nil {
			return a.located(err)
		}
		return b.done()
	}
	if c.at = at; !b.raw && c.end() {
		return nil
	}
	return b.read(c)
}

// metadataEnds maps directives that begin metadata to the directives that end it.
var metadataEnds = map[string]string{
	".amdgpu_metadata": ".end_amdgpu_metadata", ".amd_amdgpu_hsa_metadata": ".end_amd_amdgpu_hsa_metadata",
	".amd_amdgpu_pal_metadata": ".end_amd_amdgpu_pal_metadata",
	".amdgpu_pal_metadata":     ".end_amdgpu_pal_metadata",
}

// beginMetadata executes .amdgpu_metadata and similar directives. It stores the following lines unchanged.
func (a *assembler) beginMetadata(name string, _ *cursor, at int) *Error {
	err := a.beginBlock(metadataEnds[name], at, func(c *cursor) *Error {
		a.metadata = append(a.metadata, strings.TrimRight(c.s, " \t\r")+"\n")
		return nil
	}, func() *Error { return nil })
	a.block.raw = true
	return err
}

// declareLDS executes .amdgpu_lds NAME, SIZE, ALIGNMENT. Variables are placed in the order of their directives.
func (a *assembler) declareLDS(_ string, c *cursor, at int) *Error {
	name := c.wordOrQuoted()
	if name == "" {
		return a.fail(c.at, "expected a symbol, found "+c.found(), nil)
	}
	most := int64(isa.GenTraits(a.target.Gen()).MaxLDS)
	size, align := int64(0), int64(4)
	err := c.expect(",")
	if err == nil {
		size, err = c.integer("size", 0, most)
	}
	if err == nil && c.accept(",") {
		from := c.at
		align, err = c.integer("alignment", 1, 1<<30)
		if err == nil && align&(align-1) != 0 {
			err = c.errorf(from+1, "alignment is %d, must be a power of two", align)
		}
	}
	if err == nil {
		err = c.finish()
	}
	if err != nil {
		return a.located(err)
	}
	s := a.lookup(name, at)
	if s.kind != undefined {
		return a.fail(at, "symbol "+name+" is defined twice", nil)
	}
	offset := int64(0)
	if n := len(a.lds); n > 0 {
		offset = int64(a.lds[n-1].Offset + a.lds[n-1].Size)
	}
	offset += gap(offset, align, 0)
	if offset+size > most {
		return a.fail(at, fmt.Sprintf("all variables in LDS take %d bytes; a work-group has %d", offset+size, most), nil)
	}
	s.kind, s.place = ldsVariable, amount{n: offset}
	a.lds = append(a.lds, LDSVariable{name, int(offset), int(size)})
	return nil
}
