package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strconv"
	"strings"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/gcn/asm"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/state"
	"github.com/gcnsim/gcnsim/state/lane"
)

// execRequest is one line of exec's input.
type execRequest struct {
	ID          json.RawMessage    `json:"id"`
	MCPU        string             `json:"mcpu"`
	Asm         *string            `json:"asm"`
	Words       []word             `json:"words"`
	Exec        *number            `json:"exec"`
	VCC         number             `json:"vcc"`
	M0          number             `json:"m0"`
	SCC         number             `json:"scc"`
	Mode        *number            `json:"mode"`
	FlatScratch number             `json:"flat_scratch"`
	SGPR        map[string]numbers `json:"sgpr"`
	VGPR        map[string]numbers `json:"vgpr"`
	Mem         []memRange         `json:"mem"`
	LDS         *storage           `json:"lds"`
	GDS         *storage           `json:"gds"`
	Rules       string             `json:"rules"`
	Alignment   string             `json:"alignment"`
	timingSpec
	imageSpec
	Check           []string    `json:"check"`
	MaxInstructions *number     `json:"max_instructions"`
	Dump            dumpRequest `json:"dump"`
}

type memRange struct {
	Addr number   `json:"addr"`
	Hex  hexBytes `json:"hex"`
	Size *number  `json:"size"`
}

type storage struct {
	Size number   `json:"size"`
	Hex  hexBytes `json:"hex"`
}

type dumpRequest struct {
	SGPR [][2]int    `json:"sgpr"`
	VGPR [][2]int    `json:"vgpr"`
	Mem  []memRange  `json:"mem"`
	LDS  [][2]number `json:"lds"`
	GDS  [][2]number `json:"gds"`
	Regs bool        `json:"regs"`
}

// execReply is one line of exec's output.
type execReply struct {
	ID           json.RawMessage `json:"id,omitempty"`
	OK           bool            `json:"ok"`
	SGPR         registers       `json:"sgpr,omitempty"`
	VGPR         registers       `json:"vgpr,omitempty"`
	Mem          []memDump       `json:"mem,omitempty"`
	LDS          []ldsDump       `json:"lds,omitempty"`
	GDS          []ldsDump       `json:"gds,omitempty"`
	Regs         *regsDump       `json:"regs,omitempty"`
	Instructions *uint64         `json:"instructions,omitempty"`
	times
	Diagnostics *[]diagnostic `json:"diagnostics,omitempty"`
	Fidelity    *[]fidelity   `json:"fidelity,omitempty"`
	Error       *errorReply   `json:"error,omitempty"`

	// What run shows besides.
	target gcn.Target
	ran    *sim.Result
	watch  *watcher
}

type memDump struct {
	Addr address  `json:"addr"`
	Hex  hexBytes `json:"hex"`
}

type ldsDump struct {
	Addr uint64   `json:"addr"`
	Hex  hexBytes `json:"hex"`
}

type regsDump struct {
	Exec    hex64  `json:"exec"`
	VCC     hex64  `json:"vcc"`
	M0      hex32  `json:"m0"`
	SCC     uint32 `json:"scc"`
	Mode    hex32  `json:"mode"`
	Status  hex32  `json:"status"`
	TrapSts hex32  `json:"trapsts"`
}

// execLine runs one request and returns its reply without a newline. It never fails:
// what is wrong is in the reply.
func execLine(ctx context.Context, line []byte) []byte {
	b, err := marshal(answer(ctx, line, nil))
	if err != nil { // only an id that is no JSON could cause it, and that was decoded
		panic("gcnsim: reply: " + err.Error())
	}
	return b
}

// answer runs one request, with what flags of run say, unless they are nil.
func answer(ctx context.Context, line []byte, flags *runFlags) *execReply {
	var req execRequest
	reply := &execReply{}
	if err := decodeStrict(line, &req); err != nil {
		reply.ID, reply.Error = requestID(line), replyTo(fmt.Errorf("the request: %w", err))
	} else {
		if err = req.run(ctx, reply, flags); err != nil {
			*reply = execReply{Error: replyTo(err)}
		}
		reply.ID = req.ID
	}
	reply.OK = reply.Error == nil
	return reply
}

// requestID returns the id of a request that does not decode, so that its error is told
// apart from others, nil if line is no JSON object.
func requestID(line []byte) json.RawMessage {
	var named struct {
		ID json.RawMessage `json:"id"`
	}
	if json.Unmarshal(line, &named) != nil {
		return nil
	}
	return named.ID
}

// decodeStrict reads exactly one JSON value and refuses unknown keys.
func decodeStrict(b []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return plain(err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("there is something after the JSON value")
	}
	return nil
}

