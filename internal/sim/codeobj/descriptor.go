package codeobj

import (
	"sort"
	"strings"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa"
)

// descriptorLayout has the byte offsets of the fields of a kernel descriptor. COMPUTE_PGM_RSRC1, RSRC2 and the
// properties have the same offsets in both layouts.
type descriptorLayout struct {
	size, align                  uint64
	entry                        int // i64, relative to the descriptor
	group, private, kernarg      int // u32
	rsrc3                        int // u32; 0 if absent
	properties                   uint32
	wave32, dynamicStack         uint32 // property bits
	elementSize                  int    // shift of PRIVATE_ELEMENT_SIZE in the properties; 0 if there is no such field
	versionMajor, machine, wave6 int    // u32 that must be 1, u16 that must be 1, u8 that must be 6; -1 if absent
}

const (
	offRSRC1, offRSRC2, offProperties = 48, 52, 56

	defaultElementBytes = 4 // ELEMENT_SIZE of v3 and later, which is implied; AMDGPUUsage, "Private Segment Buffer"
)

// kernelDescriptor is the layout of a `.kd` symbol of v3 and later (rule ST15).
var kernelDescriptor = descriptorLayout{
	size: 64, align: 64, group: 0, private: 4, kernarg: 8, entry: 16, rsrc3: 44,
	properties: 0x7f, wave32: 1 << 10, dynamicStack: 1 << 11, versionMajor: -1, machine: -1, wave6: -1,
}

// kernelCode is the layout of amd_kernel_code_t of v2 (rule ST16).
var kernelCode = descriptorLayout{
	size: 256, align: 256, group: 64, private: 60, kernarg: 72, entry: 16,
	properties: 0x3ff, dynamicStack: 1 << 20, elementSize: 17, versionMajor: 0, machine: 8, wave6: 103,
}

// readKernels sets o.Kernels from the symbols and the metadata.
func (o *Object) readKernels(md []kernelMeta) *Error {
	layout := &kernelDescriptor
	if o.Version == 2 {
		layout = &kernelCode
	}
	bySymbol := map[string]*kernelMeta{}
	for i := range md {
		bySymbol[md[i].key(o.Version)] = &md[i]
	}
	for i := range o.symbols {
		s := &o.symbols[i]
		name, isDescriptor := strings.CutSuffix(s.Name, descriptorName)
		if s.abs || o.Version == 2 && s.kind != symKernel || o.Version != 2 && !(isDescriptor && s.Size == layout.size) {
			continue
		}
		k, err := o.readKernel(layout, s, name)
		if err != nil {
			return err
		}
		if m := bySymbol[s.Name]; m != nil {
			k.addMetadata(m)
			delete(bySymbol, s.Name)
		}
		o.Kernels = append(o.Kernels, *k)
	}
	for i := range md {
		if m := &md[i]; bySymbol[m.key(o.Version)] == m {
			return errorf("kernel "+m.name, adviseRebuild, "the metadata names it, but there is no symbol %q", m.key(o.Version))
		}
	}
	sort.SliceStable(o.Kernels, func(i, j int) bool { return o.Kernels[i].Name < o.Kernels[j].Name })
	return nil
}

// key returns the name of the kernel's symbol. In v2, SymbolName is the name of a descriptor that does not exist.
func (m *kernelMeta) key(version int) string {
	if version == 2 {
		return m.name
	}
	return m.symbol
}

func (k *Kernel) addMetadata(m *kernelMeta) {
	if m.name != "" {
		k.Name = m.name
	}
	k.Args, k.ReqdGroupSize, k.MaxFlatGroupSize = m.args, m.reqd, m.maxFlat
	k.UniformGroups = m.uniformGroups
	k.UsesDynamicStack = k.UsesDynamicStack || m.usesDynamicStack
	// Compilers before LLVM 13 set kernarg_size of the descriptor to zero.
	k.KernargBytes = max(k.KernargBytes, m.kernargBytes)
}

