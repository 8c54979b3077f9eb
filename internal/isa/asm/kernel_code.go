package asm

import (
	"encoding/binary"

	"github.com/gcnsim/gcnsim/internal/isa"
)

// codeTBytes is the size of amd_kernel_code_t. codeTFields has its fields by their names in LLVM.
const codeTBytes = 256

var codeTFields = map[string]descriptorField{
	"amd_code_version_major":                       {at: 0, width: 32},
	"amd_code_version_minor":                       {at: 4, width: 32},
	"amd_machine_kind":                             {at: 8, width: 16},
	"amd_machine_version_major":                    {at: 10, width: 16},
	"amd_machine_version_minor":                    {at: 12, width: 16},
	"amd_machine_version_stepping":                 {at: 14, width: 16},
	"kernel_code_entry_byte_offset":                {at: 16, width: 64},
	"kernel_code_prefetch_byte_size":               {at: 32, width: 64},
	"granulated_workitem_vgpr_count":               fieldVGPRs,
	"granulated_wavefront_sgpr_count":              fieldSGPRs,
	"priority":                                     {at: descriptorRSRC1, shift: 10, width: 2},
	"float_mode":                                   {at: descriptorRSRC1, shift: 12, width: 8},
	"priv":                                         {at: descriptorRSRC1, shift: 20, width: 1},
	"enable_dx10_clamp":                            {at: descriptorRSRC1, shift: 21, width: 1},
	"debug_mode":                                   {at: descriptorRSRC1, shift: 22, width: 1},
	"enable_ieee_mode":                             {at: descriptorRSRC1, shift: 23, width: 1},
	"enable_wgp_mode":                              {at: descriptorRSRC1, shift: 29, width: 1},
	"enable_mem_ordered":                           {at: descriptorRSRC1, shift: 30, width: 1},
	"enable_fwd_progress":                          {at: descriptorRSRC1, shift: 31, width: 1},
	"enable_sgpr_private_segment_wave_byte_offset": {at: descriptorRSRC2, shift: 0, width: 1},
	"user_sgpr_count":                              fieldUserSGPRs,
	"enable_trap_handler":                          {at: descriptorRSRC2, shift: 6, width: 1},
	"enable_sgpr_workgroup_id_x":                   {at: descriptorRSRC2, shift: 7, width: 1},
	"enable_sgpr_workgroup_id_y":                   {at: descriptorRSRC2, shift: 8, width: 1},
	"enable_sgpr_workgroup_id_z":                   {at: descriptorRSRC2, shift: 9, width: 1},
	"enable_sgpr_workgroup_info":                   {at: descriptorRSRC2, shift: 10, width: 1},
	"enable_vgpr_workitem_id":                      {at: descriptorRSRC2, shift: 11, width: 2},
	"enable_exception_msb":                         {at: descriptorRSRC2, shift: 13, width: 2},
	"granulated_lds_size":                          {at: descriptorRSRC2, shift: 15, width: 9},
	"enable_exception":                             {at: descriptorRSRC2, shift: 24, width: 7},
	"enable_sgpr_private_segment_buffer":           {at: descriptorProps, shift: 0, width: 1},
	"enable_sgpr_dispatch_ptr":                     {at: descriptorProps, shift: 1, width: 1},
	"enable_sgpr_queue_ptr":                        {at: descriptorProps, shift: 2, width: 1},
	"enable_sgpr_kernarg_segment_ptr":              {at: descriptorProps, shift: 3, width: 1},
	"enable_sgpr_dispatch_id":                      {at: descriptorProps, shift: 4, width: 1},
	"enable_sgpr_flat_scratch_init":                {at: descriptorProps, shift: 5, width: 1},
	"enable_sgpr_private_segment_size":             {at: descriptorProps, shift: 6, width: 1},
	"enable_sgpr_grid_workgroup_count_x":           {at: descriptorProps, shift: 7, width: 1},
	"enable_sgpr_grid_workgroup_count_y":           {at: descriptorProps, shift: 8, width: 1},
	"enable_sgpr_grid_workgroup_count_z":           {at: descriptorProps, shift: 9, width: 1},
	"enable_wavefront_size32":                      {at: descriptorProps, shift: 10, width: 1},
	"enable_ordered_append_gds":                    {at: descriptorProps, shift: 16, width: 1},
	"private_element_size":                         {at: descriptorProps, shift: 17, width: 2},
	"is_ptr64":                                     {at: descriptorProps, shift: 19, width: 1},
	"is_dynamic_callstack":                         {at: descriptorProps, shift: 20, width: 1},
	"is_debug_enabled":                             {at: descriptorProps, shift: 21, width: 1},
	"is_xnack_enabled":                             {at: descriptorProps, shift: 22, width: 1},
	"workitem_private_segment_byte_size":           {at: 60, width: 32},
	"workgroup_group_segment_byte_size":            {at: 64, width: 32},
	"gds_segment_byte_size":                        {at: 68, width: 32},
	"kernarg_segment_byte_size":                    {at: 72, width: 64},
	"workgroup_fbarrier_count":                     {at: 80, width: 32},
	"wavefront_sgpr_count":                         {at: 84, width: 16},
	"workitem_vgpr_count":                          {at: 86, width: 16},
	"reserved_vgpr_first":                          {at: 88, width: 16},
	"reserved_vgpr_count":                          {at: 90, width: 16},
	"reserved_sgpr_first":                          {at: 92, width: 16},
	"reserved_sgpr_count":                          {at: 94, width: 16},
	"debug_wavefront_private_segment_offset_sgpr":  {at: 96, width: 16},
	"debug_private_segment_buffer_sgpr":            {at: 98, width: 16},
	"kernarg_segment_alignment":                    {at: 100, width: 8},
	"group_segment_alignment":                      {at: 101, width: 8},
	"private_segment_alignment":                    {at: 102, width: 8},
	"wavefront_size":                               {at: 103, width: 8},
	"call_convention":                              {at: 104, width: 32},
	"runtime_loader_kernel_symbol":                 {at: 120, width: 64},
}

