package engine

import (
	"fmt"
	"math"
	"strconv"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/gcn/tile"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/isa/chip"
	"github.com/gcnsim/gcnsim/internal/sim/timing"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/sim/spec"
	"github.com/gcnsim/gcnsim/sim/texture"
)

// Scenario is a program with its inputs, in the format of the page, of the links that it shares, and of lessons.
type Scenario struct {
	MCPU     string    `json:"mcpu"` // a processor or a chip
	Rules    string    `json:"rules"`
	Asm      string    `json:"asm"`
	Buffers  []Buffer  `json:"buffers"`
	Images   []Picture `json:"images"`
	Samplers []Sampler `json:"samplers"`
	Waves    int       `json:"waves"` // 0 means 1; v0 counts work-items across all waves
	// SGPRs are values of scalar registers. The key is the first register.
	SGPRs map[string][]Word `json:"sgpr"`
	LDS   int               `json:"lds"`  // bytes of LDS for the work-group; 0 means the maximum
	M0    *Word             `json:"m0"`   // nil means 0
	Trap  string            `json:"trap"` // code of the trap handler, or ""
	// Wants are conditions of exercises, which are evaluated after the execution.
	Wants []string `json:"wants,omitempty"`
}

// Word is a dword in JSON: a number, or a string such as "0x10".
type Word uint32

// UnmarshalJSON reads a word.
func (w *Word) UnmarshalJSON(b []byte) error {
	text := string(b)
	if s, err := strconv.Unquote(text); err == nil {
		text = s
	}
	v, err := strconv.ParseInt(text, 0, 64)
	if err != nil || v < math.MinInt32 || v > math.MaxUint32 {
		return fmt.Errorf("%s is no number of 32 bits", b)
	}
	*w = Word(v)
	return nil
}

// MarshalJSON formats a word like exec.
func (w Word) MarshalJSON() ([]byte, error) { return fmt.Appendf(nil, `"0x%08x"`, uint32(w)), nil }

// Buffer is memory, with a V# in SGPRs.
type Buffer struct {
	Name string `json:"name"`
	SGPR int    `json:"sgpr"` // first SGPR of the V#
	Size int    `json:"size"` // bytes
	Fill string `json:"fill"` // zero, index, float, bytes or random
	// Words is the V#. The engine sets its BASE. nil means a raw buffer of all bytes.
	Words []Word `json:"words,omitempty"`
}

// Picture is an image, with a T# in SGPRs.
type Picture struct {
	Name    string `json:"name"`
	SGPR    int    `json:"sgpr"`  // first SGPR of the T#
	Data    uint8  `json:"data"`  // DATA_FORMAT
	Num     uint8  `json:"num"`   // NUM_FORMAT
	Width   int    `json:"width"` // texels
	Height  int    `json:"height"`
	Levels  int    `json:"levels"`         // 0 means 1
	Tile    *int   `json:"tile,omitempty"` // TILING_INDEX, or SW_MODE on GCN 1.4; nil means linear
	Type    string `json:"type,omitempty"` // cube, or "" for 2D
	Picture string `json:"picture"`        // gradient, checker or levels
	// Words is the T#. The engine sets its BASE. nil describes the image as it is in memory.
	Words []Word `json:"words,omitempty"`
}

// Sampler is an S# in SGPRs.
type Sampler struct {
	SGPR  int    `json:"sgpr"` // first SGPR of the S#
	Words []Word `json:"words"`
}

// Limits of a scenario, because the page uses the memory of a browser.
const (
	maxText  = 1 << 20  // length of a program in bytes
	maxBytes = 16 << 20 // bytes of buffers and images
	maxWaves = 4        // waves; each has all VGPRs, so a compute unit holds no more
	maxSteps = 5_000_000
)

// Addresses of buffers and pictures: each starts at a multiple of spacing.
const (
	firstAddr = 0x1_0000
	spacing   = 0x1_0000
)

