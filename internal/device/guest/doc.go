// Package guest runs unmodified programs with a simulated graphics card. For the program, and for all processes that
// it starts, /dev/dri/renderD128 is a [Device]. The program may be written in any language and make its system calls
// in any way.
//
// cmd := exec.Command("vulkaninfo", "--summary")
//
//	cmd.Env = guest.Environ(os.Environ())
//	g, err := guest.Start(cmd, guest.Card(d), nil) // d is a *device.Device
//	err = g.Wait(ctx)
//
// It needs no root rights, no kernel module and no library in the program. The thread that starts the program sets a
// seccomp filter, which the program inherits. The filter sends a few system calls to this process
// (seccomp_unotify(2)): those that open a file or query it by path, and ioctls of type 'd'. This process answers the
// calls about the card and returns the others to the kernel. All else executes at full speed. The descriptor that a
// program receives is the memory file of its open file of the device, so mmap, dup, fork, close and passing it on
// work without help.
//
// This process opens only the card's files for a program, even if the program changes its paths and arguments while
// they are read.
//
// A program cannot gain privileges (set-user-ID programs execute without them). It cannot set a filter of its own
// with a listener. It cannot see the card through io_uring, open_by_handle or 32-bit system calls, nor by name from
// another root directory or mount namespace.
//
// The package needs Linux 5.19 or later, on amd64 or arm64; [Start] says what is missing.
package guest
