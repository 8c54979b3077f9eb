// Package run predicts figures of boards. It executes kernels that do what a figure measures, on a part of the board,
// under the time model.
package run

import (
	"context"
	"embed"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/gcnsim/gcnsim/cmd/internal/boards"
	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa/chip"
	"github.com/gcnsim/gcnsim/internal/sim/timing"
	"github.com/gcnsim/gcnsim/sim"
)

//go:embed testdata/*.co
var objects embed.FS

// part is the divisor for the simulated part of a board. CUs, L2 and memory are all divided by it, so each CU has the
// same share.
const part = 4

// proxies are boards without a chip of their own here: a later chip that represents the last GCN, and a board with
// other memory. Each is simulated as a known board with changed parameters.
var proxies = map[string]struct {
	board string
	set   map[string]int
}{
	"mi100": {"mi50", map[string]int{"CUs": 120, "ShaderEngines": 8, "DRAMGBs": 1229, "L2Bytes": 8 << 20,
		"L2Channels": 32, "GroupClocks": 3, "LaunchClocks": 0}}, // it has twice as many shader engines
	"vega-7": {"ryzen-7-4700g", map[string]int{"CUs": 7, "DRAMGBs": 62}},
}

// params returns the parameters of the board of f.
func params(f *boards.Figure) (timing.Params, gcn.Target, error) {
	name := f.Board
	x, proxy := proxies[name]
	if proxy {
		name = x.board
	}
	p, err := timing.Preset(name)
	if err != nil {
		return p, 0, err
	}
	for name, value := range x.set {
		Change(&p, name, func(int) int { return value })
	}
	p.ClockMHz = f.MHz
	return p, chip.Lookup(name).Target, nil
}

// reduce divides the board.
func reduce(p *timing.Params) {
	for _, name := range []string{"LaunchClocks", "GroupClocks"} {
		Change(p, name, func(v int) int { return v * part })
	}
	p.ShaderEngines = max(p.ShaderEngines/part, 1)
	p.CUs /= part
	for _, name := range []string{"L2Channels", "L2Bytes", "DRAMGBs", "DRAMChannels"} {
		Change(p, name, func(v int) int { return v / part })
	}
}

// Change replaces the value of a parameter by to(value). The parameter must exist.
func Change(p *timing.Params, name string, to func(v int) int) {
	v, err := p.Get(name)
	if err == nil {
		err = p.Set(name, int64(to(int(v))))
	}
	if err != nil {
		panic(err)
	}
}

// Predict returns the model's prediction for f in the unit of f, and the result of the execution. change changes the
// parameters of the board; it may be nil.
func Predict(ctx context.Context, f *boards.Figure, change func(*timing.Params)) (float64, *timing.Result, error) {
	p, target, err := params(f)
	if err != nil {
		return 0, nil, err
	}
	if change != nil {
		change(&p)
	}
	if name := f.Parameter(); name != "" {
		v, err := parameter(&p, name)
		return v, &timing.Result{Params: p}, err
	}
	if _, ok := chases[f.Kernel]; ok {
		return chase(ctx, f, p, target)
	}
	if k, ok := texts[f.Kernel]; ok {
		return k.predict(ctx, p, target)
	}
	if strings.HasPrefix(f.Kernel, "mix_") {
		return mixed(ctx, f, p, target)
	}
	if k, ok := wholes[f.Kernel]; ok {
		return k.predict(ctx, f, p, target)
	}
	k := kernelOf(f)
	if k == nil {
		return 0, nil, fmt.Errorf("run: no kernel does what %s measures", f.Kernel)
	}
	reduce(&p)
	// The difference of two executions removes their start and end.
	short, err := k.run(ctx, name(f), target, p, p.CUs*k.groups)
	if err != nil {
		return 0, nil, err
	}
	long, err := k.run(ctx, name(f), target, p, 3*p.CUs*k.groups)
	if err != nil {
		return 0, nil, err
	}
	work := float64(2*p.CUs*k.groups) * group * float64(k.counts)
	return part * work / float64(long.Cycles-short.Cycles) * float64(p.ClockMHz) / 1000, long, nil
}

// parameter returns the value of a parameter of p.
func parameter(p *timing.Params, name string) (float64, error) {
	for _, x := range p.Fields() {
		if n, ok := x.Value.(int); ok && x.Name == name {
			return float64(n), nil
		}
	}
	return 0, fmt.Errorf("run: the time model has no parameter %q with a number", name)
}