// plain says of a JSON value of the wrong type what is expected.
func plain(err error) error {
	var e *json.UnmarshalTypeError
	if !errors.As(err, &e) {
		return err
	}
	wants := "a number"
	switch e.Type.Kind() {
	case reflect.Bool:
		wants = "true or false"
	case reflect.String:
		wants = "text"
	case reflect.Struct, reflect.Map:
		wants = "an object"
	case reflect.Slice, reflect.Array:
		wants = "an array"
	default:
	}
	key := e.Field[strings.LastIndexByte(e.Field, '.')+1:]
	return fmt.Errorf("%s is %s at byte %d; give %s", cmp.Or(key, "the value"), e.Value, e.Offset, wants)
}

// run executes req, with what flags say, and fills reply.
func (req *execRequest) run(ctx context.Context, reply *execReply, flags *runFlags) error {
	target, err := gcn.ParseTarget(req.MCPU)
	if err != nil {
		return fmt.Errorf("mcpu: %w", err)
	}
	if err = flags.choose(&req.timingSpec, target); err != nil {
		return err
	}
	m := sim.New(target)
	if m.Rules, err = parseRules(req.Rules, state.SeedRules); err != nil {
		return err
	}
	if m.Align, err = parseAlignment(req.Alignment); err != nil {
		return err
	}
	if err = req.setImages(m, req.Chip); err != nil {
		return err
	}
	if req.MaxInstructions != nil {
		m.Limit = req.MaxInstructions.v
	}
	if err = refuseUnknown(req.Check); err != nil {
		return err
	}
	words, err := req.program(target)
	if err != nil {
		return err
	}
	w := m.NewWave()
	if err = req.setRegisters(w); err != nil {
		return err
	}
	if err = req.setMemory(m); err != nil {
		return err
	}
	if err = req.Dump.check(m, w); err != nil {
		return err
	}
	model, err := req.model(target)
	if err != nil {
		return err
	}
	found, collect := watch(req.Check)
	m.Clock = modelClock(model)
	if flags.timed() {
		reply.watch = flags.watch(0, model)
	}
	m.Observer, m.Compare = observers(collect, modelObserver(model), reply.watch.observer()), wants(req.Check, checkRulesDiffer)
	res, err := m.Run(ctx, w, words)
	if err != nil {
		return err
	}
	reply.Instructions, reply.target, reply.ran = &res.Instructions, target, res
	reply.Diagnostics, reply.Fidelity = found, fidelityOf(res)
	if err := reply.fill(model); err != nil {
		return err
	}
	return req.Dump.fill(m, w, reply)
}

// program returns the words of the request, from whichever key gives them.
func (req *execRequest) program(target gcn.Target) ([]uint32, error) {
	switch {
	case req.Asm != nil && req.Words != nil:
		return nil, errors.New("asm and words are both given; give one")
	case req.Asm != nil:
		p, err := asm.Assemble(target, *req.Asm, asm.LLVM)
		if err != nil {
			return nil, err
		}
		return p.Words, nil
	case req.Words != nil:
		words := make([]uint32, len(req.Words))
		for i, w := range req.Words {
			words[i] = uint32(w)
		}
		return words, nil
	}
	return nil, errors.New("there is no program; give asm or words")
}

func (req *execRequest) setRegisters(w *state.Wave) error {
	if req.Exec != nil {
		w.SetExec(req.Exec.v)
	}
	w.SetVCC(req.VCC.v)
	w.SetFlatScratch(req.FlatScratch.v)
	w.SetSCC(req.SCC.v != 0)
	m0, err := req.M0.u32()
	if err != nil {
		return fmt.Errorf("m0: %w", err)
	}
	w.SetM0(m0)
	if req.Mode != nil {
		mode, err := req.Mode.u32()
		if err != nil {
			return fmt.Errorf("mode: %w", err)
		}
		w.Mode = state.Mode(mode)
	}
	for key, list := range req.SGPR {
		first, err := strconv.Atoi(key)
		if err != nil || first < 0 || first+len(list.values) > w.T.SGPRs {
			return fmt.Errorf("sgpr: %q with %d values is not within s0 to s%d", key, len(list.values), w.T.SGPRs-1)
		}
		w.SetSGPRs(first, list.values...)
	}
	for key, list := range req.VGPR {
		reg, err := strconv.Atoi(key)
		if err != nil || reg < 0 || reg >= w.NumVGPRs {
			return fmt.Errorf("vgpr: %q is not a register from 0 to %d", key, w.NumVGPRs-1)
		}
		if len(list.values) > state.NumLanes {
			return fmt.Errorf("vgpr: register %d has %d values; a wave has %d lanes", reg, len(list.values), state.NumLanes)
		}
		v := lane.Of(list.values...)
		if list.single {
			v = lane.All(list.values[0])
		}
		w.SetVGPR(reg, v)
	}
	return nil
}

