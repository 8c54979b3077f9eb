package asm

import "strings"

// CLRX writes files of four kinds. This file executes the directives for the kind of the file, the name of a kernel and
// the begin of its code. It ignores directives that describe a kernel to a driver, which add nothing to the code.
//
// The words are those of clrxasm. If a driver inserts an address of global data (.amdcl2) or private memory (.gallium),
// its literal is a constant. Source: CLRX's AsmAmdCL2Format.cpp and AsmGalliumFormat.cpp, resolveRelocation.

// clrxFile has the directives about a whole file, clrxKernel those about a kernel after .config. clrxBlocks has the
// directives that begin data for the driver. Directives such as .byte may follow these.
var (
	clrxFile = names(`64bit 32bit rawcode gpu arch arch_minor arch_stepping driver_version llvm_version
		compile_options driver_info acl_version newbinfmt llvm10binfmt metadatav3 nosectdiffs eflags target tripple md_version
		printf get_driver_version get_llvm_version gotsym hsalayout`)
	clrxKernel = names(`arg dims cws localsize reqd_work_group_size work_group_size_hint fixed_work_group_size
		max_flat_work_group_size vectypehint sgprsnum vgprsnum spilledsgprs spilledvgprs shared_vgprs scratchbuffer
		useconstdata useprintf gdssize debugmode dx10clamp ieeemode privmode exceptions floatmode priority tgsize pgmrsrc1
		pgmrsrc2 pgmrsrc3 userdatanum setupargs useargs usesetup useenqueue usegeneric uav uavid uavprivate printfid privateid cbid
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
	clrxBlocks = names(`metadata setup stub isametadata header proginfo args control_directive bssdata rwdata calnote
		boolconsts intconsts floatconsts inputs outputs inputsamplers constantbuffers subconstantbuffers cbmask uav
		uavmailboxsize uavopmask hwlocal hwregion globalbuffers persistentbuffers scratchbuffers condout earlyexit`)
)

// names returns the directives of a list without their dots.
func names(list string) map[string]bool {
	all := map[string]bool{}
	for name := range strings.FieldsSeq(list) {
		all["."+name] = true
	}
	return all
}

// clrxDirective executes a directive of CLRX's files. It reports whether name is such a directive.
func (a *assembler) clrxDirective(name string, c *cursor, at int) (bool, *Error) {
	inConfig := a.sec == a.named[clrxConfig]
	switch {
	case a.syntax != CLRX:
		return false, nil
	case name == ".amdcl2" || name == ".amd":
		a.enter(a.section(".rodata", ""))
		fallthrough
	case name == ".gallium" || name == ".rocm":
		a.format, a.left = name, map[string]*section{"": a.sec}
		return true, nil
	case name == ".config" || name == ".hsaconfig":
		a.describe(clrxConfig)
		return true, nil
	case clrxFile[name] || inConfig && clrxKernel[name]:
		return true, nil
	case a.format == "":
		return false, nil
	case clrxBlocks[name]:
		a.describe("clrx" + name)
		return true, nil
	case name == ".scratchsym":
		here := a.sec
		a.sec = a.section(clrxScratch, "")
		err := a.defineLabel(c.wordOrQuoted(), at)
		a.sec = here
		return true, err
	case name == ".kernel":
		kernel := c.wordOrQuoted()
		if kernel == "" {
			return true, a.fail(at, "expected the name of a kernel, found "+c.found(), nil)
		}
		a.within(kernel)
		return true, nil
	case name == ".main":
		a.within("")
		return true, nil
	case name == ".inner":
		if a.left[name] == nil {
			a.left[name] = a.section(".rodata", "")
		}
		a.within(name)
		return true, nil
	case name == ".globaldata":
		a.enter(a.section(".rodata", ""))
		return true, nil
	case name == ".kcode", name == ".kcodeend", name == ".fkernel":
		a.enter(a.section(a.code(), ""))
		return true, nil
	}
	if inConfig && anywhere[name] == nil && directives[name] == nil && !quiet[name] {
		return true, a.fail(at, "unknown directive "+name+" in the configuration of a kernel", nil)
	}
	return false, nil
}

// clrxConfig is the name of the section for descriptions of kernels. clrxScratch is the name of the section for labels
// that stand for the address of private memory.
const (
	clrxConfig  = "clrx.config"
	clrxScratch = ".bss.scratch"
)

// describe begins data about the current kernel for the driver. A later .kernel NAME continues in the same section.
func (a *assembler) describe(section string) {
	a.enter(a.section(section, ""))
	if a.left != nil {
		a.left[a.scope] = a.sec
	}
}

// within sets the scope of the following statements: a kernel, .inner, or the file if name is "". They continue in the
// section in which this scope was left.
func (a *assembler) within(name string) {
	if a.hasOwnCode() {
		a.left[a.scope] = a.sec
	}
	a.scope = name
	s := a.left[name]
	if s == nil {
		s = a.section(a.code(), "")
	}
	a.enter(s)
}

// hasOwnCode reports whether each kernel has its own code. If not, kernels are labels in the same code.
func (a *assembler) hasOwnCode() bool { return a.format == ".amdcl2" || a.format == ".amd" }

// code returns the name of the section that .text means.
func (a *assembler) code() string {
	if a.hasOwnCode() && a.scope != "" {
		return ".text." + a.scope
	}
	return ".text"
}

// placeholder returns the constant for the number of f. ok reports whether only a driver knows the number.
func (a *assembler) placeholder(f *fixup) (n int64, ok bool) {
	switch {
	case f.place.from.sec.kind != codeSection:
	case a.format == ".amdcl2":
		return 0x55555555, f.e.ofData("")
	case a.format == ".gallium":
		return 4, f.e.ofData(clrxScratch)
	}
	return 0, false
}

// ofData reports whether e contains a label in a data section whose name begins with prefix.
func (e *expr) ofData(prefix string) bool {
	isData := func(s *section) bool { return s.kind == dataSection && strings.HasPrefix(s.name, prefix) }
	switch {
	case e == nil:
		return false
	case e.sym != nil && e.sym.kind == variable:
		return e.sym.val.e.ofData(prefix)
	case e.sym != nil:
		return e.sym.kind == label && isData(e.sym.place.from.sec)
	case e.amount.from != nil && e.amount.from.sec != nil && isData(e.amount.from.sec):
		return true
	}
	return e.x.ofData(prefix) || e.y.ofData(prefix)
}