// run runs a kernel on some work-groups.
func (k *kernel) run(ctx context.Context, name string, target gcn.Target, p timing.Params,
	groups int) (*timing.Result, error) {
	m := sim.New(target)
	items := groups * group
	var args []sim.Arg
	for _, n := range k.reads {
		args = append(args, sim.BufferArg(m.Alloc(items*n)))
	}
	if k.random {
		args = append(args, sim.BufferArg(m.Alloc(randomBytes)))
	}
	args = append(args, sim.BufferArg(m.Alloc(items*k.writes)))
	switch {
	case k.random:
		args = append(args, sim.U32(randomBytes/blockBytes-1))
	case k.scalar != nil:
		args = append(args, sim.Bytes(k.scalar))
	}
	j, err := stored(m, p, target.String(), name)
	if err != nil {
		return nil, err
	}
	return j.run(ctx, sim.Launch{Grid: [3]uint32{uint32(items)}, Group: [3]uint32{group}, Args: args})
}

// job is a dispatch under the time model.
type job struct {
	machine *sim.Machine
	params  timing.Params
	object  []byte
	kernel  string
	times   int                // number of dispatches
	span    func(*timing.Span) // called for the last dispatch
}

// stored returns a job of a kernel of a stored object.
func stored(m *sim.Machine, p timing.Params, object, kernel string) (*job, error) {
	data, err := objects.ReadFile("testdata/" + object + ".co")
	return &job{machine: m, params: p, object: data, kernel: kernel, times: 1}, err
}

// run executes the dispatches.
func (j *job) run(ctx context.Context, l sim.Launch) (*timing.Result, error) {
	module, err := j.machine.LoadObject(j.object)
	if err != nil {
		return nil, err
	}
	model, err := timing.New(j.machine.Target, j.params)
	if err != nil {
		return nil, err
	}
	model.HideClock = j.span != nil // the span times are used, not the clock that waves read
	l.Module, l.Kernel = module, j.kernel
	if err := l.Watch(model); err != nil {
		return nil, err
	}
	for i := range j.times {
		if j.span != nil && i == j.times-1 {
			model.OnSpan(j.span)
		}
		if _, err := j.machine.Dispatch(ctx, l); err != nil {
			return nil, err
		}
	}
	return model.Finish()
}

// chases are rings of pointers: their size in bytes, the distance of places, and the number of steps before the
// measurement. A ring that fits into a cache is traversed once before. In a larger ring no place is visited twice.
var chases = map[string]struct{ bytes, apart, before int }{
	"chase_L1": {8 << 10, 64, 8 << 10 / 64}, "chase_L2": {256 << 10, 64, 256 << 10 / 64},
	"chase_DRAM_31MB": {31 << 20, 4160, 512}, "chase_DRAM_1GB": {512 << 20, 65600, 512},
}

// chaseSteps is the number of measured steps.
const chaseSteps = 512

// chase returns the clocks of one step of a lane that follows pointers.
func chase(ctx context.Context, f *boards.Figure, p timing.Params, target gcn.Target) (float64, *timing.Result, error) {
	c := chases[f.Kernel]
	order := rand.New(rand.NewPCG(1, 2)).Perm(c.bytes / c.apart)
	var cycles [2]uint64
	var res *timing.Result
	for i, steps := range []int{c.before, c.before + chaseSteps} {
		m := sim.New(target)
		ring, out := m.Alloc(c.bytes), m.Alloc(8)
		data := ring.Bytes()
		for n, at := range order {
			next := order[(n+1)%len(order)]
			binary.LittleEndian.PutUint64(data[at*c.apart:], ring.Addr+uint64(next*c.apart))
		}
		j, err := stored(m, p, target.String(), "chase")
		if err != nil {
			return 0, nil, err
		}
		if res, err = j.run(ctx, sim.Launch{Grid: [3]uint32{64}, Group: [3]uint32{64},
			Args: []sim.Arg{sim.BufferArg(ring), sim.BufferArg(out), sim.U32(uint32(steps)), sim.U32(1)}}); err != nil {
			return 0, nil, err
		}
		cycles[i] = res.Cycles
	}
	return float64(cycles[1]-cycles[0]) / chaseSteps, res, nil
}
