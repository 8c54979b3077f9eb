package device

import "syscall"

// Ioctl numbers that are used outside of the table.
const (
	nrGemClose  = 0x09
	nrGemCreate = commandBase + 0x00
	nrGemMmap   = commandBase + 0x01
	nrCtx       = commandBase + 0x02
	nrCS        = commandBase + 0x04
	nrInfo      = commandBase + 0x05

	nrGemWaitIdle   = commandBase + 0x07
	nrGemVA         = commandBase + 0x08
	nrWaitCS        = commandBase + 0x09
	nrWaitFences    = commandBase + 0x12
	nrFenceToHandle = commandBase + 0x14

	nrSyncobjCreate  = 0xbf
	nrSyncobjDestroy = 0xc0
	nrSyncobjWait    = 0xc3
	nrSyncobjReset   = 0xc4
	nrSyncobjSignal  = 0xc5
	nrTimelineWait   = 0xca
	nrTimelineQuery  = 0xcb
	nrTransfer       = 0xcc
	nrTimelineSignal = 0xcd
)

// ioctls are the implemented ioctls, by number. Source: drm.h, amdgpu_drm.h.
var ioctls = map[uint8]entry[*File]{
	0x00:       on("VERSION", (*File).version),
	nrGemClose: on("GEM_CLOSE", (*File).gemClose),
	0x0c:       on("GET_CAP", (*File).getCap),
	0x2d:       on("PRIME_HANDLE_TO_FD", (*File).primeExport),
	0x2e:       on("PRIME_FD_TO_HANDLE", (*File).primeImport),

	nrGemCreate:        on("AMDGPU_GEM_CREATE", (*File).gemCreate),
	nrGemMmap:          on("AMDGPU_GEM_MMAP", (*File).gemMmap),
	nrCtx:              on("AMDGPU_CTX", (*File).ctxIoctl),
	commandBase + 0x03: on("AMDGPU_BO_LIST", (*File).boListIoctl),
	nrCS:               on("AMDGPU_CS", (*File).cs),
	nrInfo:             on("AMDGPU_INFO", (*File).info),
	commandBase + 0x06: on("AMDGPU_GEM_METADATA", (*File).gemMetadata),
	nrGemWaitIdle:      on("AMDGPU_GEM_WAIT_IDLE", (*File).gemWaitIdle),
	nrGemVA:            on("AMDGPU_GEM_VA", (*File).gemVA),
	nrWaitCS:           on("AMDGPU_WAIT_CS", (*File).waitCS),
	commandBase + 0x10: on("AMDGPU_GEM_OP", (*File).gemOp),
	commandBase + 0x11: on("AMDGPU_GEM_USERPTR", (*File).gemUserptr),
	nrWaitFences:       on("AMDGPU_WAIT_FENCES", (*File).waitFences),
	commandBase + 0x13: on("AMDGPU_VM", (*File).vm),
	nrFenceToHandle:    on("AMDGPU_FENCE_TO_HANDLE", (*File).fenceToHandle),
	commandBase + 0x15: on("AMDGPU_SCHED", (*File).sched),

	nrSyncobjCreate:  on("SYNCOBJ_CREATE", (*File).syncobjCreate),
	nrSyncobjDestroy: on("SYNCOBJ_DESTROY", (*File).syncobjDestroy),
	0xc1:             on("SYNCOBJ_HANDLE_TO_FD", (*File).syncobjExport),
	0xc2:             on("SYNCOBJ_FD_TO_HANDLE", (*File).syncobjImport),
	nrSyncobjWait:    on("SYNCOBJ_WAIT", (*File).syncobjWait),
	nrSyncobjReset:   on("SYNCOBJ_RESET", (*File).syncobjReset),
	nrSyncobjSignal:  on("SYNCOBJ_SIGNAL", (*File).syncobjSignal),
	nrTimelineWait:   on("SYNCOBJ_TIMELINE_WAIT", (*File).timelineWait),
	nrTimelineQuery:  on("SYNCOBJ_QUERY", (*File).timelineQuery),
	nrTransfer:       on("SYNCOBJ_TRANSFER", (*File).syncobjTransfer),
	nrTimelineSignal: on("SYNCOBJ_TIMELINE_SIGNAL", (*File).timelineSignal),
}

type drmVersion struct {
	Major, Minor, Patch int32
	_                   int32
	NameLen, Name       uint64
	DateLen, Date       uint64
	DescLen, Desc       uint64
}

// driverName is the name of the kernel driver.
const driverName = "amdgpu"

// version returns the driver's name and version. Programs call it twice, first with empty buffers to learn the
// lengths. The minor number stands for the features of the interface: 49 is the number in Linux 6.2.
func (f *File) version(c *call, in *drmVersion) (drmVersion, syscall.Errno) {
	in.Major, in.Minor, in.Patch = 3, 49, 0
	for _, s := range []struct {
		text string
		n    *uint64
		addr uint64
	}{
		{driverName, &in.NameLen, in.Name}, {"20150101", &in.DateLen, in.Date}, {"AMD GPU", &in.DescLen, in.Desc},
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
	const prime, syncobj, timeline = 0x5, 0x13, 0x14
	const imports, exports = 1, 2
	switch in.Capability {
	case prime:
		in.Value = imports | exports
	case syncobj, timeline:
		in.Value = 1
	default:
		in.Value = 0
	}
	return *in, 0
}
