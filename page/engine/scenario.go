package engine

import (
	"encoding/hex"
	"fmt"
	"image"
	"image/color"
	"maps"
	"math"
	"math/rand/v2"
	"strconv"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/gcn/chip"
	"github.com/gcnsim/gcnsim/gcn/tile"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/sim/texture"
)

// Scenario is a program and what it finds, as the page and its lessons write it. It compiles
// to a request of exec.
type Scenario struct {
	MCPU     string    `json:"mcpu"` // a processor or a chip
	Rules    string    `json:"rules"`
	Asm      string    `json:"asm"`
	Buffers  []Buffer  `json:"buffers"`
	Images   []Picture `json:"images"`
	Samplers []Sampler `json:"samplers"`
	Waves    int       `json:"waves"` // 0 is one; v0 counts work-items on through them
	// SGPRs are more scalar registers, by the first one.
	SGPRs map[string][]Word `json:"sgpr"`
	LDS   int               `json:"lds"` // bytes of the work-group; 0 is all it can have
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

// MarshalJSON writes a word as exec does.
func (w Word) MarshalJSON() ([]byte, error) { return fmt.Appendf(nil, `"0x%08x"`, uint32(w)), nil }

// hexBytes are bytes as exec writes them.
type hexBytes []byte

// UnmarshalText reads hex digits.
func (h *hexBytes) UnmarshalText(b []byte) (err error) {
	*h, err = hex.DecodeString(string(b))
	return err
}

// MarshalText writes hex digits.
func (h hexBytes) MarshalText() ([]byte, error) { return hex.AppendEncode(nil, h), nil }

// Buffer is memory with a V# in SGPRs.
type Buffer struct {
	Name string `json:"name"`
	SGPR int    `json:"sgpr"` // the first one of the V#
	Size int    `json:"size"` // bytes
	Fill string `json:"fill"` // zero, index, float, bytes or random
	// Words is the V#, of which BASE is set; nil is a raw buffer of all bytes.
	Words []Word `json:"words,omitempty"`
}

// Picture is an image with a T# in SGPRs.
type Picture struct {
	Name    string `json:"name"`
	SGPR    int    `json:"sgpr"`  // the first one of the T#
	Data    uint8  `json:"data"`  // DATA_FORMAT
	Num     uint8  `json:"num"`   // NUM_FORMAT
	Width   int    `json:"width"` // texels
	Height  int    `json:"height"`
	Levels  int    `json:"levels"`         // 0 is 1
	Tile    *int   `json:"tile,omitempty"` // TILING_INDEX, or SW_MODE on GCN 1.4; nil is linear
	Picture string `json:"picture"`        // gradient, checker or levels
}

// Sampler is an S# in SGPRs.
type Sampler struct {
	SGPR  int    `json:"sgpr"` // the first one of the S#
	Words []Word `json:"words"`
}

// Bounds of a scenario: the page runs in the memory of a browser.
const (
	maxText  = 1 << 20  // of a program, in bytes
	maxBytes = 16 << 20 // of buffers and images
	maxWaves = 4        // each has all VGPRs: as many as a compute unit holds
	maxSteps = 5_000_000
)

// Where buffers and pictures lie: each begins at a multiple of spacing.
const (
	firstAddr = 0x1_0000
	spacing   = 0x1_0000
)

// SizeError says that a scenario asks for more than the page has.
type SizeError struct{ What string }

// Error says what.
func (e *SizeError) Error() string { return e.What }

// fits says that a program is too large, if it is.
func fits(text string) error {
	if len(text) <= maxText {
		return nil
	}
	return &SizeError{fmt.Sprintf("the program has %d bytes; the page takes %d MiB, gcnsim run takes more", len(text), maxText>>20)}
}

// dump is a buffer that is shown after the run.
type dump struct {
	Name string
	Addr uint64
}

// compiled is a scenario as a request.
type compiled struct {
	Request map[string]any `json:"request"`
	dumped  []dump
}

// compiling collects what a request maps.
type compiling struct {
	compiled
	target gcn.Target
	next   uint64
	total  int
	sgprs  map[string][]Word
	mem    []map[string]any
	dumps  []map[string]any
}

// request compiles s.
func (s *Scenario) request() (*compiled, error) {
	target, err := chip.ParseTarget(s.MCPU)
	if err != nil {
		return nil, err
	}
	if err := fits(s.Asm); err != nil {
		return nil, err
	}
	c := &compiling{target: target, next: firstAddr, sgprs: map[string][]Word{}}
	maps.Copy(c.sgprs, s.SGPRs)
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
		c.sgprs[strconv.Itoa(x.SGPR)] = x.Words
	}
	c.Request = map[string]any{
		"mcpu": target.String(), "asm": s.Asm, "timing": true, "check": []string{"all"}, "max_instructions": maxSteps,
		"vgpr": map[string]any{"0": workItems(0)}, "dump": map[string]any{"regs": true, "mem": c.dumps},
	}
	if s.MCPU != target.String() {
		c.Request["chip"] = s.MCPU
	}
	for key, value := range map[string]any{"rules": s.Rules, "sgpr": c.sgprs, "mem": c.mem} {
		if value != "" {
			c.Request[key] = value
		}
	}
	if s.LDS > 0 {
		c.Request["lds"] = map[string]any{"size": s.LDS}
	}
	return &c.compiled, c.waves(s.Waves)
}

// waves makes the request one of n waves.
func (c *compiling) waves(n int) error {
	if n <= 1 {
		return nil
	}
	if n > maxWaves {
		return &SizeError{fmt.Sprintf("%d waves are more than the %d that a compute unit holds, since each has 256 VGPRs", n, maxWaves)}
	}
	states := make([]any, n)
	for i := range states {
		states[i] = map[string]any{"vgpr": map[string]any{"0": workItems(64 * i)}}
	}
	c.Request["waves"], c.Request["states"] = n, states
	return nil
}