// SizeError says that a scenario exceeds a limit.
type SizeError struct{ What string }

// Error returns the exceeded limit.
func (e *SizeError) Error() string { return e.What }

// fits returns an error if a program is too large.
func fits(text string) error {
	if len(text) <= maxText {
		return nil
	}
	return &SizeError{fmt.Sprintf("the program has %d bytes; the page takes %d MiB, gcnsim run takes more", len(text),
		maxText>>20)}
}

// exec converts the scenario to a request. The request's memory has first the buffers, then the images.
func (s *Scenario) exec() (*spec.Exec, error) {
	target, err := chip.ParseTarget(s.MCPU)
	if err != nil {
		return nil, err
	}
	if err := fits(s.Asm + s.Trap); err != nil {
		return nil, err
	}
	c := &compiling{Exec: spec.Exec{Target: target, Asm: s.Asm, Registers: workItems(0), Waves: max(s.Waves, 0)},
		next: firstAddr}
	c.SGPRs = map[int][]uint32{}
	for key, words := range s.SGPRs {
		first, err := strconv.Atoi(key)
		if err != nil {
			return nil, fmt.Errorf("sgpr: %q is not the number of a register", key)
		}
		c.SGPRs[first] = numbers(words)
	}
	for i := range s.Buffers {
		if err := c.buffer(&s.Buffers[i]); err != nil {
			return nil, fmt.Errorf("buffer %s: %w", s.Buffers[i].Name, err)
		}
	}
	for i := range s.Images {
		if err := c.image(&s.Images[i]); err != nil {
			return nil, fmt.Errorf("image %s: %w", s.Images[i].Name, err)
		}
	}
	for _, x := range s.Samplers {
		c.SGPRs[x.SGPR] = numbers(x.Words)
	}
	if s.Waves > maxWaves {
		return nil, &SizeError{fmt.Sprintf("%d waves are more than the %d that a compute unit holds, since each has "+
			"256 VGPRs", s.Waves, maxWaves)}
	}
	for i := range s.Waves {
		c.States = append(c.States, workItems(64*i))
	}
	if s.LDS > 0 {
		c.LDS = &spec.Storage{Size: s.LDS}
	}
	if s.M0 != nil {
		c.M0 = (*uint32)(s.M0)
	}
	if s.Trap != "" {
		c.TrapHandler = &spec.TrapHandler{Asm: s.Trap}
	}
	if c.Asm == "" { // an empty program ends at once
		c.Words = []uint32{}
	}
	return &c.Exec, c.settings(s)
}

// compiling is the state of converting a scenario.
type compiling struct {
	spec.Exec
	next  uint64 // address of the next range
	total int    // bytes of all ranges
}

// settings sets how the run is timed and checked.
func (c *compiling) settings(s *Scenario) (err error) {
	name := s.MCPU
	if name == c.Target.String() { // it names a processor, not a chip
		name = ""
	}
	var times timing.Params
	if c.Tiling, times, err = spec.Chip(name, c.Target); err != nil {
		return err
	}
	c.Params, c.Check, c.MaxInstructions = &times, []string{"all"}, maxSteps
	c.Rules, err = spec.ParseRules(s.Rules)
	return err
}

// workItems returns the initial registers of a wave whose v0 counts from first.
func workItems(first int) spec.Registers {
	list := make([]uint32, 64)
	for i := range list {
		list[i] = uint32(first + i)
	}
	return spec.Registers{VGPRs: map[int][]uint32{0: list}}
}

// numbers returns words as numbers.
func numbers(words []Word) []uint32 {
	list := make([]uint32, len(words))
	for i, w := range words {
		list[i] = uint32(w)
	}
	return list
}

