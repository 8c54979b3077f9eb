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

// Options says which chip a device is, and how it executes.
type Options struct {
	Chip string // a name of package chip
	// Rules is the rule set. The zero value is the rule set of drivers.
	Rules state.Rules
	// Limit is the number of instructions that a wave may execute; 0 means sim.DefaultWaveLimit.
	Limit uint64
	// Workers is the number of work-groups that execute at a time; 0 means one for each CPU.
	Workers int
	// MemoryBytes is how much memory an open file may allocate; 0 means DefaultMemoryBytes.
	MemoryBytes uint64
	// HangAfter is how long a ring may wait for memory that nothing writes; 0 means DefaultHangAfter.
	HangAfter time.Duration

	// Log receives a line for each request that the device refuses, and the report of each fault. It may be nil.
	Log io.Writer
	// Timing are the parameters of the time model. With them, timestamps and the clock that waves read come from the
	// model. It may be nil.
	Timing *timing.Params
	// Timed is called when a file closes, with the times of all its dispatches. It may be nil.
	Timed func(file int, r *timing.Result)
	// Watch is called before each dispatch and returns its watchers besides Dispatch.Model. For cooperative launches
	// (Schedule is [sim.Cooperative]) the watchers are ignored. It may be nil.
	Watch func(*Dispatch) []sim.Watcher
	// Commands receives a listing of each command buffer before it is executed. It may be nil.
	Commands io.Writer
	// Progress is called when a dispatch begins, with total 0, and repeatedly with the number of finished
	// work-groups. Calls may overlap. It may be nil.
	Progress func(d *Dispatch, done, total int)
	// Dispatched is called after each dispatch, and Faulted when a context is lost. Calls do not overlap and must not
	// call methods of a File. Both may be nil.
	Dispatched func(*Dispatch)
	Faulted    func(*Fault)
	// Drawn is called after each draw that was executed or refused, as if its pixels were the work-items of a
	// dispatch. Registers.End has the width and height of its largest rectangle and the number of rectangles.
	// Kernel's name is the operation, such as "clear". Draws have numbers of their own. Calls do not overlap. It may
	// be nil.
	Drawn func(*Dispatch)
}

// Defaults of Options.
const (
	DefaultMemoryBytes = 8 << 30          // half of it is reported as VRAM, half as GTT
	DefaultHangAfter   = 10 * time.Second // the default lockup_timeout of the amdgpu driver for graphics
)

// Device is a virtual GPU. It is safe for concurrent use.
type Device struct {
	options   Options
	chip      chip.Chip
	registers map[uint32]uint32 // values of the registers that drivers read, by dword offset
	tiling    *tile.Registers   // the tiling registers among them, decoded
	objects   sim.ObjectCache   // decoded code objects
	shares    shares            // memory that processes have exported through the KFD
	sharing   sharing           // memory and sync objects that programs pass to one another as file descriptors

	tell sync.Mutex // held while a callback of the options runs

	mu      sync.Mutex // guards the fields below
	files   int        // opened so far
	open    map[*File]struct{}
	kernels []*Kernel
}

// ChipError says that no chip has that name.
type ChipError struct{ Name string }

// Error lists the known chips.
func (e *ChipError) Error() string {
	var names []string
	for _, c := range chip.All() {
		names = append(names, c.Name)
	}
	return fmt.Sprintf("no chip is called %q; there are %s", e.Name, strings.Join(names, ", "))
}

// New returns a device. The error is a *[ChipError], or says what is wrong with the parameters of the time model.
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
	_, err = d.newTimes() // only to check the parameters: each file has a time model of its own
	return d, err
}

// Chip returns the chip that the device simulates.
func (d *Device) Chip() chip.Chip { return d.chip }

func (d *Device) logf(format string, args ...any) {
	if d.options.Log == nil {
		return
	}
	d.tell.Lock()
	defer d.tell.Unlock()
	fmt.Fprintf(d.options.Log, format+"\n", args...)
}