// workItems are the numbers of the work-items of a wave.
func workItems(first int) []int {
	list := make([]int, 64)
	for i := range list {
		list[i] = first + i
	}
	return list
}

// place maps data and returns where.
func (c *compiling) place(name string, data []byte) (uint64, error) {
	if c.total += len(data); c.total > maxBytes {
		return 0, &SizeError{fmt.Sprintf("buffers and images have more than %d MiB together; the page runs in the memory of a browser, make some smaller", maxBytes>>20)}
	}
	addr := c.next
	c.next += (uint64(len(data)) + 2*spacing - 1) &^ (spacing - 1)
	c.mem = append(c.mem, map[string]any{"addr": addr, "hex": hexBytes(data)})
	c.dumps = append(c.dumps, map[string]any{"addr": addr, "size": len(data)})
	c.dumped = append(c.dumped, dump{name, addr})
	return addr, nil
}

// buffer maps a buffer and makes its V#.
func (c *compiling) buffer(b *Buffer) error {
	if b.Size < 4 || b.Size > maxBytes {
		return &SizeError{fmt.Sprintf("its size is %d bytes; give 4 to %d", b.Size, maxBytes)}
	}
	data := make([]byte, b.Size&^3)
	if err := fill(data, b.Fill); err != nil {
		return err
	}
	addr, err := c.place(b.Name, data)
	if err != nil {
		return err
	}
	v := gcn.Buffer{NumRecords: uint32(b.Size), DstSel: [4]gcn.Sel{gcn.SelR, gcn.SelG, gcn.SelB, gcn.SelA}, DataFormat: 4, NumFormat: 7}.Words()
	if b.Words != nil {
		if len(b.Words) != len(v) {
			return fmt.Errorf("a V# has %d words, not %d", len(v), len(b.Words))
		}
		for i, w := range b.Words {
			v[i] = uint32(w)
		}
	}
	v[0], v[1] = uint32(addr), v[1]&^0xffff|uint32(addr>>32)&0xffff
	c.set(b.SGPR, v)
	return nil
}

func (c *compiling) set(first int, words []uint32) {
	list := make([]Word, len(words))
	for i, w := range words {
		list[i] = Word(w)
	}
	c.sgprs[strconv.Itoa(first)] = list
}

// fill fills dwords.
func fill(data []byte, how string) error {
	r := rand.New(rand.NewPCG(1, 2))
	for i := 0; i+4 <= len(data); i += 4 {
		var v uint32
		switch n := uint32(i / 4); how {
		case "", "zero":
		case "index":
			v = n
		case "float":
			v = math.Float32bits(float32(n))
		case "bytes":
			v = uint32(i)&255 | uint32(i+1)&255<<8 | uint32(i+2)&255<<16 | uint32(i+3)&255<<24
		case "random":
			v = r.Uint32()
		default:
			return fmt.Errorf("%q is no way to fill it; give zero, index, float, bytes or random", how)
		}
		data[i], data[i+1], data[i+2], data[i+3] = byte(v), byte(v>>8), byte(v>>16), byte(v>>24)
	}
	return nil
}

// maxSide is the largest width and height of an image.
const maxSide = 512

// image maps a picture as the chip tiles it, and makes its T#.
func (c *compiling) image(p *Picture) error {
	if p.Width < 1 || p.Height < 1 || p.Width > maxSide || p.Height > maxSide {
		return &SizeError{fmt.Sprintf("it has %d x %d texels; give 1 to %d each way", p.Width, p.Height, maxSide)}
	}
	m := sim.New(c.target)
	img := gcn.Image{DataFormat: p.Data, NumFormat: p.Num, Width: p.Width, Height: p.Height, LastLevel: max(p.Levels, 1) - 1}
	img.TileMode = linearMode(c.target)
	if p.Tile != nil {
		img.TileMode = *p.Tile
	}
	t, err := texture.New(m, img)
	if err != nil {
		return err
	}
	for level := range max(p.Levels, 1) {
		if err := t.SetPicture(level, 0, draw(p.Picture, max(1, p.Width>>level), max(1, p.Height>>level), level)); err != nil {
			return err
		}
	}
	addr, err := c.place(p.Name, t.Buffer.Bytes())
	if err != nil {
		return err
	}
	t.Base = addr
	c.set(p.SGPR, t.Words())
	return nil
}

// linearMode returns the tiling index of linear images.
func linearMode(t gcn.Target) int {
	if t.Gen().Traits().SwizzleModes {
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

// draw makes a picture: a gradient, a checkerboard, or the same with a colour for each level.
func draw(how string, w, h, level int) image.Image {
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	colours := [...]color.NRGBA{{200, 60, 50, 255}, {60, 150, 70, 255}, {60, 90, 200, 255}, {210, 170, 40, 255}, {140, 70, 170, 255}, {40, 160, 170, 255}}
	for y := range h {
		for x := range w {
			c := color.NRGBA{uint8(x * 255 / max(w-1, 1)), uint8(y * 255 / max(h-1, 1)), 96, 255}
			switch dark := (x+y)%2 == 1; how {
			case "checker":
				c = color.NRGBA{235, 235, 235, 255}
				if dark {
					c = color.NRGBA{40, 60, 90, 255}
				}
			case "levels":
				c = colours[level%len(colours)]
				if dark {
					c = color.NRGBA{c.R / 2, c.G / 2, c.B / 2, 255}
				}
			}
			img.SetNRGBA(x, y, c)
		}
	}
	return img
}
