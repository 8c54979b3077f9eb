package timing

import (
	"errors"
	"fmt"
	"iter"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/isa/chip"
	"github.com/gcnsim/gcnsim/internal/tool/enum"
)

// LineBytes is the size of a line of every cache (rules CY7 and CY12).
const LineBytes = 64

// Params are the parameters of a chip; [Preset] returns them. Those that are not fields are accessed by their names
// with [Params.Get] and [Params.Set]; [Params.Fields] lists all of them.
type Params struct {
	Chip string

	CUs           int `unit:"compute units" source:"product data" max:"256"`
	ShaderEngines int `unit:"shader engines, among which the CUs are divided" source:"product data" max:"64"`
	ClockMHz      int `unit:"MHz" source:"product data"`

	of parameters

	// PerfectMemory makes every access an L1 hit. NoCache makes every data access go to DRAM. Both are for teaching.
	PerfectMemory bool `unit:"switch" source:"user"`
	NoCache       bool `unit:"switch" source:"user"`

	// Sampled times work-groups until their rate is steady, and later a few of them from time to time; the others
	// execute without times. See [Result].Sampled.
	Sampled bool `unit:"switch" source:"user"`

	// MaxBytes is the largest memory of a model; exceeding it is an [ErrMaxBytes]. Most of it are the streams of
	// concurrent work-groups: a few bytes for each piece of straight-line code that differs from the previous one, for
	// each access, and for each run of cache lines in it. If the work-groups of a dispatch may take turns (see
	// [sim.Needs]), it does not grow with the number of executed instructions.
	MaxBytes int `unit:"bytes" source:"user" max:"1099511627776"`
}

