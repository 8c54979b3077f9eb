package codeobj

import (
	"bytes"
	"debug/elf"
	"fmt"
	"slices"
	"strings"

	"github.com/gcnsim/gcnsim/internal/isa/chip"
)

// Member is a code object in a file.
type Member struct {
	// Name is the position of the object in the file: the name of an archive member, such as "k.o", or "bundle 2". It is
	// empty if the file can contain only one object.
	Name string
	Data []byte
}

// IsObject reports whether data can contain compiled kernels, by its first bytes: an ELF file, an offload bundle, an
// archive, or LLVM bitcode, for which [Parse] returns a specific error.
func IsObject(data []byte) bool {
	return isBundle(data) || isArchive(data) || bytes.HasPrefix(data, []byte(elf.ELFMAG)) ||
		bytes.HasPrefix(data, []byte("BC\xc0\xde"))
}

// CodeObjects returns the code objects for a processor in a file: one from an offload bundle, those of all bundles in
// a host program that hipcc has linked, those of an archive's (ar) members for AMD GPUs. Any other file is returned
// as a single object. processor selects the file in a bundle. It is written as in an ID (gfx906:xnack+) or as for
// --mcpu (gfx906, vega20); "" selects the only file that is for a GCN processor. The error is an *[Error].
func CodeObjects(data []byte, processor string) ([]Member, error) {
	all, err := members(data, processor)
	if err != nil {
		return nil, err
	}
	return all, nil
}

// Unbundle returns the only code object for a processor in a file; see [CodeObjects]. The error is an *[Error].
func Unbundle(data []byte, processor string) ([]byte, error) {
	data, err := unbundle(data, processor)
	if err != nil {
		return nil, err
	}
	return data, nil
}

func unbundle(data []byte, processor string) ([]byte, *Error) {
	all, err := members(data, processor)
	if err != nil {
		return nil, err
	}
	if len(all) > 1 {
		return nil, errorf(containerOf(data), "name a kernel, or give one of the objects", "it holds %d code objects: %s",
			len(all), memberNames(all))
	}
	return all[0].Data, nil
}

// UnbundleKernel returns the code object in a file (see [CodeObjects]) that contains a kernel. If there is only one
// object, or kernel is "", it does what [Unbundle] does. The error is an *[Error].
func UnbundleKernel(data []byte, processor, kernel string) ([]byte, error) {
	if kernel == "" {
		return Unbundle(data, processor)
	}
	all, err := members(data, processor)
	if err != nil {
		return nil, err
	}
	if len(all) == 1 {
		return all[0].Data, nil
	}
	var names []string
	var found []Member
	for _, m := range all {
		o, err := Parse(m.Data)
		if err != nil {
			return nil, &Error{Where: m.Name, What: "it cannot be read", Do: "see the cause: " + err.Error(), Err: err}
		}
		for i := range o.Kernels {
			names = append(names, o.Kernels[i].Name)
		}
		if _, err := o.Kernel(kernel); err == nil {
			found = append(found, m)
		}
	}
	switch len(found) {
	case 0:
		return nil, errorf(containerOf(data), "it holds: "+strings.Join(names, " "), "there is no kernel %q", kernel)
	case 1:
		return found[0].Data, nil
	}
	return nil, errorf(containerOf(data), "give one of the objects", "%d code objects have kernel %q: %s",
		len(found), kernel,
		memberNames(found))
}

// memberNames returns the names of code objects as a list.
func memberNames(all []Member) string {
	var names []string
	for _, m := range all {
		names = append(names, m.Name)
	}
	return strings.Join(names, ", ")
}

// containerOf returns the kind of a file that contains several code objects, as text.
func containerOf(data []byte) string {
	if isArchive(data) {
		return inArchive
	}
	return fatSection
}

// members does what [CodeObjects] does, with a concrete error type.
func members(data []byte, processor string) ([]Member, *Error) {
	if isArchive(data) {
		return archived(data, processor)
	}
	bundles, err := hostBundles(data)
	if err != nil {
		return nil, err
	}
	if isBundle(data) {
		bundle, _, err := readBundle(data)
		if err != nil {
			return nil, err
		}
		bundles = [][]bundleEntry{bundle}
	}
	if bundles == nil {
		return []Member{{Data: data}}, nil
	}
	var all []Member
	for i, b := range bundles {
		m := Member{}
		if m.Data, err = chosen(b, processor); err != nil {
			return nil, err
		}
		if len(bundles) > 1 {
			m.Name = fmt.Sprintf("bundle %d", i+1)
		}
		all = append(all, m)
	}
	return all, nil
}

// chosen returns the code object for a processor among the files of an offload bundle.
func chosen(all []bundleEntry, processor string) ([]byte, *Error) {
	var names []string
	var found []bundleEntry
	target, failed := chip.ParseTarget(processor)
	for _, e := range all {
		name := e.processor()
		if name == "" {
			continue
		}
		names = append(names, name)
		of, other := targetOf(name)
		switch {
		case name == processor:
			return e.data, nil
		case other != nil: // a processor after GCN
		case processor == "" || failed == nil && of == target:
			found = append(found, e)
		}
	}
	holds := "it holds code for " + strings.Join(names, ", ")
	switch {
	case len(names) == 0:
		return nil, errorf(inBundle, adviseTarget, "none of its %d files is for an AMD GPU", len(all))
	case len(found) == 1:
		return found[0].data, nil
	case len(found) > 1:
		return nil, errorf(inBundle, "choose one: --mcpu, or mcpu in a specification", "%s", holds)
	case processor == "":
		return nil, errorf(inBundle, adviseTarget, "%s, not for a GCN processor", holds)
	}
	return nil, errorf(inBundle, "choose one of these", "%s, not for %s", holds, processor)
}

// fatSection is the location in errors about the bundles of a program.
const fatSection = "section .hip_fatbin"

// hostBundles returns the offload bundles in a program or library for the CPU. hipcc puts the bundle of each source
// file into the section .hip_fatbin. It returns nil for other data.
func hostBundles(data []byte) (all [][]bundleEntry, err *Error) {
	if !bytes.HasPrefix(data, []byte(elf.ELFMAG)) || len(data) < headerBytes ||
		elf.Class(data[elf.EI_CLASS]) != elf.ELFCLASS64 || elf.Machine(le.Uint16(data[18:])) == elf.EM_AMDGPU {
		return nil, nil
	}
	f, err := readELF(data)
	if err != nil {
		return nil, nil //nolint:nilerr // who reads the file says what is wrong with it
	}
	at := slices.IndexFunc(f.Sections, func(s elf.SectionHeader) bool {
		return s.Name == ".hip_fatbin" && s.Type != elf.SHT_NOBITS
	})
	if at < 0 {
		return nil, nil
	}
	rest, ok := slice(data, f.Sections[at].Offset, f.Sections[at].Size)
	for ok && isBundle(rest) {
		bundle, size, err := readBundle(rest)
		if err != nil {
			return nil, err
		}
		all, rest = append(all, bundle), bytes.TrimLeft(rest[size:], "\x00") // each bundle begins at a page
	}
	if all == nil || len(rest) > 0 {
		return nil, errorf(fatSection, adviseRebuild, "it does not hold an offload bundle, or something else behind %d",
			len(all))
	}
	return all, nil
}