func (req *execRequest) setMemory(m *sim.Machine) error {
	for _, r := range req.Mem {
		size := uint64(len(r.Hex))
		if r.Size != nil {
			size = max(size, r.Size.v)
		}
		if size > maxHostBytes {
			return fmt.Errorf("mem: %d bytes at 0x%x are more than exec maps (%d)", size, r.Addr.v, maxHostBytes)
		}
		b, err := m.Map(r.Addr.v, size)
		if err != nil {
			return fmt.Errorf("mem: %w", err)
		}
		copy(b.Bytes(), r.Hex)
	}
	for _, s := range []struct {
		name string
		from *storage
		size *int
		get  func() *sim.Buffer
		max  int
	}{
		{"lds", req.LDS, &m.LDSSize, m.LDS, m.LDSSize},
		{"gds", req.GDS, &m.GDSSize, m.GDS, m.GDSSize},
	} {
		if s.from == nil {
			continue
		}
		size := max(s.from.Size.v, uint64(len(s.from.Hex)))
		if size > uint64(max(s.max, 64<<10)) {
			return fmt.Errorf("%s: %d bytes are more than the %d there are", s.name, size, max(s.max, 64<<10))
		}
		*s.size = int(size)
		copy(s.get().Bytes(), s.from.Hex)
	}
	return nil
}

// maxHostBytes is how much host memory one range of a request may take.
const maxHostBytes = 4 << 30

// check refuses a dump of what does not exist, before anything runs.
func (d *dumpRequest) check(m *sim.Machine, w *state.Wave) error {
	for _, r := range d.SGPR {
		if r[0] < 0 || r[1] < 0 || r[0] > w.T.SGPRs || r[1] > w.T.SGPRs-r[0] {
			return fmt.Errorf("dump: sgpr %d, %d registers, is not within s0 to s%d", r[0], r[1], w.T.SGPRs-1)
		}
	}
	for _, r := range d.VGPR {
		if r[0] < 0 || r[1] < 0 || r[0] > w.NumVGPRs || r[1] > w.NumVGPRs-r[0] {
			return fmt.Errorf("dump: vgpr %d, %d registers, is not within v0 to v%d", r[0], r[1], w.NumVGPRs-1)
		}
	}
	for _, r := range d.Mem {
		if r.Size == nil {
			return fmt.Errorf("dump: mem at 0x%x has no size", r.Addr.v)
		}
		if _, err := readMemory(m, r.Addr.v, r.Size.v); err != nil {
			return err
		}
	}
	return nil
}

// readMemory returns size bytes at addr, which may span adjacent ranges.
func readMemory(m *sim.Machine, addr, size uint64) ([]byte, error) {
	var b []byte
	for uint64(len(b)) < size {
		at := addr + uint64(len(b))
		s := m.Find(at)
		if s == nil {
			return nil, fmt.Errorf("dump: no mapped range holds 0x%x", at)
		}
		off := at - s.Base
		b = append(b, s.Bytes[off:min(s.Hi, off+size-uint64(len(b)))]...)
	}
	return b, nil
}

// fill writes what the request wants to see into reply.
func (d *dumpRequest) fill(m *sim.Machine, w *state.Wave, reply *execReply) error {
	for _, r := range d.SGPR {
		if reply.SGPR == nil {
			reply.SGPR = registers{}
		}
		for _, v := range w.S[r[0] : r[0]+r[1]] {
			reply.SGPR[r[0]] = append(reply.SGPR[r[0]], hex32(v))
		}
	}
	for _, r := range d.VGPR {
		if reply.VGPR == nil {
			reply.VGPR = registers{}
		}
		for reg := r[0]; reg < r[0]+r[1]; reg++ {
			lanes := make([]hex32, state.NumLanes)
			for i, v := range w.VGPR(reg) {
				lanes[i] = hex32(v)
			}
			reply.VGPR[reg] = lanes
		}
	}
	for _, r := range d.Mem {
		b, err := readMemory(m, r.Addr.v, r.Size.v)
		if err != nil {
			return err
		}
		reply.Mem = append(reply.Mem, memDump{address(r.Addr.v), b})
	}
	var err error
	if reply.LDS, err = dumpStorage("lds", d.LDS, m.LDS); err != nil {
		return err
	}
	if reply.GDS, err = dumpStorage("gds", d.GDS, m.GDS); err != nil {
		return err
	}
	if d.Regs {
		reply.Regs = &regsDump{
			Exec: hex64(w.Exec()), VCC: hex64(w.VCC()), M0: hex32(w.M0()), SCC: w.SCC,
			Mode: hex32(w.Mode), Status: hex32(w.Status()), TrapSts: hex32(w.TrapSts),
		}
	}
	return nil
}

func dumpStorage(name string, ranges [][2]number, get func() *sim.Buffer) ([]ldsDump, error) {
	var dumps []ldsDump
	for _, r := range ranges {
		b := get().Bytes()
		addr, size := r[0].v, r[1].v
		if addr > uint64(len(b)) || size > uint64(len(b))-addr {
			return nil, fmt.Errorf("dump: %s %d, %d bytes, is not within its %d bytes", name, addr, size, len(b))
		}
		dumps = append(dumps, ldsDump{addr, b[addr : addr+size]})
	}
	return dumps, nil
}
