// Package device is a virtual Radeon. It implements the ioctls of the amdgpu kernel driver for a user-space driver,
// and executes the submitted command streams on the simulator.
//
// d, err := device.New(device.Options{Chip: "fiji"})
//
//	f, err := d.Open()                        // one open file: one GPU address space
//	errno := f.Ioctl(ctx, process, request, arg) // as ioctl(2) on the render node
//
// The user of the package passes the ioctls on: it is a transport that intercepts the calls of another process, or a
// test that plays the driver in process. Each open file has one memory file, [File.Memory], which contains its buffer
// objects at the offsets that GEM_MMAP returns. The client maps them and the device maps the whole file, so nothing
// is copied.
//
// The device has no graphics. It refuses a draw, and everything else that it does not model, with a message that
// names it. A fault or a refusal loses its context, like a GPU reset: the client sees ECANCELED, all its sync objects
// are signalled, and [Options].Log receives a report.
//
// Sources: the kernel's user interface drm.h and amdgpu_drm.h; Mesa's winsys and packet headers.
package device
