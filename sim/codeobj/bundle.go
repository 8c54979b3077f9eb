package codeobj

import (
	"bytes"
	"compress/zlib"
	"debug/elf"
	"errors"
	"io"
	"strings"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/gcn/chip"
)

// BundleEntry is a file in an offload bundle.
type BundleEntry struct {
	// ID is what the compiler calls it, as in "hipv4-amdgcn-amd-amdhsa--gfx906:xnack+".
	ID   string
	Data []byte
}

// Processor returns the processor with its features, as in "gfx906:xnack+", for which the file is, ""
// if it is not for an AMD GPU.
func (e *BundleEntry) Processor() string {
	_, processor, ok := strings.Cut(e.ID, "-amdgcn-amd-amdhsa-")
	if !ok {
		return ""
	}
	return strings.TrimPrefix(processor, "-") // the environment of the triple is empty
}

// How bundles begin: one as it is, and one that is compressed as a whole.
const (
	bundleMagic     = "__CLANG_OFFLOAD_BUNDLE__"
	compressedMagic = "CCOB"
)

// IsObject reports whether data begins as a file that holds, or could hold, compiled kernels: an ELF
// file, an offload bundle, or the bitcode of LLVM, which [Parse] refuses by its name.
func IsObject(data []byte) bool {
	return IsBundle(data) || bytes.HasPrefix(data, []byte(elf.ELFMAG)) || bytes.HasPrefix(data, []byte("BC\xc0\xde"))
}

// IsBundle reports whether data begins as an offload bundle of clang does, which hipcc --genco and
// clang-offload-bundler write.
func IsBundle(data []byte) bool {
	return bytes.HasPrefix(data, []byte(bundleMagic)) || bytes.HasPrefix(data, []byte(compressedMagic))
}

// maxBundle is how many bytes a compressed bundle may have once it is decompressed, and maxEntries how
// many files a bundle.
const (
	maxBundle  = 1 << 30
	maxEntries = 1 << 12
)

// where errors about bundles are.
const inBundle = "offload bundle"

// ReadBundle returns the files of an offload bundle, which are parts of data unless that is
// compressed. The error is an *[Error].
func ReadBundle(data []byte) ([]BundleEntry, error) {
	all, err := readBundle(data)
	if err != nil {
		return nil, err
	}
	return all, nil
}

// readBundle reads a bundle. Source: "Clang Offload Bundler" of the documentation of clang: after the
// magic the number of files, then for each the offset, the size, and the length of the ID before it.
func readBundle(data []byte) (all []BundleEntry, err *Error) {
	if bytes.HasPrefix(data, []byte(compressedMagic)) {
		if data, err = decompress(data); err != nil {
			return nil, err
		}
	}
	rest, ok := bytes.CutPrefix(data, []byte(bundleMagic))
	if !ok || len(rest) < 8 {
		return nil, errorf(inBundle, adviseRebuild, "it does not begin as one")
	}
	n := le.Uint64(rest)
	rest = rest[8:]
	if n > maxEntries {
		return nil, errorf(inBundle, adviseRebuild, "it has %d files, more than the %d that are read", n, maxEntries)
	}
	for i := range n {
		const header = 24
		if len(rest) < header || le.Uint64(rest[16:]) > uint64(len(rest)-header) {
			return nil, errorf(inBundle, adviseRebuild, "it ends in the header of file %d of %d", i, n)
		}
		length := le.Uint64(rest[16:])
		file, ok := slice(data, le.Uint64(rest), le.Uint64(rest[8:]))
		if !ok {
			return nil, errorf(inBundle, adviseRebuild, "file %d has %d bytes at 0x%x, the bundle has %d", i,
				le.Uint64(rest[8:]), le.Uint64(rest), len(data))
		}
		all = append(all, BundleEntry{string(rest[header : header+length]), file})
		rest = rest[header+length:]
	}
	return all, nil
}

