package asm

import "strings"

// CLRX writes files of four kinds. The directives that say which, what a kernel is called and where its code begins are
// obeyed; what describes the kernel to a driver puts nothing into the code, and is read past.
//
// The words are those of clrxasm: in .amdcl2, where a driver puts global data somewhere, a literal with an address of
// that data is 0x55555555 until then. Source: CLRX's AsmAmdCL2Format.cpp, resolveRelocation.

// clrxPlaceholder stands in code where a driver puts an address.
const clrxPlaceholder = 0x55555555

// clrxFile are directives of a whole file, clrxKernel those of a kernel behind .config, and clrxBlocks those that begin
// data for the driver, in which directives as .byte can follow.
var (
	clrxFile = names(`64bit 32bit rawcode gpu arch arch_minor arch_stepping driver_version llvm_version
		compile_options acl_version newbinfmt llvm10binfmt metadatav3 nosectdiffs eflags target tripple md_version printf
		get_driver_version get_llvm_version gotsym hsalayout`)
	clrxKernel = names(`arg dims cws localsize reqd_work_group_size work_group_size_hint fixed_work_group_size
		max_flat_work_group_size vectypehint sgprsnum vgprsnum spilledsgprs spilledvgprs shared_vgprs scratchbuffer
		scratchsym gdssize debugmode dx10clamp ieeemode privmode exceptions floatmode priority tgsize pgmrsrc1 pgmrsrc2
		pgmrsrc3 userdatanum setupargs useargs usesetup useenqueue usegeneric uav uavid uavprivate printfid privateid cbid
		earlyexit condout sampler samplerinit samplerreloc userdata codeversion machine call_convention
		kernel_code_entry_offset kernel_code_prefetch_offset kernel_code_prefetch_size
		max_scratch_backing_memory private_elem_size private_segment_align kernarg_segment_align kernarg_segment_size
		group_segment_align gds_segment_size wavefront_size wavefront_sgpr_count workitem_vgpr_count
		workitem_private_segment_size workgroup_group_segment_size workgroup_fbarrier_count reserved_sgprs reserved_vgprs
		runtime_loader_kernel_symbol runtime_handle debug_private_segment_buffer_sgpr
		debug_wavefront_private_segment_offset_sgpr default_hsa_features use_private_segment_buffer use_dispatch_ptr
		use_queue_ptr use_kernarg_segment_ptr use_dispatch_id use_flat_scratch_init use_private_segment_size
		use_grid_workgroup_count use_ordered_append_gds use_ptr64 use_dynamic_call_stack use_debug_enabled
		use_xnack_enabled use_wave32 group_segment_fixed_size private_segment_fixed_size md_symname md_language
		md_sgprsnum md_vgprsnum md_wavefront_size md_kernarg_segment_size md_kernarg_segment_align
		md_group_segment_fixed_size md_private_segment_fixed_size hsa_dims hsa_debugmode hsa_dx10clamp hsa_exceptions
		hsa_floatmode hsa_ieeemode hsa_localsize hsa_pgmrsrc1 hsa_pgmrsrc2 hsa_priority hsa_privmode hsa_scratchbuffer
		hsa_sgprsnum hsa_tgsize hsa_userdatanum hsa_vgprsnum entry`)
	clrxBlocks = names(`metadata setup stub isametadata inner header proginfo args control_directive bssdata rwdata`)
)

// names returns the directives of a list without their dots.
func names(list string) map[string]bool {
	all := map[string]bool{}
	for name := range strings.FieldsSeq(list) {
		all["."+name] = true
	}
	return all
}

// clrxDirective obeys a directive of CLRX's files, and reports whether it is one.
func (a *assembler) clrxDirective(name string, c *cursor, at int) (bool, *Error) {
	inConfig := a.sec == a.named[clrxConfig]
	switch {
	case a.syntax != CLRX:
		return false, nil
	case name == ".amdcl2" || name == ".amd" || name == ".gallium" || name == ".rocm":
		a.format = name
		return true, nil
	case name == ".config" || name == ".hsaconfig":
		a.enter(a.section(clrxConfig, ""))
		return true, nil
	case clrxFile[name] || inConfig && clrxKernel[name]:
		return true, nil
	case a.format == "":
		return false, nil
	case clrxBlocks[name]:
		a.enter(a.section("clrx"+name, ""))
		return true, nil
	case name == ".kernel":
		return true, a.beginCLRXKernel(c, at)
	case name == ".globaldata":
		a.enter(a.section(".rodata", ""))
		return true, nil
	case name == ".main", name == ".kcode", name == ".kcodeend", name == ".fkernel":
		a.enter(a.section(a.code(), ""))
		return true, nil
	}
	if inConfig && anywhere[name] == nil && directives[name] == nil && !quiet[name] {
		return true, a.fail(at, "unknown directive "+name+" in the configuration of a kernel", nil)
	}
	return false, nil
}

// clrxConfig is the section of what describes a kernel to the driver.
const clrxConfig = "clrx.config"

// beginCLRXKernel obeys .kernel NAME. In .amdcl2 and .amd each kernel has code of its own, in the other files its name
// is a label of the one code.
func (a *assembler) beginCLRXKernel(c *cursor, at int) *Error {
	name := c.wordOrQuoted()
	if name == "" {
		return a.fail(at, "expected the name of a kernel, found "+c.found(), nil)
	}
	if a.format == ".amdcl2" || a.format == ".amd" {
		a.kernelCode = ".text." + name
	}
	a.enter(a.section(a.code(), ""))
	return nil
}

// code is the section that .text stands for.
func (a *assembler) code() string {
	if a.kernelCode != "" {
		return a.kernelCode
	}
	return ".text"
}

// placeholder reports whether a driver, and not the assembler, would put the number of e into code.
func (a *assembler) placeholder(f *fixup) bool {
	return a.format == ".amdcl2" && f.place.from.sec.kind == codeSection && f.e.ofData()
}

// ofData reports whether e has a label of data.
func (e *expr) ofData() bool {
	switch {
	case e == nil:
		return false
	case e.sym != nil && e.sym.kind == variable:
		return e.sym.val.e.ofData()
	case e.sym != nil:
		return e.sym.kind == label && e.sym.place.from.sec.kind == dataSection
	case e.amount.from != nil && e.amount.from.sec != nil && e.amount.from.sec.kind == dataSection:
		return true
	}
	return e.x.ofData() || e.y.ofData()
}
