package record

import (
	"github.com/gcnsim/gcnsim/internal/sim/timing"
	"github.com/gcnsim/gcnsim/sim/check"
)

// Version is the version number of the file format.
const Version = 2

// Record holds the recorded part of a run. In the file it is JSON, except for the steps of windows.
type Record struct {
	Version int    `json:"version"`
	Title   string `json:"title,omitempty"`
	Target  string `json:"target"`
	Chip    string `json:"chip,omitempty"` // the chip whose times these are, "" without times
	Cycles  uint64 `json:"cycles,omitempty"`
	Base    uint64 `json:"base,omitempty"` // the address to which PCs are relative

	Insts    []Inst    `json:"insts"`              // executed instructions, in the order of their first execution
	Names    []string  `json:"names,omitempty"`    // names of vector registers if they are not v0, v1, ...
	Rules    []string  `json:"rules,omitempty"`    // rules by which lanes were out of range
	Pictures []Picture `json:"pictures,omitempty"` // images that were accessed
	// Findings come from checks. Their instruction addresses are relative to Base.
	Findings []check.Finding `json:"findings,omitempty"`
	Fault    *Fault          `json:"fault,omitempty"` // the reason why the run ended early
	LeftOut  LeftOut         `json:"left_out"`
	Windows  []Window        `json:"windows"`

	LaneGroups [][]timing.LaneGroup `json:"-"` // groups of lanes taken together; in the file, masks are hex digits
}

// LeftOut counts parts of the run that are not in the record.
type LeftOut struct {
	Waves        uint64 `json:"waves"`         // waves without a recorded instruction
	Instructions uint64 `json:"instructions"`  // instructions, including those of these waves
	LaneGroups   uint64 `json:"turns"`         // accesses whose lane groups are not in the file
	Pictures     uint64 `json:"pictures"`      // images that exceed the limits on number or size
	Untimed      uint64 `json:"untimed_steps"` // recorded instructions without times
	// Registers counts register components of a run recorded by [Before], beyond the first 256 that change.
	Registers uint64 `json:"registers,omitempty"`
}

// Inst is an instruction of the program.
type Inst struct {
	PC       uint64 `json:"pc"`
	Text     string `json:"text"`
	Source   string `json:"source,omitempty"` // source line, for example "k.cl:12"
	Class    string `json:"class"`
	VM       uint8  `json:"vm,omitempty"`   // increments of the three counters
	EXP      uint8  `json:"exp,omitempty"`  //
	LGKM     uint8  `json:"lgkm,omitempty"` //
	Wait     bool   `json:"wait,omitempty"` // the instruction is s_waitcnt
	Resource int    `json:"resource,omitempty"`
	Kind     string `json:"kind,omitempty"` // kind of the resource: vsharp or tsharp
	// 1 + the first SGPR of the S#; Resource is 1 + the first SGPR of the resource
	Sampler int `json:"sampler,omitempty"`
	// Formula is the address of a lane as a formula of registers, "" if there is none: see docs/RECORD.md.
	Formula string `json:"formula,omitempty"`
}

// Picture is an image as shaders see it, with one slice only. A level has the bytes red, green, blue and alpha of
// each texel, row after row.
type Picture struct {
	Words  []uint32       `json:"words"` // the dwords of the T#
	Format string         `json:"format"`
	Slice  int            `json:"slice"` // number of the slice
	Levels []PictureLevel `json:"levels"`
}

// PictureLevel is a level of a picture. Levels are counted from the first one of the surface.
type PictureLevel struct {
	Width  int    `json:"width"`
	Height int    `json:"height"`
	RGBA   []byte `json:"rgba,omitempty"` // nil if the level is too large
}

// Site identifies an executed instruction.
type Site struct {
	PC    uint64    `json:"pc"`
	Group [3]uint32 `json:"group"`
	Wave  int       `json:"wave"`
	Step  uint64    `json:"step"` // number of the instruction in its wave
	Text  string    `json:"text,omitempty"`
}

// Fault is the reason why a run ended early.
type Fault struct {
	Site
	Kind    string `json:"kind"`
	Message string `json:"message"`
	Lane    int    `json:"lane"`
	Addr    uint64 `json:"addr,omitempty"`
}

// Window is a sequence of consecutive instructions of a wave.
type Window struct {
	Group [3]uint32 `json:"group"`
	Wave  int       `json:"wave"`           // number of the wave in its work-group
	Name  string    `json:"name,omitempty"` // name of the program, if the run has several programs or no work-groups
	From  uint64    `json:"from"`           // number of instructions that the wave executed before
	Count int       `json:"count"`
	VGPRs int       `json:"vgprs"`
	LDS   uint32    `json:"lds,omitempty"` // bytes of LDS of the work-group
	// CU, SIMD and Slot are the position of the wave on the chip, if the run had a time model.
	CU    int  `json:"cu"`
	SIMD  int  `json:"simd"`
	Slot  int  `json:"slot"`
	Timed bool `json:"timed"`

	record *Record
	steps  []byte
	times  []byte
}
