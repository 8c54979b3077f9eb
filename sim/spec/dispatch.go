package spec

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/sim/codeobj"
	"github.com/gcnsim/gcnsim/internal/sim/compare"
	"github.com/gcnsim/gcnsim/internal/sim/element"
	"github.com/gcnsim/gcnsim/internal/sim/timing"
	"github.com/gcnsim/gcnsim/internal/tool/contexts"
	"github.com/gcnsim/gcnsim/sim"
)

// Dispatch describes a launch: a kernel of a code object, a grid, arguments, and the expected contents of memory.
type Dispatch struct {
	// Object is a code object, the assembly text of one, or a bundle.
	Object []byte `json:"-"`
	// Name is the name of the file of Object, which is read if Object is empty. It is used in messages and source lines.
	// It may be empty, or a name in angle brackets for which there is no file.
	Name   string      `json:"code_object"`
	Kernel string      `json:"kernel"`
	Target *gcn.Target `json:"mcpu"`      // nil means the target in Object
	Grid   [3]uint32   `json:"grid"`      // size in work-items
	Group  [3]uint32   `json:"workgroup"` // size in work-items; zero means [DefaultGroup]
	Args   []Arg       `json:"args"`
	Dump   []Dump      `json:"dump"` // memory that the answer shows
	Expect []Expect    `json:"expect"`

	Offset  [3]uint64 `json:"global_offset"` // offset of global ids
	WorkDim int       `json:"work_dim"`      // number of dimensions passed to the kernel; 0 means that of the grid
	// Kernarg, if not nil, is the kernarg segment. Args must then be buffers, which are only mapped.
	Kernarg    []byte `json:"kernarg"`
	DynamicLDS uint32 `json:"dynamic_lds"` // bytes of LDS in addition to those of the kernel
	// Registers, if not nil, are the registers that a driver has set, see [sim.Launch]. Args must then be buffers as
	// well.
	Registers *sim.Registers `json:"registers"`
	// Entry, if not 0, is the address of the first instruction of Kernel. 0 lets Placement select it.
	Entry uint64 `json:"entry"`
	// GroupLimit is the largest number of work-items in a work-group; 0 means the kernel's limit.
	GroupLimit uint32       `json:"max_flat_workgroup_size"`
	Placement  *Placement   `json:"placement"` // addresses of buffers; nil means seed 1
	Schedule   sim.Schedule `json:"schedule"`  // order in which waves and work-groups take turns
	Settings

	settled bool // files are read, Object is the code object for Target, and settings are resolved for Target
}

// Placement selects the addresses of buffers; see [sim.Memory].
type Placement struct {
	Seed uint64 `json:"seed"`
}

// defaultPlacement is the placement seed of a dispatch without Placement.
const defaultPlacement = 1

// DefaultGroup returns the work-group size of a dispatch of k that has none: the size that k requires, else 64
// work-items, or the largest work-group of k if that is smaller.
func DefaultGroup(k *codeobj.Kernel) [3]uint32 {
	const items = 64
	if k.ReqdGroupSize[0] != 0 {
		return k.ReqdGroupSize
	}
	return [3]uint32{min(items, cmp.Or(k.MaxFlatGroupSize, items))}
}

// launched is a dispatch whose arguments are in memory.
type launched struct {
	launch  *sim.Launch
	machine *sim.Machine
	memory  []*Memory
	model   *timing.Model // nil if the run is not timed
}

// prepare maps the object and the arguments. The addresses are the same each time.
func (d *Dispatch) prepare(o *Options) (*Dispatch, *launched, error) {
	d, err := d.settle(o)
	if err != nil {
		return nil, nil, err
	}
	r, err := d.prepared(o)
	return d, r, err
}

// prepared does what [Dispatch.prepare] does, for a settled dispatch.
func (d *Dispatch) prepared(o *Options) (*launched, error) {
	l, m, err := d.launch(o)
	if err != nil {
		return nil, err
	}
	memory, err := d.setArgs(l, m, o)
	if err != nil {
		return nil, err
	}
	if l.TrapHandler, err = d.handler(m.Target, memory); err != nil {
		return nil, err
	}
	l.Exceptions = d.Exceptions
	model, err := d.model(m.Target, o)
	if err != nil {
		return nil, err
	}
	return &launched{l, m, memory, model}, nil
}

// Run executes d on its own machine. The memory of the result has the final contents. If they differ from the
// expected ones, the result has a Mismatch. The error describes a mistake in d, or is a *[StoppedError] with the
// error of [sim.Machine.Dispatch].
func (d *Dispatch) Run(ctx context.Context, o *Options) (*Result, error) {
	ctx = contexts.Given(ctx)
	if o == nil {
		o = &Options{}
	}
	d, r, err := d.prepare(o)
	if err != nil {
		return nil, err
	}
	var given []declared
	for i, a := range d.Args {
		if a.Buffer != nil {
			given = append(given, declared{a.Buffer, r.memory[i].Buffer})
		}
	}
	checks, err := d.checker(o, given)
	if err != nil {
		return nil, err
	}
	expected, err := d.expectations(r.memory)
	if err != nil {
		return nil, err
	}
	l, m := r.launch, r.machine
	if err := d.checkDumps(r.memory); err != nil {
		return nil, err
	}
	run := &Run{Target: m.Target, Base: l.Module.Base, Model: timing.WatchOf(r.model), Machine: m, Memory: r.memory}
	res, err := o.execute(ctx, &l.Config, run, checks, func() (*sim.Result, error) { return m.Dispatch(ctx, *l) })
	if err != nil {
		return nil, err
	}
	if !o.bare {
		res.Mismatch, err = d.judge(ctx, o, expected, r.memory)
	}
	if err != nil {
		return nil, err
	}
	if res.Sensitivity, err = d.sensitivity(ctx, o, m.Target, timing.ResultOf(res.Times), d.Run); err != nil {
		return nil, &StoppedError{err, res}
	}
	if err := ctx.Err(); err != nil { // the second run was cancelled
		return nil, &StoppedError{err, res}
	}
	return res, nil
}

