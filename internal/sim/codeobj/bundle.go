package codeobj

import (
	"bytes"
	"compress/zlib"
	"errors"
	"io"
	"strings"

	"github.com/gcnsim/gcnsim/gcn"
)

// bundleEntry is a file in an offload bundle.
type bundleEntry struct {
	// id is the compiler's name of the file, for example "hipv4-amdgcn-amd-amdhsa--gfx906:xnack+".
	id   string
	data []byte
}

// processor returns the processor with its features that the file is for, as in "gfx906:xnack+", or "" if it is not
// for an AMD GPU.
func (e *bundleEntry) processor() string {
	_, processor, ok := strings.Cut(e.id, "-amdgcn-amd-amdhsa-")
	if !ok {
		return ""
	}
	return strings.TrimPrefix(processor, "-") // remove the empty environment of the triple
}

// The first bytes of bundles: a plain one, and one that is compressed as a whole.
const (
	bundleMagic     = "__CLANG_OFFLOAD_BUNDLE__"
	compressedMagic = "CCOB"
)

// isBundle reports whether data is an offload bundle of clang, by its first bytes. hipcc --genco and
// clang-offload-bundler write such files.
func isBundle(data []byte) bool {
	return bytes.HasPrefix(data, []byte(bundleMagic)) || bytes.HasPrefix(data, []byte(compressedMagic))
}

// maxBundle is the largest size in bytes of a decompressed bundle, maxEntries the largest number of files in a
// bundle.
const (
	maxBundle  = 1 << 30
	maxEntries = 1 << 12
)

// inBundle is the location in errors about bundles.
const inBundle = "offload bundle"

// readBundle decodes the bundle at the start of data, and returns its files and its size in bytes. Source: "Clang
// Offload Bundler" in clang's documentation. After the magic follow the number of files and, for each file, its
// offset, its size, the length of its ID, and the ID.
func readBundle(data []byte) (all []bundleEntry, size int, err *Error) {
	if bytes.HasPrefix(data, []byte(compressedMagic)) {
		plain, size, err := decompress(data)
		if err != nil {
			return nil, 0, err
		}
		all, _, err := readBundle(plain)
		return all, size, err
	}
	rest, ok := bytes.CutPrefix(data, []byte(bundleMagic))
	if !ok || len(rest) < 8 {
		return nil, 0, errorf(inBundle, adviseRebuild, "it does not begin as one")
	}
	n := le.Uint64(rest)
	rest = rest[8:]
	if n > maxEntries {
		return nil, 0, errorf(inBundle, adviseRebuild, "it has %d files, more than the %d that are read", n, maxEntries)
	}
	for i := range n {
		const header = 24
		if len(rest) < header || le.Uint64(rest[16:]) > uint64(len(rest)-header) {
			return nil, 0, errorf(inBundle, adviseRebuild, "it ends in the header of file %d of %d", i, n)
		}
		length := le.Uint64(rest[16:])
		file, ok := slice(data, le.Uint64(rest), le.Uint64(rest[8:]))
		if !ok {
			return nil, 0, errorf(inBundle, adviseRebuild, "file %d has %d bytes at 0x%x, the bundle has %d", i,
				le.Uint64(rest[8:]), le.Uint64(rest), len(data))
		}
		size = max(size, int(le.Uint64(rest))+len(file))
		all = append(all, bundleEntry{string(rest[header : header+length]), file})
		rest = rest[header+length:]
	}
	return all, max(size, len(data)-len(rest)), nil
}

// decompress returns the bundle in a compressed bundle, and the size of the compressed one, which is len(data) if the
// file does not state it. Source: CompressedOffloadBundle of clang: magic, version, method, then from version 2 on
// the size of the file, the size of the bundle, in 32 bits each (64 from version 3 on), and a hash of 64 bits.
func decompress(data []byte) (plain []byte, size int, err *Error) {
	const fixed, hash = 8, 8
	if len(data) < fixed {
		return nil, 0, errorf(inBundle, adviseRebuild, "it ends in its header")
	}
	version, method := le.Uint16(data[4:]), le.Uint16(data[6:])
	header := map[uint16]int{1: fixed + 4 + hash, 2: fixed + 4 + 4 + hash, 3: fixed + 8 + 8 + hash}[version]
	const advice = "take the code object out with clang-offload-bundler -unbundle, or compile with --no-offload-compress"
	switch {
	case header == 0:
		return nil, 0, errorf(inBundle, advice, "it is compressed in version %d, which is not known", version)
	case len(data) < header:
		return nil, 0, errorf(inBundle, adviseRebuild, "it ends in its header")
	case method == 1:
		return nil, 0, errorf(inBundle, advice, "it is compressed with zstd, which is not read")
	case method != 0:
		return nil, 0, errorf(inBundle, advice, "it is compressed with method %d, which is not known", method)
	}
	size = len(data)
	given := uint64(0)
	switch version {
	case 2:
		given = uint64(le.Uint32(data[fixed:]))
	case 3:
		given = le.Uint64(data[fixed:])
	}
	if given >= uint64(header) && given <= uint64(len(data)) {
		size = int(given)
	}
	r, cause := zlib.NewReader(bytes.NewReader(data[header:size]))
	if cause == nil {
		plain, cause = io.ReadAll(io.LimitReader(r, maxBundle+1))
	}
	if cause == nil && len(plain) > maxBundle {
		cause = errors.New("it is larger than a bundle that is read")
	}
	if cause != nil {
		return nil, 0, &Error{Where: inBundle, What: "it cannot be decompressed: " + cause.Error(), Do: adviseRebuild,
			Err: cause}
	}
	return plain, size, nil
}

// targetOf returns the target of a processor name with features.
func targetOf(processor string) (gcn.Target, error) {
	name, _, _ := strings.Cut(processor, ":")
	return gcn.ParseTarget(name)
}
