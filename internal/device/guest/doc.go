// Package guest runs unmodified programs with a graphics card that this process answers
// for: what they open as /dev/dri/renderD128 is a [Device], whatever their language and
// however they make their system calls, and so for all processes they start.
//
//	cmd := exec.Command("vulkaninfo", "--summary")
//	cmd.Env = guest.Environ(os.Environ())
//	g, err := guest.Start(cmd, guest.Card(d), nil) // d is a *device.Device
//	err = g.Wait(ctx)
//
// It takes no root, no kernel module and no library in the program. The thread that starts
// the program sets a seccomp filter that it inherits, and that hands a few system calls to
// this process (seccomp_unotify(2)): opening a file and asking what it is, by path, and
// ioctls of type 'd'. Those that are about the card are answered here, others go on to the
// kernel; all else runs at full speed. The descriptor that a program gets is the memory file
// of its open file of the device, so that mmap, dup, fork, close and passing it on work
// without help.
//
// This process opens nothing for a program but the files of the card, whatever the program
// makes of its paths and arguments while they are read.
//
// What the program cannot do: gain privileges (set-user-ID programs run without), set a
// filter of its own that has a listener, and see the card through io_uring, open_by_handle
// or 32-bit system calls, or by its name from another root directory or mount namespace.
//
// It is there on Linux, 5.19 or later, for amd64 and arm64; [Start] says what is missing.
package guest