// named adds the name of the object to err, if it has one.
func (d *Dispatch) named(err error) error {
	if err == nil || d.Name == "" {
		return err
	}
	return fmt.Errorf("%s: %w", d.Name, err)
}

// settle returns a copy of d with the contents of its files, the code object for its processor, and resolved
// settings.
func (d *Dispatch) settle(o *Options) (_ *Dispatch, err error) {
	if d.settled {
		return d, nil
	}
	next := *d
	next.settled = true
	if len(d.Object) == 0 {
		if d.Name == "" {
			return nil, errors.New("code_object is missing; give the file of one")
		}
		if next.Object, err = o.files().ReadFile(d.Name, maxObjectBytes); err != nil {
			return nil, fmt.Errorf("code_object: %w", err)
		}
	}
	processor := ""
	if d.Target != nil {
		processor = d.Target.String()
	}
	if next.Object, err = codeobj.UnbundleKernel(next.Object, processor, d.Kernel); err != nil {
		return nil, d.named(err)
	}
	target, err := d.target(o.Objects, next.Object)
	if err != nil {
		return nil, d.named(err)
	}
	next.Target = &target
	if next.Settings, err = d.Settings.settle(target, o); err != nil {
		return nil, err
	}
	return &next, next.read(o.files())
}

// launch returns a machine and a launch without arguments.
func (d *Dispatch) launch(o *Options) (*sim.Launch, *sim.Machine, error) {
	m, data := sim.New(*d.Target), d.Object
	m.Objects, m.Tiling, m.BorderColors, m.Placement = o.Objects, d.Tiling, d.BorderColors, defaultPlacement
	if d.Placement != nil {
		m.Placement = d.Placement.Seed
	}
	var mod *sim.Module
	var err error
	if d.Entry != 0 {
		mod, err = m.LoadObjectAt(data, d.Kernel, d.Entry)
	} else {
		mod, err = m.LoadObject(data)
	}
	if err != nil {
		return nil, nil, d.named(err)
	}
	if name := filepath.Base(d.Name); d.Name != "" && !strings.HasPrefix(name, "<") {
		mod.TextName = name
	}
	group := d.Group
	// otherwise sim.Dispatch returns the error
	if k, err := mod.Object.Kernel(d.Kernel); err == nil && group == [3]uint32{} {
		group = DefaultGroup(k)
	}
	return &sim.Launch{
		Module: mod, Kernel: d.Kernel, Grid: d.Grid, Group: group,
		Config: sim.Config{Rules: d.Rules, Limit: d.MaxInstructions},
		Offset: d.Offset, WorkDim: d.WorkDim, DynamicLDS: d.DynamicLDS, GroupLimit: d.GroupLimit, Kernarg: d.Kernarg,
		Registers: d.Registers,
		Schedule:  d.Schedule, Workers: o.Workers, Progress: o.Progress,
	}, m, nil
}

// target returns the processor that must execute data, the code object.
func (d *Dispatch) target(objects *sim.ObjectCache, data []byte) (gcn.Target, error) {
	if d.Target != nil {
		return *d.Target, nil
	}
	o, err := objects.Parse(data)
	if err != nil {
		return 0, err
	}
	return o.Target, nil
}

// Program returns d in the form that package compare executes.
func (d *Dispatch) Program(o *Options) compare.Program {
	if o == nil {
		o = &Options{}
	}
	return compare.ProgramOf(func() (*compare.Session, error) {
		s, _, err := d.session(o)
		return s, err
	})
}

// compares reports whether a comparison includes argument i. Memory that a driver has mapped is included only if it
// has expected contents, because the rest is private to the driver.
func (d *Dispatch) compares(i int) bool {
	return d.Registers == nil || len(d.Expect) == 0 ||
		slices.ContainsFunc(d.Expect, func(x Expect) bool { return x.Arg == i })
}

// session prepares d for a comparison.
func (d *Dispatch) session(o *Options) (*compare.Session, *launched, error) {
	d, r, err := d.prepare(o)
	if err != nil {
		return nil, nil, err
	}
	s := &compare.Session{Machine: r.machine, Launch: *r.launch}
	for i, m := range r.memory {
		var b *sim.Buffer
		if m != nil && d.compares(i) {
			b = m.Buffer
		}
		size, contents := 0, (*compare.Contents)(nil)
		if m != nil && m.Image != nil {
			size = m.Image.Layout.Surface.Bytes
			contents = &compare.Contents{Read: m.contents, Address: func(at uint64) (uint64, error) {
				return texelAddr(m.Image, at)
			}}
		}
		if a := d.Args[i].Buffer; a != nil && a.Random != nil {
			size = element.Of(a.Random.As).Bytes
		}
		s.Buffers, s.Elements = append(s.Buffers, b), append(s.Elements, size)
		s.Contents = append(s.Contents, contents)
	}
	for _, x := range d.Expect {
		if x.Arg >= 0 && x.Arg < len(s.Elements) {
			s.Elements[x.Arg] = element.Of(x.As).Bytes
		}
	}
	s.Near, err = d.near(r.memory)
	return s, r, err
}