// codeTDefaults has the fields whose default is not 0. The default of the version of the machine is
// the version of the target.
var codeTDefaults = map[string]int64{
	"amd_code_version_major": 1, "amd_code_version_minor": 2, "amd_machine_kind": 1,
	"kernel_code_entry_byte_offset": codeTBytes,
	"kernarg_segment_alignment":     4, "group_segment_alignment": 4, "private_segment_alignment": 4, "wavefront_size": 6,
	"call_convention": -1,
}

// beginCodeT executes .amd_kernel_code_t. It reads the fields that follow and adds the structure to the
// section, before the code of the kernel whose label is here.
func (a *assembler) beginCodeT(_ string, _ *cursor, at int) *Error {
	k := &kernel{Kernel: Kernel{CodeT: true}}
	k.Line, k.col = a.position(at)
	k.Name = a.kernelHere()
	return a.beginBlock(".end_amd_kernel_code_t", at, func(c *cursor) *Error { return a.codeTField(k, c) }, func() *Error {
		if err := a.reserve(k, "", codeTBytes, at); err != nil {
			return err
		}
		b := k.place.from.data[k.place.n:]
		for name, v := range codeTDefaults {
			codeTFields[name].put(b, v)
		}
		for i, n := range isa.TraitsOf(a.target).Version {
			codeTFields["amd_machine_version_"+[...]string{"major", "minor", "stepping"}[i]].put(b, int64(n))
		}
		return nil
	})
}

// kernelHere returns the name of the kernel that begins here. It is the kernel that was declared
// last, or else a label at this address.
func (a *assembler) kernelHere() string {
	name, here := "", a.sec.here()
	for _, s := range a.sec.labels {
		if s.place == here && (s.name == a.declared || name == "" || s.name < name && name != a.declared) {
			name = s.name
		}
	}
	return name
}

// codeTField reads a line name = value inside .amd_kernel_code_t.
func (a *assembler) codeTField(k *kernel, c *cursor) *Error {
	at := c.begin()
	name := c.word()
	f, ok := codeTFields[name]
	if !ok && name != "max_scratch_backing_memory_byte_size" { // ignored
		return a.fail(at, "unknown field "+name+" of .amd_kernel_code_t", nil)
	}
	if err := c.expect("="); err != nil {
		return a.located(err)
	}
	s, err := a.setting(name, f, c)
	if ok && err == nil {
		k.set = append(k.set, s)
	}
	return err
}

func (a *assembler) fillCodeT(k *kernel) *Error {
	b := k.place.from.data[k.place.n:]
	for i := range k.set {
		s := &k.set[i]
		lo := int64(0)
		if s.field.shift == 0 && s.field.width >= 8 {
			lo = -1 << (s.field.width - 1)
		}
		n, err := a.number(s, lo)
		if err != nil {
			return err
		}
		s.field.put(b, n)
	}
	le := binary.LittleEndian
	k.Descriptor = address(k.place)
	k.Entry = k.Descriptor + int(int64(le.Uint64(b[descriptorEntry:])))
	k.GroupBytes, k.PrivateBytes, k.KernargBytes = le.Uint32(b[64:]), le.Uint32(b[60:]), le.Uint32(b[72:])
	k.RSRC1, k.RSRC2, k.Properties = le.Uint32(b[descriptorRSRC1:]), le.Uint32(b[descriptorRSRC2:]),
		le.Uint32(b[descriptorProps:])
	return nil
}