// decompress returns the bundle in a compressed one. Source: CompressedOffloadBundle of clang: magic,
// version, method, then in version 2 and above the size of the file, the size of the bundle, in 32
// bits each (64 from version 3 on), and a hash of 64 bits.
func decompress(data []byte) ([]byte, *Error) {
	const fixed, hash = 8, 8
	if len(data) < fixed {
		return nil, errorf(inBundle, adviseRebuild, "it ends in its header")
	}
	version, method := le.Uint16(data[4:]), le.Uint16(data[6:])
	header := map[uint16]int{1: fixed + 4 + hash, 2: fixed + 4 + 4 + hash, 3: fixed + 8 + 8 + hash}[version]
	const plain = "take the code object out with clang-offload-bundler -unbundle, or compile with --no-offload-compress"
	switch {
	case header == 0:
		return nil, errorf(inBundle, plain, "it is compressed in version %d, which is not known", version)
	case len(data) < header:
		return nil, errorf(inBundle, adviseRebuild, "it ends in its header")
	case method == 1:
		return nil, errorf(inBundle, plain, "it is compressed with zstd, which is not read")
	case method != 0:
		return nil, errorf(inBundle, plain, "it is compressed with method %d, which is not known", method)
	}
	r, err := zlib.NewReader(bytes.NewReader(data[header:]))
	if err == nil {
		data, err = io.ReadAll(io.LimitReader(r, maxBundle+1))
	}
	if err == nil && len(data) > maxBundle {
		err = errors.New("it is larger than a bundle that is read")
	}
	if err != nil {
		return nil, &Error{Where: inBundle, What: "it cannot be decompressed: " + err.Error(), Do: adviseRebuild, Err: err}
	}
	return data, nil
}

// Unbundle returns the code object in an offload bundle, or in a program for the CPU that hipcc has
// linked, for a processor, which is named as an ID does
// (gfx906:xnack+) or as --mcpu does (gfx906, vega20); "" is the only one of the bundle that is for a GCN
// processor. What is no bundle is returned as it is. The error is an *[Error].
func Unbundle(data []byte, processor string) ([]byte, error) {
	data, err := unbundle(data, processor)
	if err != nil {
		return nil, err
	}
	return data, nil
}

func unbundle(data []byte, processor string) ([]byte, *Error) {
	if bundle, err := hostBundle(data); err != nil || bundle != nil {
		if err != nil {
			return nil, err
		}
		data = bundle
	}
	if !IsBundle(data) {
		return data, nil
	}
	all, err := readBundle(data)
	if err != nil {
		return nil, err
	}
	var names []string
	var found []BundleEntry
	target, failed := chip.ParseTarget(processor)
	for _, e := range all {
		name := e.Processor()
		if name == "" {
			continue
		}
		names = append(names, name)
		of, other := targetOf(name)
		switch {
		case name == processor:
			return e.Data, nil
		case other != nil: // one after GCN
		case processor == "" || failed == nil && of == target:
			found = append(found, e)
		}
	}
	holds := "it holds code for " + strings.Join(names, ", ")
	switch {
	case len(names) == 0:
		return nil, errorf(inBundle, adviseTarget, "none of its %d files is for an AMD GPU", len(all))
	case len(found) == 1:
		return found[0].Data, nil
	case len(found) > 1:
		return nil, errorf(inBundle, "choose one: --mcpu, or mcpu in a specification", "%s", holds)
	case processor == "":
		return nil, errorf(inBundle, adviseTarget, "%s, not for a GCN processor", holds)
	}
	return nil, errorf(inBundle, "choose one of these", "%s, not for %s", holds, processor)
}

// hostBundle returns the offload bundle in a program or library for the CPU, as hipcc links one into
// its section .hip_fatbin; nil if data is something else.
func hostBundle(data []byte) ([]byte, *Error) {
	const section, where = ".hip_fatbin", "section .hip_fatbin"
	if !bytes.HasPrefix(data, []byte(elf.ELFMAG)) || len(data) < headerBytes ||
		elf.Class(data[elf.EI_CLASS]) != elf.ELFCLASS64 {
		return nil, nil
	}
	if elf.Machine(le.Uint16(data[18:])) == elf.EM_AMDGPU {
		return nil, nil
	}
	f, err := readELF(data)
	if err != nil {
		return nil, nil //nolint:nilerr // who reads the file says what is wrong with it
	}
	for i := range f.Sections {
		s := &f.Sections[i]
		if s.Name != section || s.Type == elf.SHT_NOBITS {
			continue
		}
		bundle, ok := slice(data, s.Offset, s.Size)
		if !ok || !IsBundle(bundle) {
			return nil, errorf(where, adviseRebuild, "it does not hold an offload bundle")
		}
		if n := bytes.Count(bundle, []byte(bundleMagic)); n > 1 {
			return nil, errorf(where, "give one of the objects, or take the code objects out with roc-obj-extract",
				"it holds the bundles of %d sources", n)
		}
		return bundle, nil
	}
	return nil, nil
}

// targetOf returns the target of a processor with features.
func targetOf(processor string) (gcn.Target, error) {
	name, _, _ := strings.Cut(processor, ":")
	return gcn.ParseTarget(name)
}
