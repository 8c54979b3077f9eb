package device

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/gcnsim/gcnsim/gcn/tile"
	"github.com/gcnsim/gcnsim/internal/isa/chip"
	"github.com/gcnsim/gcnsim/internal/sim/timing"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/state"
)

// Options says what a device is and how it runs.
type Options struct {
	Chip string // a name of package chip
	// Rules is the rule set; the zero value is the rule set of drivers.
	Rules state.Rules
	// Limit is how many instructions a wave may execute; 0 is sim.DefaultWaveLimit.
	Limit uint64
	// Workers is how many work-groups run at a time; 0 is one for each CPU.
	Workers int
	// MemoryBytes is how much an open file may allocate; 0 is DefaultMemoryBytes.
	MemoryBytes uint64
	// HangAfter is how long a ring may wait for memory that nothing writes; 0 is
	// DefaultHangAfter.
	HangAfter time.Duration

	// Log, if not nil, gets a line for each request that is not answered, and the report
	// of each fault.
	Log io.Writer
	// Timing, if not nil, says how long dispatches take: then timestamps are the clocks of the
	// time model, and waves read its clock.
	Timing *timing.Params
	// Timed, if not nil, gets the times of all dispatches of a file when that is closed.
	Timed func(file int, r *timing.Result)
	// Watch, if not nil, is called before each dispatch and returns who looks at it besides
	// Dispatch.Model. Nobody looks at a cooperative launch (its Schedule is [sim.Cooperative]), whatever it returns.
	Watch func(*Dispatch) []sim.Watcher
	// Commands, if not nil, gets a listing of each command buffer before it is executed.
	Commands io.Writer
	// Progress, if not nil, is told of each dispatch that begins, and now and then how many of its work-groups are done.
	// total is 0 at first. Calls may overlap.
	Progress func(d *Dispatch, done, total int)
	// Dispatched, if not nil, is told of each dispatch that has run, and Faulted of each
	// context that is lost. Calls do not overlap, and call nothing of a File.
	Dispatched func(*Dispatch)
	Faulted    func(*Fault)
	// Drawn, if not nil, is told of each draw that has run or was refused, as if its pixels were the work-items of a
	// dispatch: Registers.End has the width and height of its largest rectangle and how many it has, and the name of
	// Kernel says what it does, as in "clear". Draws have numbers of their own. Calls do not overlap.
	Drawn func(*Dispatch)
}

// Defaults of Options.
const (
	DefaultMemoryBytes = 8 << 30          // half of it is reported as VRAM, half as GTT
	DefaultHangAfter   = 10 * time.Second // as the amdgpu driver's lockup_timeout of graphics
)

// Device is a virtual GPU. It is safe for concurrent use.
type Device struct {
	options   Options
	chip      chip.Chip
	registers map[uint32]uint32 // values of registers that drivers read, by dword offset
	tiling    *tile.Registers   // the same as the simulator has them
	objects   sim.ObjectCache   // code that was decoded
	shares    shares            // memory that processes have exported by the KFD
	sharing   sharing           // memory and sync objects that programs pass to one another as file descriptors

	tell sync.Mutex // held while the caller is told something

	mu      sync.Mutex // guards what follows
	files   int        // opened so far
	open    map[*File]struct{}
	kernels []*Kernel
}

// ChipError says that there is no chip of a name.
type ChipError struct{ Name string }

// Error lists the names there are.
func (e *ChipError) Error() string {
	var names []string
	for _, c := range chip.All() {
		names = append(names, c.Name)
	}
	return fmt.Sprintf("no chip is called %q; there are %s", e.Name, strings.Join(names, ", "))
}

// New returns a device. The error is a *[ChipError], or says what is wrong with the
// parameters of the times.
func New(o Options) (*Device, error) {
	c := chip.Lookup(o.Chip)
	if c == nil {
		return nil, &ChipError{o.Chip}
	}
	o.MemoryBytes = cmp.Or(o.MemoryBytes, DefaultMemoryBytes)
	o.HangAfter = cmp.Or(o.HangAfter, DefaultHangAfter)
	tiling, err := tile.Preset(c.Name)
	if err != nil {
		return nil, err
	}
	d := &Device{options: o, chip: *c, registers: registers(&c.Tiling), tiling: tiling}
	_, err = d.newTimes() // each file has its own
	return d, err
}

// Chip returns the chip that the device is.
func (d *Device) Chip() chip.Chip { return d.chip }

// logf writes a line to the log.
func (d *Device) logf(format string, args ...any) {
	if d.options.Log == nil {
		return
	}
	d.tell.Lock()
	defer d.tell.Unlock()
	fmt.Fprintf(d.options.Log, format+"\n", args...)
}