// parameters are those that can be set by [Params.Set] only. A tag has the unit of a field and its source, its
// minimum if that is not 1 and its maximum if that is not 2^20. The values of "assumed" fields come from no public
// source.
type parameters struct {
	SIMDs        int `unit:"SIMDs a CU" source:"AMD, GCN whitepaper" max:"16"`
	WavesPerSIMD int `unit:"waves" source:"AMD, GCN whitepaper; Polaris: Mesa" max:"16"`
	VGPRs        int `unit:"registers of a SIMD, for each lane" source:"AMD, GCN whitepaper" max:"4096"`
	SGPRs        int `unit:"registers of a SIMD" source:"LLVM AMDGPU, registers by waves"`
	LDSBytes     int `unit:"bytes a CU" source:"AMD, GCN whitepaper"`

	BranchTaken   int `unit:"clocks" source:"CLRX GcnTimings" max:"4096"`
	HalfRate      int `unit:"clocks of s_setreg, s_*_saveexec_b64, v_swap_b32" source:"CLRX GcnTimings" max:"4096"`
	QuarterRate   int `unit:"clocks of transcendentals, steps of divisions, quad sums" source:"CLRX GcnTimings" max:"4096"`
	MultiplyRate  int `unit:"clocks of 32-bit integer products" source:"CLRX GcnTimings; clpeak" max:"4096"`
	FusedRate     int `unit:"clocks of v_fma_f32" source:"CLRX GcnTimings; LLVM, FastFMAF32" max:"4096"`
	DoubleRate    int `unit:"clocks of double-precision products; half as many of other 64-bit operations" source:"product data" max:"4096"`
	FetchCross    int `unit:"clocks more for a wave if 8 bytes cross a 32-byte block" source:"CLRX GcnTimings" min:"0" max:"4096"`
	SleepUnit     int `unit:"clocks of one step of s_sleep" source:"AMD ISA manuals" min:"0" max:"256"`
	LaunchClocks  int `unit:"clocks a wave that the chip starts" source:"mgpusim, an R9 Nano" min:"0" max:"4096"`
	GroupClocks   int `unit:"clocks a work-group that the chip starts, at least" source:"mgpusim, an R9 Nano" min:"0" max:"4096"`
	StartLatency  int `unit:"clocks from the launch of a wave of a dispatch to its first instruction" source:"fitted: gpu-benches on an MI100" min:"0" max:"4096"`
	VMEMBacklog   int `unit:"clocks of work that TA queues" source:"assumed" min:"0"`
	LDSBacklog    int `unit:"clocks of work that LDS queues" source:"assumed" min:"0"`
	L1Queue       int `unit:"lines that wait for the way to L2 until L1 stops TA" source:"assumed" min:"0"`
	WriteQueue    int `unit:"lines that a channel of L2 holds for DRAM until it stops" source:"fitted: BabelStream" min:"0"`
	WriteBatch    int `unit:"lines written between reads" source:"fitted: BabelStream, FluidX3D, gpu-benches" max:"4096"`
	WriteBubble   int `unit:"ps that the bus loses for each row that writes open, beside RowBubble" source:"fitted: FluidX3D; many streams alone show it" min:"0"`
	DRAMQueue     int `unit:"lines that wait in a channel of DRAM and are reordered" source:"assumed"`
	AtomicSame    int `unit:"clocks of each further lane of an atomic on one dword, in L2 and LDS" source:"assumed" min:"0" max:"256"`
	LDSLatency    int `unit:"clocks" source:"assumed, as an MI308X: tingqli/pyhip; GCN 1.0: Chips and Cheese" min:"0"`
	GDSLatency    int `unit:"clocks" source:"assumed" min:"0"`
	ScalarLatency int `unit:"clocks of a scalar cache hit" source:"assumed" min:"0"`
	L1Latency     int `unit:"clocks of a hit" source:"assumed, as an MI100: gpu-benches" min:"0"`
	L2Latency     int `unit:"clocks of a hit" source:"assumed, as an MI100: gpu-benches" min:"0"`
	DRAMLatency   int `unit:"ns from L2 to an idle bank and back, less the times of the bank" source:"assumed, as an MI100: gpu-benches" min:"0"`

	CoalescedLanes int `unit:"lanes a clock" source:"GPUOpen, GCN memory coalescing" max:"64"`
	PairEighths    int `unit:"1/8 clock for a quad of two-dword loads" source:"sebbbi/perftest; CLRX GcnTimings" max:"64"`

	StoreBacklog int `unit:"clocks of lanes of stores that wait for L2 until TA stops" source:"assumed" min:"0"`
	StoreEighths int `unit:"1/8 clock for a lane of a store, on its way to L2" source:"fitted: FluidX3D, SHOC" max:"256"`

	L1Bytes      int  `unit:"bytes" source:"AMD, GCN whitepaper"`
	L1Ways       int  `unit:"ways" source:"AMD, GCN whitepaper" max:"256"`
	L1Hash       bool `unit:"switch" source:"fitted: SHOC, lanes 4 KB apart"`
	L2Bytes      int  `unit:"bytes" source:"product data" max:"268435456"`
	L2Ways       int  `unit:"ways" source:"product data" max:"256"`
	L2Channels   int  `unit:"channels of 64 bytes a clock" source:"product data" max:"256"`
	L2Interleave int  `unit:"bytes of a channel's turn" source:"assumed, as GB_ADDR_CONFIG.PIPE_INTERLEAVE_SIZE"`
	L2Gap        int  `unit:"percent of a clock that a channel loses with each line" source:"fitted: gpu-benches on an MI100" min:"0" max:"1000"`
	ScalarBytes  int  `unit:"bytes" source:"AMD, GCN whitepaper"`
	ScalarWays   int  `unit:"ways" source:"AMD, GCN whitepaper" max:"256"`
	InstBytes    int  `unit:"bytes" source:"AMD, GCN whitepaper"`
	InstWays     int  `unit:"ways" source:"AMD, GCN whitepaper" max:"256"`
	CUsPerScalar int  `unit:"CUs that share scalar and instruction cache" source:"AMD, GCN whitepaper; GCN 1.4: amdkfd"`
	DRAMGBs      int  `unit:"GB/s" source:"product data"`
	DRAMChannels int  `unit:"channels: of 32 bits with GDDR5, 128 with HBM, 64 with DDR" source:"product data" max:"256"`
	DRAMBanks    int  `unit:"banks of a channel" source:"data sheets, by DRAMsim3 and Ramulator" max:"256"`
	RowBytes     int  `unit:"bytes of a row of a bank" source:"data sheets, by DRAMsim3 and Ramulator"`
	RowOpen      int  `unit:"ns to precharge a bank and activate a row, tRP and tRCD" source:"data sheets, by DRAMsim3 and Ramulator" min:"0"`
	RowCycle     int  `unit:"ns from one activation of a bank to the next, tRC" source:"data sheets, by DRAMsim3 and Ramulator" min:"0"`
	RowGap       int  `unit:"ns from one activation of a channel to the next, tRRD and a quarter of tFAW" source:"data sheets, by Ramulator; HBM fitted: ethminer" min:"0"`
	RowBubble    int  `unit:"ps that the bus loses for each activation" source:"fitted: clpeak, ethminer" min:"0"`
	BurstGap     int  `unit:"percent that lines take longer on the bus, because bursts follow one another in a group of banks" source:"fitted: clpeak on a Radeon Pro VII" min:"0" max:"1000"`
	BusTurn      int  `unit:"ns that the bus takes to turn to writes and back" source:"data sheets, by DRAMsim3, rounded up" min:"0"`
	RefreshEvery int  `unit:"ns between refreshes of a channel, tREFI" source:"data sheets, by DRAMsim3 and Ramulator" min:"0"`
	RefreshTime  int  `unit:"ns that a refresh stops a channel, tRFC" source:"data sheets, by DRAMsim3 and Ramulator" min:"0"`

	// HasEA names the counters between L2 and DRAM TCC_EA_*, which count requests of 64 bytes, instead of TCC_MC_*,
	// which count 32 bytes.
	HasEA bool `unit:"switch" source:"rocprofiler, gfx8 and gfx9 metrics"`
}