// readKernel reads the descriptor at symbol s.
func (o *Object) readKernel(l *descriptorLayout, s *Symbol, name string) (*Kernel, *Error) {
	where := "kernel " + name
	d, ok := o.Bytes(s.VAddr, l.size)
	switch {
	case !ok:
		return nil, errorf(where, adviseRebuild, "its descriptor at 0x%x is outside the data of all segments", s.VAddr)
	case s.VAddr%l.align != 0:
		return nil, errorf(where, adviseRebuild, "its descriptor at 0x%x is not aligned to %d bytes", s.VAddr, l.align)
	case l.versionMajor >= 0 && le.Uint32(d[l.versionMajor:]) != 1, l.machine >= 0 && le.Uint16(d[l.machine:]) != 1:
		return nil, errorf(where, adviseRebuild, "there is no amd_kernel_code_t of version 1 at 0x%x", s.VAddr)
	}
	props := le.Uint32(d[offProperties:])
	if l.wave6 < 0 {
		props &= 0xffff
	}
	if props&l.wave32 != 0 || l.wave6 >= 0 && d[l.wave6] != 6 {
		return nil, errorf(where, adviseTarget, "it is compiled for waves of 32 lanes; GCN waves have 64")
	}
	k := &Kernel{
		Name: name, Descriptor: s.VAddr, Entry: s.VAddr + le.Uint64(d[l.entry:]),
		GroupBytes: le.Uint32(d[l.group:]), PrivateBytes: le.Uint32(d[l.private:]), KernargBytes: le.Uint32(d[l.kernarg:]),
		RSRC:             gcn.RSRC{le.Uint32(d[offRSRC1:]), le.Uint32(d[offRSRC2:])},
		UsesDynamicStack: props&l.dynamicStack != 0, scratchElementBytes: defaultElementBytes,
	}
	if l.rsrc3 > 0 {
		k.RSRC[2] = le.Uint32(d[l.rsrc3:])
	}
	if l.elementSize > 0 {
		k.scratchElementBytes = 2 << (props >> l.elementSize & 3)
	}
	if i := o.segmentAt(k.Entry); i < 0 || !o.segments[i].Exec || k.Entry%4 != 0 {
		return nil, errorf(where, adviseRebuild, "its entry 0x%x is not an instruction of an executable segment", k.Entry)
	}
	t := isa.TraitsOf(o.Target)
	if int64(k.GroupBytes) > int64(t.MaxLDS) {
		return nil, errorf(where, "use less __local memory", "it wants %d bytes of LDS, %v has %d", k.GroupBytes, o.Target,
			t.MaxLDS)
	}
	if k.KernargBytes > maxKernarg {
		return nil, errorf(where, adviseRebuild, "it wants %d bytes of arguments", k.KernargBytes)
	}
	r := k.RSRC.Fields(o.Target)
	k.VGPRs, k.SGPRs, k.UserSGPRs, k.WorkItemVGPRs = r.VGPRs, r.SGPRs, r.UserSGPRs, r.WorkItemIDs
	return k, k.layOutSGPRs(where, props&l.properties)
}

// layOutSGPRs sets the list of registers that are initialized (rules ST12 and ST14).
func (k *Kernel) layOutSGPRs(where string, props uint32) *Error {
	if k.WorkItemVGPRs > 3 {
		return errorf(where, adviseRebuild, "ENABLE_VGPR_WORKITEM_ID is 3, which is undefined")
	}
	next, enables := 0, props
	for i := range sgprItems {
		item := SGPRItem(i)
		if item == WorkGroupIDX {
			if next > k.UserSGPRs || k.UserSGPRs > isa.MaxUserSGPRs {
				return errorf(where, adviseRebuild, "USER_SGPR is %d, but the enabled values take %d registers of %d",
					k.UserSGPRs, next, isa.MaxUserSGPRs)
			}
			next, enables = k.UserSGPRs, k.RSRC[1]
		}
		if enables>>sgprItems[i].bit&1 != 0 {
			k.initSGPRs = append(k.initSGPRs, InitSGPR{item, next, sgprItems[i].count})
			next += sgprItems[i].count
		}
	}
	return nil
}
