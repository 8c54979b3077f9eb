package record

import (
	"github.com/gcnsim/gcnsim/internal/sim/timing"
	"github.com/gcnsim/gcnsim/sim/check"
)

// Version is the version of the file format.
const Version = 2

// Record holds the part of a run that a recorder kept. In the file it is JSON, except for the steps of windows.
type Record struct {
	Version int    `json:"version"`
	Title   string `json:"title,omitempty"`
	Target  string `json:"target"`
	Chip    string `json:"chip,omitempty"` // whose times these are
	Cycles  uint64 `json:"cycles,omitempty"`
	Base    uint64 `json:"base,omitempty"` // what PCs count from

	Insts    []Inst    `json:"insts"`              // those executed, in the order in which they were first
	Names    []string  `json:"names,omitempty"`    // of vector registers, if they are not called v0 on
	Rules    []string  `json:"rules,omitempty"`    // by which lanes were out of range
	Pictures []Picture `json:"pictures,omitempty"` // images that were accessed
	// Findings come from the checks. Addresses of instructions in them count from Base.
	Findings []check.Finding `json:"findings,omitempty"`
	Fault    *Fault          `json:"fault,omitempty"` // why the run ended early
	LeftOut  LeftOut         `json:"left_out"`
	Windows  []Window        `json:"windows"`

	LaneGroups [][]timing.LaneGroup `json:"-"` // how lanes were taken together; the file has masks as hex digits
}

// LeftOut counts what the run did and the record does not hold.
type LeftOut struct {
	Waves        uint64 `json:"waves"`         // without any instruction in the record
	Instructions uint64 `json:"instructions"`  // also those of these waves
	LaneGroups   uint64 `json:"turns"`         // accesses whose lane order the file leaves out
	Pictures     uint64 `json:"pictures"`      // images that are too many or too large
	Untimed      uint64 `json:"untimed_steps"` // recorded instructions without times
	// Registers are components of registers of a run recorded by [Before]: those beyond the first 256 that change.
	Registers uint64 `json:"registers,omitempty"`
}

// Inst is an instruction of the program.
type Inst struct {
	PC       uint64 `json:"pc"`
	Text     string `json:"text"`
	Source   string `json:"source,omitempty"` // as in "k.cl:12"
	Class    string `json:"class"`
	VM       uint8  `json:"vm,omitempty"`   // what it adds to the counters
	EXP      uint8  `json:"exp,omitempty"`  //
	LGKM     uint8  `json:"lgkm,omitempty"` //
	Wait     bool   `json:"wait,omitempty"` // it is s_waitcnt
	Resource int    `json:"resource,omitempty"`
	Kind     string `json:"kind,omitempty"`    // of the resource: vsharp or tsharp
	Sampler  int    `json:"sampler,omitempty"` // first SGPR of the S#; that of the resource is Resource; both plus 1
	// Formula says how the address of a lane follows from registers, "" if that is not told: see docs/RECORD.md.
	Formula string `json:"formula,omitempty"`
}

// Picture is an image as shaders see it, without its slices beyond the first. Bytes are
// red, green, blue and alpha of each texel, row after row.
type Picture struct {
	Words  []uint32       `json:"words"` // the T#
	Format string         `json:"format"`
	Slice  int            `json:"slice"` // that is shown
	Levels []PictureLevel `json:"levels"`
}

// PictureLevel is a level of a picture, counted from the first one of the surface.
type PictureLevel struct {
	Width  int    `json:"width"`
	Height int    `json:"height"`
	RGBA   []byte `json:"rgba,omitempty"` // nil if it is too large to be shown
}

// Site is an executed instruction.
type Site struct {
	PC    uint64    `json:"pc"`
	Group [3]uint32 `json:"group"`
	Wave  int       `json:"wave"`
	Step  uint64    `json:"step"` // number of the instruction in its wave
	Text  string    `json:"text,omitempty"`
}

// Fault is why a run ended early.
type Fault struct {
	Site
	Kind    string `json:"kind"`
	Message string `json:"message"`
	Lane    int    `json:"lane"`
	Addr    uint64 `json:"addr,omitempty"`
}

// Window is a part of the instructions of a wave, one after the other.
type Window struct {
	Group [3]uint32 `json:"group"`
	Wave  int       `json:"wave"`           // in its group
	Name  string    `json:"name,omitempty"` // of the program, if the run has several or no groups
	From  uint64    `json:"from"`           // how many instructions the wave had executed before
	Count int       `json:"count"`
	VGPRs int       `json:"vgprs"`
	LDS   uint32    `json:"lds,omitempty"` // bytes of the work-group
	// CU, SIMD and Slot are where the wave ran, if it was timed.
	CU    int  `json:"cu"`
	SIMD  int  `json:"simd"`
	Slot  int  `json:"slot"`
	Timed bool `json:"timed"`

	record *Record
	steps  []byte
	times  []byte
}