// common are the values that all presets share.
var common = Params{MaxBytes: 1 << 30, of: parameters{
	SIMDs: 4, WavesPerSIMD: 10, VGPRs: 256, SGPRs: 800, LDSBytes: 64 << 10,
	BranchTaken: 20, HalfRate: 8, QuarterRate: 16, MultiplyRate: 16, FusedRate: 4, SleepUnit: 64, LaunchClocks: 1,
	GroupClocks: 4, StartLatency: 290,
	VMEMBacklog: 64, LDSBacklog: 64, L1Queue: 64, WriteQueue: 128, WriteBatch: 24, DRAMQueue: 64, RowBubble: 1500,
	WriteBubble: 1950,
	AtomicSame:  1, LDSLatency: 40, GDSLatency: 190, ScalarLatency: 48,
	L1Latency: 127, L2Latency: 258, DRAMLatency: 160, // rule CY8
	CoalescedLanes: 16, PairEighths: 9, StoreEighths: 8, StoreBacklog: 512,
	L1Bytes: 16 << 10, L1Ways: 4, L1Hash: true, L2Ways: 16, L2Interleave: 256, L2Gap: 20,
	ScalarBytes: 16 << 10, ScalarWays: 4, InstBytes: 32 << 10, InstWays: 4, CUsPerScalar: 4,
}}

// ofGeneration sets the values that the chips of a generation share.
var ofGeneration = [gcn.NumGens]func(p *Params){
	gcn.GCN10: func(p *Params) { p.of.FetchCross, p.of.SGPRs, p.of.LDSLatency = 4, 512, 126 }, // rule CY11
	gcn.GCN11: func(p *Params) { p.of.FetchCross, p.of.SGPRs = 4, 512 },
	gcn.GCN12: func(*Params) {},
	gcn.GCN14: vega, gcn.GCN141: vega,
}

var _ = enum.Full[gcn.Gen](ofGeneration[:])

func vega(p *Params) {
	p.of.PairEighths, p.of.StoreEighths, p.of.HasEA, p.of.CUsPerScalar = 8, 5, true, 3 // rule CY7
}

// memories sets the times of each kind of memory, depending on the width of the bus (rule CY14).
var memories = [chip.NumMemoryKinds]func(p *Params, bits int){
	chip.GDDR5: func(p *Params, bits int) {
		p.of.DRAMChannels, p.of.DRAMBanks, p.of.RowBytes = bits/32, 16, 2048
		p.of.RowOpen, p.of.RowCycle, p.of.RowGap, p.of.BusTurn, p.of.RefreshEvery, p.of.RefreshTime = 24, 40, 6, 14, 1900, 110
	},
	chip.HBM: func(p *Params, bits int) {
		p.of.DRAMChannels, p.of.DRAMBanks, p.of.RowBytes, p.of.WriteBubble = bits/128, 8, 2048, 10000
		p.of.RowOpen, p.of.RowCycle, p.of.RowGap, p.of.BusTurn = 28, 48, 16, 16
		p.of.RefreshEvery, p.of.RefreshTime = 3900, 260
	},
	chip.HBM2: func(p *Params, bits int) {
		p.of.DRAMChannels, p.of.DRAMBanks, p.of.RowBytes, p.of.BurstGap = bits/64, 16, 1024, 8
		p.of.WriteBatch, p.of.WriteBubble = 6, 0
		if bits > 2048 { // Vega 20
			p.of.WriteBatch, p.of.WriteQueue = 64, 256
		}
		p.of.RowOpen, p.of.RowCycle, p.of.RowGap, p.of.BusTurn, p.of.RefreshEvery, p.of.RefreshTime = 28, 48, 8, 16, 3900, 260
	},
	chip.DDR3: ddr, chip.DDR4: ddr,
}

