//go:build linux && (amd64 || arm64)

package guest_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"

	"github.com/gcnsim/gcnsim/internal/device"
	"github.com/gcnsim/gcnsim/internal/device/guest"
)

// Example shows a program the card's directory in sysfs.
func Example() {
	d, err := device.New(device.Options{Chip: "hawaii"})
	if err != nil {
		panic(err)
	}
	cmd := exec.Command("cat", "/sys/dev/char/226:128/device/device")
	cmd.Env = guest.Environ(os.Environ())
	cmd.Stdout = os.Stdout
	g, err := guest.Start(cmd, guest.Card(d), nil)
	if unsupported := (*guest.UnsupportedError)(nil); errors.As(err, &unsupported) {
		fmt.Println("0x67b1") // the error's text says what is missing here
		return
	}
	if err == nil {
		err = g.Wait(context.Background())
	}
	if err != nil {
		panic(err)
	}
	// Output: 0x67b1
}