// place maps data and returns its address.
func (c *compiling) place(data []byte) (uint64, error) {
	if c.total += len(data); c.total > maxBytes {
		return 0, &SizeError{fmt.Sprintf("buffers and images have more than %d MiB together; the page runs in the "+
			"memory of a browser, make some smaller", maxBytes>>20)}
	}
	addr := c.next
	c.next += (uint64(len(data)) + 2*spacing - 1) &^ (spacing - 1)
	c.Mem = append(c.Mem, spec.Buffer{Addr: &addr, Data: data})
	return addr, nil
}

// buffer maps a buffer and sets its V#.
func (c *compiling) buffer(b *Buffer) error {
	if b.Size < 4 || b.Size > maxBytes {
		return &SizeError{fmt.Sprintf("its size is %d bytes; give 4 to %d", b.Size, maxBytes)}
	}
	data := make([]byte, b.Size&^3)
	if err := fill(data, b.Fill); err != nil {
		return err
	}
	addr, err := c.place(data)
	if err != nil {
		return err
	}
	v := gcn.Buffer{NumRecords: uint32(b.Size), DstSel: [4]gcn.Sel{gcn.SelR, gcn.SelG, gcn.SelB, gcn.SelA},
		DataFormat: 4, NumFormat: 7}.Words()
	if b.Words != nil {
		if len(b.Words) != len(v) {
			return fmt.Errorf("a V# has %d words, not %d", len(v), len(b.Words))
		}
		v = numbers(b.Words)
	}
	v[0], v[1] = uint32(addr), v[1]&^0xffff|uint32(addr>>32)&0xffff
	c.SGPRs[b.SGPR] = v
	return nil
}

// maxSide is the largest width and height of an image.
const maxSide = 512

// image maps a picture in the chip's tiling, and sets its T#.
func (c *compiling) image(p *Picture) error {
	if p.Width < 1 || p.Height < 1 || p.Width > maxSide || p.Height > maxSide {
		return &SizeError{fmt.Sprintf("it has %d x %d texels; give 1 to %d each way", p.Width, p.Height, maxSide)}
	}
	m := sim.New(c.Target)
	img := gcn.Image{DataFormat: p.Data, NumFormat: p.Num, Width: p.Width, Height: p.Height,
		LastLevel: max(p.Levels, 1) - 1}
	img.TileMode = linearMode(c.Target)
	if p.Tile != nil {
		img.TileMode = *p.Tile
	}
	slices := 1
	switch p.Type {
	case "":
	case "cube":
		img.Type, slices = gcn.ImageCube, 6
	default:
		return fmt.Errorf("%q is no type of image here; give cube, or none for 2D", p.Type)
	}
	t, err := texture.New(m, img)
	if err != nil {
		return err
	}
	for level := range max(p.Levels, 1) {
		for slice := range slices {
			if err := t.SetPicture(level, slice, paint(p.Picture, max(1, p.Width>>level), max(1, p.Height>>level),
				level+slice)); err != nil {
				return err
			}
		}
	}
	addr, err := c.place(t.Buffer.Bytes())
	if err != nil {
		return err
	}
	t.Base = addr
	words := t.Words()
	if p.Words != nil {
		if len(p.Words) != len(words) {
			return fmt.Errorf("a T# has %d words, not %d", len(words), len(p.Words))
		}
		base := words
		words = numbers(p.Words)
		words[0], words[1] = base[0], words[1]&^0xff|base[1]&0xff
	}
	c.SGPRs[p.SGPR] = words
	return nil
}

// linearMode returns the tiling index for linear images.
func linearMode(t gcn.Target) int {
	if isa.GenTraits(t.Gen()).SwizzleModes {
		return 0
	}
	regs, err := tile.ForTarget(t)
	if err != nil {
		return 0
	}
	for i := range regs.TileMode {
		l, err := regs.Layout(tile.Surface{Type: gcn.Image2D, Bytes: 4, Width: 1, Height: 1, Mode: i})
		if err == nil && l.Levels()[0].Mode == "LINEAR_ALIGNED" {
			return i
		}
	}
	return 0
}
