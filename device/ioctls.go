package device

import "syscall"

// Numbers that more than the table names.
const (
	nrGemClose  = 0x09
	nrGemCreate = commandBase + 0x00
	nrGemMmap   = commandBase + 0x01
	nrInfo      = commandBase + 0x05
)

// ioctls are the ioctls that are answered, by number. Source: drm.h, amdgpu_drm.h.
var ioctls = map[uint8]entry{
	0x00:       on("VERSION", (*File).version),
	nrGemClose: on("GEM_CLOSE", (*File).gemClose),
	0x0c:       on("GET_CAP", (*File).getCap),

	nrGemCreate:        on("AMDGPU_GEM_CREATE", (*File).gemCreate),
	nrGemMmap:          on("AMDGPU_GEM_MMAP", (*File).gemMmap),
	nrInfo:             on("AMDGPU_INFO", (*File).info),
	commandBase + 0x06: on("AMDGPU_GEM_METADATA", (*File).gemMetadata),
	commandBase + 0x10: on("AMDGPU_GEM_OP", (*File).gemOp),
	commandBase + 0x11: on("AMDGPU_GEM_USERPTR", (*File).gemUserptr),
}

type drmVersion struct {
	Major, Minor, Patch int32
	_                   int32
	NameLen, Name       uint64
	DateLen, Date       uint64
	DescLen, Desc       uint64
}

// version answers who the driver is. It is asked twice, first with empty buffers for the
// lengths. The minor number says what the interface can do: 49 is that of Linux 6.2.
func (f *File) version(c *call, in *drmVersion) (drmVersion, syscall.Errno) {
	in.Major, in.Minor, in.Patch = 3, 49, 0
	for _, s := range []struct {
		text string
		n    *uint64
		addr uint64
	}{
		{"amdgpu", &in.NameLen, in.Name}, {"20150101", &in.DateLen, in.Date}, {"AMD GPU", &in.DescLen, in.Desc},
	} {
		if s.addr != 0 {
			if errno := c.write([]byte(s.text[:min(uint64(len(s.text)), *s.n)]), s.addr); errno != 0 {
				return *in, errno
			}
		}
		*s.n = uint64(len(s.text))
	}
	return *in, 0
}

type getCap struct{ Capability, Value uint64 }

func (f *File) getCap(_ *call, in *getCap) (getCap, syscall.Errno) {
	const syncobj, timeline = 0x13, 0x14
	in.Value = 0
	if in.Capability == syncobj || in.Capability == timeline {
		in.Value = 1
	}
	return *in, 0
}