var _ = enum.Full[chip.MemoryKind](memories[:])

func ddr(p *Params, bits int) {
	p.of.DRAMChannels, p.of.DRAMBanks, p.of.RowBytes = bits/64, 16, 8192
	p.of.RowOpen, p.of.RowCycle, p.of.RowGap, p.of.BusTurn, p.of.RefreshEvery, p.of.RefreshTime = 28, 48, 6, 16, 7800, 350
}

// Presets returns the names of the chips with times, in alphabetical order. The boards of [chip.Boards] have times as
// well.
func Presets() []string {
	var all []string
	for _, b := range chip.Boards() {
		all = append(all, b.Chip)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// Preset returns the parameters of a board, or of the board that represents a chip. The error names the known chips.
func Preset(name string) (Params, error) {
	b := chip.LookupBoard(name)
	if b == nil {
		return Params{}, fmt.Errorf("timing: there are no times of chip %q; there are of %s, and of boards, as gcnsim "+
			"timing lists them", name, strings.Join(Presets(), ", "))
	}
	c := chip.Lookup(b.Chip)
	p := common
	ofGeneration[c.Target.Gen()](&p)
	p.Chip, p.CUs, p.ShaderEngines, p.ClockMHz = b.Name, b.CUs, b.ShaderEngines, b.ClockMHz
	if strings.EqualFold(name, c.Name) {
		p.Chip = c.Name
	}
	if strings.HasPrefix(b.Chip, "polaris") {
		p.of.WavesPerSIMD = 8 // rule CY2
	}
	memories[b.Memory.Kind](&p, b.Memory.Bits)
	p.of.L2Bytes, p.of.L2Channels = b.L2Bytes, b.L2Channels
	p.of.DRAMGBs, p.of.DoubleRate = b.Memory.GBs(), b.DoubleRate
	t := isa.TraitsOf(c.Target)
	if !t.FastFMA {
		p.of.FusedRate = p.of.QuarterRate
	}
	if t.FastMultiply {
		p.of.MultiplyRate = 8
	}
	return p, nil
}

// Default returns the parameters of the chip that represents t or, if that has no times, the generation of t.
func Default(t gcn.Target) Params {
	p, err := Preset(chip.ForTarget(t).Name)
	if err != nil {
		p, err = Preset(chip.ForTarget(t.Gen().Target()).Name)
	}
	if err != nil {
		panic("timing: " + err.Error()) // unreachable: every generation has a chip with times
	}
	return p
}

// Field describes one parameter.
type Field struct {
	Name, Unit, Source string
	Value              any
	Assumed            bool // no public source has the value
}

// Fields returns all parameters in the order of their declaration.
func (p *Params) Fields() []Field {
	var all []Field
	for f, v := range p.each() {
		source := f.Tag.Get("source")
		all = append(all, Field{f.Name, f.Tag.Get("unit"), source, v.Interface(), strings.HasPrefix(source, "assumed")})
	}
	return all
}

// each yields the parameters in the order of their declaration. Those of p.of are at its position.
func (p *Params) each() iter.Seq2[*reflect.StructField, reflect.Value] {
	return func(yield func(*reflect.StructField, reflect.Value) bool) {
		_ = tagged(reflect.ValueOf(p).Elem(), func(f *reflect.StructField, v reflect.Value) bool {
			if v.Type() == reflect.TypeFor[parameters]() {
				return tagged(reflect.ValueOf(&p.of).Elem(), yield)
			}
			return f.Tag.Get("source") == "" || yield(f, v)
		})
	}
}

// tagged calls yield for the fields of a struct until yield returns false, and returns the last result.
func tagged(v reflect.Value, yield func(*reflect.StructField, reflect.Value) bool) bool {
	for i := range v.NumField() {
		if f := v.Type().Field(i); !yield(&f, v.Field(i)) {
			return false
		}
	}
	return true
}

// Get returns a parameter by its name; switches are 0 or 1. It returns an error if the name is unknown.
func (p *Params) Get(name string) (int64, error) {
	v, err := p.named(name)
	switch {
	case err != nil:
		return 0, err
	case v.Kind() != reflect.Bool:
		return v.Int(), nil
	case v.Bool():
		return 1, nil
	}
	return 0, nil
}

// Set sets a parameter by its name; switches are 0 or 1. It returns an error if the name is unknown, or if the value
// of a switch is neither. [New] checks whether the value is possible.
func (p *Params) Set(name string, value int64) error {
	v, err := p.named(name)
	switch {
	case err != nil:
		return err
	case v.Kind() != reflect.Bool:
		v.SetInt(value)
	case value != 0 && value != 1:
		return fmt.Errorf("timing: %s is %d; it must be true or false, or 1 or 0", name, value)
	default:
		v.SetBool(value == 1)
	}
	return nil
}

// named returns a settable value for the parameter with that name.
func (p *Params) named(name string) (reflect.Value, error) {
	var names []string
	for f, v := range p.each() {
		if f.Name == name {
			return v, nil
		}
		names = append(names, f.Name)
	}
	return reflect.Value{}, fmt.Errorf("timing: there is no parameter %q; known are %s", name, strings.Join(names, ", "))
}

// engines returns the number of shader engines and the largest number of CUs in one. Every engine has a CU.
func (p *Params) engines() (engines, cus int) {
	engines = min(p.ShaderEngines, p.CUs)
	return engines, (p.CUs + engines - 1) / engines
}

// clocks converts nanoseconds to engine clocks.
func (p *Params) clocks(ns int) uint64 { return uint64(ns) * uint64(p.ClockMHz) / 1000 }

// maxParam is the maximum of parameters without a max in their tag. It is far above any chip, and small enough to
// prevent overflow of times and excessive memory.
const maxParam = 1 << 20

// inRange returns an error for values that no chip has or with which a run would never end.
func inRange(f *reflect.StructField, n int64) error {
	least, most := bound(f, "min", 1), min(bound(f, "max", maxParam), math.MaxInt)
	if n < least || n > most {
		return fmt.Errorf("timing: %s is %d; it must be %d to %d", f.Name, n, least, most)
	}
	return nil
}

// bound returns the value of a tag of f, or otherwise.
func bound(f *reflect.StructField, tag string, otherwise int64) int64 {
	text, ok := f.Tag.Lookup(tag)
	if !ok {
		return otherwise
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		panic("timing: " + f.Name + ": " + err.Error())
	}
	return n
}

// check returns an error for parameters that are out of range, contradict one another, or are impossible for chips
// that execute t.
func (p *Params) check(t gcn.Target) error {
	for f, v := range p.each() {
		if v.Kind() == reflect.Int {
			if err := inRange(f, v.Int()); err != nil {
				return err
			}
		}
	}
	for _, c := range []struct {
		name        string
		bytes, ways int
	}{{"L1", p.of.L1Bytes, p.of.L1Ways}, {"L2", p.of.L2Bytes, p.of.L2Ways}, {"Scalar", p.of.ScalarBytes, p.of.ScalarWays},
		{"Inst", p.of.InstBytes, p.of.InstWays}} {
		if set := LineBytes * c.ways; c.bytes%set != 0 {
			return fmt.Errorf("timing: %sBytes is %d; it must be a multiple of %d, %d bytes for each of %d %sWays", c.name,
				c.bytes, set, LineBytes, c.ways, c.name)
		}
	}
	if p.of.L2Interleave%LineBytes != 0 {
		return fmt.Errorf("timing: L2Interleave is %d; it must be a multiple of %d", p.of.L2Interleave, LineBytes)
	}
	if p.of.RowBytes%LineBytes != 0 {
		return fmt.Errorf("timing: RowBytes is %d; it must be a multiple of %d", p.of.RowBytes, LineBytes)
	}
	if most := p.of.RefreshEvery / 2; p.of.RefreshTime > most && p.of.RefreshEvery != 0 {
		return fmt.Errorf("timing: RefreshTime is %d; it must be at most half of RefreshEvery, %d", p.of.RefreshTime, most)
	}
	if p.PerfectMemory && p.NoCache {
		return errors.New("timing: PerfectMemory and NoCache contradict each other; give one")
	}
	if c := chip.Lookup(p.Chip); c != nil && c.Target.Gen() != t.Gen() {
		return fmt.Errorf("timing: chip %s does not run programs for %v; it is %v", p.Chip, t, c.Target)
	}
	return nil
}
