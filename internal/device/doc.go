// Package device is a virtual Radeon: it answers what a user-space driver asks the amdgpu
// kernel driver, and executes the command streams that it submits on the simulator.
//
//	d, err := device.New(device.Options{Chip: "fiji"})
//	f, err := d.Open()                        // one open file: one GPU address space
//	errno := f.Ioctl(ctx, process, request, arg) // as ioctl(2) on the render node
//
// Who drives it brings the calls: a transport that catches those of a foreign process, or
// a test that plays the driver in process. Buffer objects lie in one memory file an open
// file, [File.Memory], at the offsets that GEM_MMAP gives: the client maps them, the device
// has all of it mapped, nothing is copied.
//
// The device has no graphics: a draw is refused by name, as is whatever else is not
// modelled. A fault or a refusal loses the context it happened on, as a GPU reset does; the
// client sees ECANCELED and all its sync objects signalled, and [Options].Log gets a report.
//
// Sources: the kernel's user interface drm.h and amdgpu_drm.h; Mesa's winsys and packet
// headers.
package device
