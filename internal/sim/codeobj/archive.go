package codeobj

import (
	"bytes"
	"debug/elf"
	"strconv"
	"strings"
)

// The first bytes of archives: a regular one, and a thin one, which names files instead of containing them.
const (
	archiveMagic = "!<arch>\n"
	thinMagic    = "!<thin>\n"
)

// inArchive is the location in errors about archives.
const inArchive = "archive"

// isArchive reports whether data is an archive of ar, by its first bytes.
func isArchive(data []byte) bool {
	return bytes.HasPrefix(data, []byte(archiveMagic)) || bytes.HasPrefix(data, []byte(thinMagic))
}

// readArchive returns the files in an archive. Source: ar(5) of FreeBSD. After the magic, each file has a header of
// 60 bytes in text, with the name in 16 bytes and the size in 10 bytes from byte 48 on, and begins at an even offset.
// A longer name is in a file "//" of the archive at an offset (GNU), or before the data (BSD).
func readArchive(data []byte) (all []Member, err *Error) {
	const header, sizeAt, sizeBytes, endMark = 60, 48, 10, "`\n"
	if bytes.HasPrefix(data, []byte(thinMagic)) {
		return nil, errorf(inArchive, "make it without T, as with ar rcs", "it is thin: its members are in other files")
	}
	var long []byte // contents of the file with long names
	for at := len(archiveMagic); at < len(data); {
		h, ok := slice(data, uint64(at), header)
		if !ok || string(h[header-len(endMark):]) != endMark {
			return nil, errorf(inArchive, adviseRebuild, "there is no header at 0x%x", at)
		}
		name := strings.TrimRight(string(h[:16]), " ")
		size, failed := strconv.ParseUint(strings.TrimRight(string(h[sizeAt:sizeAt+sizeBytes]), " "), 10, 63)
		file, ok := slice(data, uint64(at+header), size)
		if failed != nil || !ok {
			return nil, errorf(inArchive, adviseRebuild, "member %q at 0x%x is longer than the file", name, at)
		}
		at += header + len(file) + len(file)%2
		if name == "//" {
			long = file
			continue
		}
		if name == "/" || name == "/SYM64/" {
			continue // skip an index of symbols
		}
		if name, file, ok = memberName(name, file, long); !ok {
			return nil, errorf(inArchive, adviseRebuild, "it lacks the name of member %q", name)
		}
		all = append(all, Member{name, file})
	}
	return all, nil
}

// memberName returns the complete name of a member, whose header has name, and its data. ok is false if the name
// cannot be found.
func memberName(name string, file, long []byte) (whole string, data []byte, ok bool) {
	if digits, bsd := strings.CutPrefix(name, "#1/"); bsd {
		n, err := strconv.ParseUint(digits, 10, 31)
		before, ok := slice(file, 0, n)
		if err != nil || !ok {
			return name, nil, false
		}
		return strings.TrimRight(string(before), "\x00"), file[n:], true
	}
	if digits, gnu := strings.CutPrefix(name, "/"); gnu {
		n, err := strconv.ParseUint(digits, 10, 31)
		if err != nil || n >= uint64(len(long)) {
			return name, nil, false
		}
		before, _, ok := strings.Cut(string(long[n:]), "/\n")
		return before, file, ok
	}
	return strings.TrimSuffix(name, "/"), file, true
}

// archived returns the code objects for AMD GPUs among the members of an archive.
func archived(data []byte, processor string) (all []Member, err *Error) {
	files, err := readArchive(data)
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		if isArchive(f.Data) || !IsObject(f.Data) {
			continue
		}
		inside, err := members(f.Data, processor)
		if err != nil {
			return nil, errorf(inArchive, err.Do, "member %s: %s: %s", f.Name, err.Where, err.What)
		}
		for _, m := range inside {
			if !isDevice(m.Data) {
				continue
			}
			if m.Name != "" {
				m.Name = " " + m.Name
			}
			m.Name = f.Name + m.Name
			all = append(all, m)
		}
	}
	if len(all) == 0 {
		return nil, errorf(inArchive, adviseTarget, "none of its %d members is for an AMD GPU", len(files))
	}
	return all, nil
}

// isDevice reports whether data is an ELF file for an AMD GPU, by its header.
func isDevice(data []byte) bool {
	return bytes.HasPrefix(data, []byte(elf.ELFMAG)) && len(data) >= headerBytes &&
		elf.Machine(le.Uint16(data[18:])) == elf.EM_AMDGPU
}
