package spec

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/gcn/tile"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/isa/chip"
	"github.com/gcnsim/gcnsim/internal/sim/timing"
	"github.com/gcnsim/gcnsim/internal/tool/enum"
	"github.com/gcnsim/gcnsim/internal/tool/literal"
	"github.com/gcnsim/gcnsim/state"
)

// Timing selects whether a run is timed, completely or by sampling: in JSON false, true and "sampled".
type Timing uint8

// The timings.
const (
	NotTimed Timing = iota
	Timed
	Sampled // the time is extrapolated; see [timing.Params].Sampled
)

var timings = [...]string{NotTimed: "false", Timed: "true", Sampled: `"sampled"`}

var _ = enum.Full[Timing](timings[:])

// UnmarshalJSON decodes a Timing.
func (t *Timing) UnmarshalJSON(b []byte) error {
	i := slices.Index(timings[:], string(b))
	if i < 0 {
		return fmt.Errorf("this is %s; give true, false or \"sampled\"", literal.Short(string(b)))
	}
	*t = Timing(i)
	return nil
}

// settle returns s with the values derived for target: Params, Tiling, and the text of the trap handler. It returns
// an error for keys without an effect.
func (s *Settings) settle(target gcn.Target, o *Options) (v Settings, err error) {
	v = *s
	if o.Adjust != nil {
		if err := o.Adjust(target, &v); err != nil {
			return v, err
		}
	}
	const unchecked = "nothing is checked, so they have no effect; give check"
	switch {
	case len(v.Check) > 0:
	case !reflect.ValueOf(v.CheckOptions).IsZero():
		return v, errors.New("check_options: " + unchecked)
	case len(v.Suppressions) > 0:
		return v, errors.New("suppressions: " + unchecked)
	}
	v.CheckOptions.Suppressions = append(slices.Clip(v.CheckOptions.Suppressions), v.Suppressions...)
	tiling, times, err := Chip(v.Chip, target)
	if err != nil {
		return v, err
	}
	if err := v.tile(tiling, target); err != nil {
		return v, err
	}
	v.Tiling = cmp.Or(v.Tiling, tiling)
	if v.TrapHandler, err = v.TrapHandler.read(o.files()); err != nil {
		return v, err
	}
	return v, v.time(times)
}

// maxBorders is the number of colours that BORDER_COLOR_PTR, which has 12 bits, can select (rule CO5).
const maxBorders = 1 << 12

// tile stores the registers in s to r, the tiling registers of a chip that implements target.
func (s *Settings) tile(r *tile.Registers, target gcn.Target) error {
	for _, table := range []struct {
		key    string
		values []uint32
		into   []uint32
		there  bool // the generation has these registers
	}{
		{"tile_mode", s.TileMode, r.TileMode[:], !isa.GenTraits(r.Gen).SwizzleModes},
		{"macrotile_mode", s.MacrotileMode, r.MacroTileMode[:], isa.GenTraits(r.Gen).MacroModes},
	} {
		if len(table.values) > 0 && !table.there {
			return fmt.Errorf("%s: %v has no such registers", table.key, target)
		}
		if len(table.values) > len(table.into) {
			return fmt.Errorf("%s: %d values for %d registers", table.key, len(table.values), len(table.into))
		}
		copy(table.into, table.values)
	}
	if s.GBAddrConfig != nil {
		r.AddrConfig = *s.GBAddrConfig
	}
	if n := len(s.BorderColors); n > maxBorders {
		return fmt.Errorf("border_colors: %d colours, but BORDER_COLOR_PTR selects one of %d", n, maxBorders)
	}
	return nil
}

// time sets Params to p, the parameters of a chip, with the changes in s.
func (s *Settings) time(p timing.Params) error {
	for _, name := range slices.Sorted(maps.Keys(s.TimingParams)) {
		if err := p.Set(name, s.TimingParams[name]); err != nil {
			return err
		}
	}
	switch {
	case s.Params != nil:
	case s.Timing != NotTimed:
		p.Sampled = p.Sampled || s.Timing == Sampled
		s.Params = &p
	case len(s.TimingParams) > 0:
		return errors.New("timing_params has no effect without timing; give \"timing\":true")
	case s.Sensitivity:
		return errors.New("sensitivity has no effect without timing; give \"timing\":true")
	}
	return nil
}

// RaisedBy adds to the fault in err, if it is due to the instruction limit, the name of the option that raises the
// limit.
func RaisedBy(err error, by string) {
	if f, ok := errors.AsType[*state.Fault](err); ok && f.Kind == state.FaultLimit {
		f.What += " with " + by
	}
}

// stopped adds to err, the error of a run, the name of the option that raises the instruction limit.
func (o *Options) stopped(err error) error {
	if !o.bare {
		RaisedBy(err, cmp.Or(o.LimitBy, "max_instructions"))
	}
	return err
}

// Chip returns the tiling registers of a chip such as "polaris10", for [Settings.Tiling], and its timing parameters,
// for [Settings.Timing]. The chip must execute programs for target; "" selects the one that represents target. If
// only the tiling of the chip is known, the timing parameters are also those of that one.
func Chip(name string, target gcn.Target) (*tile.Registers, timing.Params, error) {
	times := timing.Default(target)
	if name == "" {
		r, err := tile.ForTarget(target)
		return r, times, err
	}
	r, err := tile.Preset(name)
	if err != nil {
		return nil, times, fmt.Errorf("chip: %q is not known; tiling is known of %s; times of %s, and both of boards, "+
			"as gcnsim timing lists them",
			name, strings.Join(chip.Names(), ", "), strings.Join(timing.Presets(), ", "))
	}
	if r.Gen != target.Gen() {
		return nil, times, fmt.Errorf("chip %s does not run programs for %v; it is %v", name, target,
			chip.Lookup(name).Target)
	}
	if known, err := timing.Preset(name); err == nil {
		times = known
	}
	return r, times, nil
}
