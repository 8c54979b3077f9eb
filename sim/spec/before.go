package spec

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/v1"

	"github.com/gcnsim/gcnsim/internal/r600"
	"github.com/gcnsim/gcnsim/internal/tool/crash"
)

// beforeRequest is a program for a chip before GCN with its threads.
type beforeRequest struct {
	ID        json.RawMessage     `json:"id"`
	MCPU      string              `json:"mcpu"`
	Asm       *string             `json:"asm"`
	Words     []uint32            `json:"words"`
	Threads   *uint32             `json:"threads"`
	GPR       map[string][][]word `json:"gpr"`       // by register: X, Y, Z and W of each thread
	Constants map[string][][]word `json:"constants"` // by bank: X, Y, Z and W of each constant
	Mem       *Storage            `json:"mem"`
	Dump      beforeDump          `json:"dump"`
}

// beforeDump selects the state that an answer shows.
type beforeDump struct {
	GPR     []uint32 `json:"gpr"`
	Exports []string `json:"exports"` // position, param0 to param31, pixel0 to pixel7
}

// beforeReply is the state in an answer for a chip before GCN.
type beforeReply struct {
	GPR     vectors[int]    `json:"gpr,omitempty"`
	Exports vectors[string] `json:"exports,omitempty"`
	Killed  []int           `json:"killed,omitempty"` // numbers of threads
}

// vectors has X, Y, Z and W of each thread.
type vectors[K comparable] map[K][][4]hex32

// Limits on a request.
const maxThreads, maxBanks, maxVectors = 1024, 16, 4096

// processorOf returns the family before GCN that a request is for. ok is false if it names another processor or none.
func processorOf(text []byte) (family r600.Family, ok bool) {
	var named struct {
		MCPU string `json:"mcpu"`
	}
	if json.Unmarshal(text, &named) != nil {
		return 0, false
	}
	family, err := r600.ParseFamily(named.MCPU)
	return family, err == nil
}

// answerBefore answers a request for a chip before GCN.
func answerBefore(family r600.Family, text []byte) *Reply {
	req := &beforeRequest{}
	if err := decode(text, req); err != nil {
		return unread(text, err)
	}
	reply, err := req.run(family)
	if err != nil {
		reply = FailedReply(err)
	}
	reply.ID = []byte(req.ID)
	return reply
}

// run executes the request. The error describes a mistake in the request, or is an *[r600.Error].
func (req *beforeRequest) run(family r600.Family) (reply *Reply, err error) {
	defer crash.Guard(&err)
	words, err := req.words(family)
	if err != nil {
		return nil, err
	}
	threads, err := req.threads()
	if err != nil {
		return nil, err
	}
	m, err := req.machine()
	if err != nil {
		return nil, err
	}
	var executed uint64
	m.Trace = func(r600.Event) { executed++ }
	reply = &Reply{OK: true, Instructions: &executed}
	if err := req.dump(threads, reply); err != nil { // before execution, to detect errors
		return nil, err
	}
	p, err := r600.Load(family, words)
	if err != nil {
		return nil, err
	}
	if err := m.Group(p, threads); err != nil {
		return nil, err
	}
	return reply, req.dump(threads, reply)
}

// words returns the machine words of the program.
func (req *beforeRequest) words(family r600.Family) (words []uint32, err error) {
	switch {
	case (req.Asm == nil) == (req.Words == nil):
		return nil, errors.New("give one of asm and words")
	case req.Asm != nil:
		words, _, err = r600.Assemble(family, *req.Asm)
		return words, err
	}
	return req.Words, nil
}

// threads returns the threads with their initial registers.
func (req *beforeRequest) threads() ([]r600.Thread, error) {
	n := 0
	for _, all := range req.GPR {
		n = max(n, len(all))
	}
	if req.Threads != nil {
		n = int(min(*req.Threads, math.MaxInt32))
	}
	if n < 1 || n > maxThreads {
		return nil, fmt.Errorf("threads: %d threads; give 1 to %d, or registers of them in gpr", n, maxThreads)
	}
	threads := make([]r600.Thread, n)
	for _, key := range slices.Sorted(maps.Keys(req.GPR)) {
		all := req.GPR[key]
		path := "gpr." + key
		register, err := strconv.ParseUint(key, 0, 8)
		switch {
		case err != nil || int(register) >= len(threads[0].GPR):
			return nil, fmt.Errorf("%s: there are registers 0 to %d", path, len(threads[0].GPR)-1)
		case len(all) > n:
			return nil, fmt.Errorf("%s: it has values for %d threads of %d", path, len(all), n)
		}
		for t, v := range all {
			if err := vector(v, &threads[t].GPR[register]); err != nil {
				return nil, fmt.Errorf("%s[%d]: %w", path, t, err)
			}
		}
	}
	return threads, nil
}

// vector parses X, Y, Z and W. Missing values are 0.
func vector(v []word, into *[4]uint32) error {
	if len(v) > len(into) {
		return fmt.Errorf("%d components; a register has %d", len(v), len(into))
	}
	for c, w := range v {
		into[c] = uint32(w)
	}
	return nil
}

// machine returns the machine with the memory that the program can access. Memory is buffer 1.
func (req *beforeRequest) machine() (m *r600.Machine, err error) {
	m = &r600.Machine{}
	for _, key := range slices.Sorted(maps.Keys(req.Constants)) {
		all := req.Constants[key]
		bank, err := strconv.ParseUint(key, 0, 8)
		if err != nil || bank >= maxBanks || len(all) > maxVectors {
			return nil, fmt.Errorf("constants.%s: there are banks 0 to %d of at most %d constants", key, maxBanks-1,
				maxVectors)
		}
		for len(m.Constants) <= int(bank) {
			m.Constants = append(m.Constants, nil)
		}
		m.Constants[bank] = make([][4]uint32, len(all))
		for i, v := range all {
			if err := vector(v, &m.Constants[bank][i]); err != nil {
				return nil, fmt.Errorf("constants.%s[%d]: %w", key, i, err)
			}
		}
	}
	memory, err := req.Mem.bytes("mem", maxDumpBytes)
	m.Buffers = []r600.Buffer{{}, {Data: memory, Stride: 1}}
	return m, err
}

// bytes returns the contents of s, which may be nil. They have at most limit bytes.
func (s *Storage) bytes(key string, limit int) ([]byte, error) {
	if s == nil {
		return nil, nil
	}
	size := max(s.Size, len(s.Data))
	switch {
	case size > limit:
		return nil, fmt.Errorf("%s: %d bytes; at most %d", key, size, limit)
	case s.Size != 0 && s.Size < size:
		return nil, fmt.Errorf("%s: hex has %d bytes, more than its size of %d", key, size, s.Size)
	}
	out := make([]byte, size)
	copy(out, s.Data)
	return out, nil
}

// dump adds the requested state to reply.
func (req *beforeRequest) dump(threads []r600.Thread, reply *Reply) error {
	reply.beforeReply = beforeReply{GPR: vectors[int]{}, Exports: vectors[string]{}}
	for i, register := range req.Dump.GPR {
		if int(register) >= len(threads[0].GPR) {
			return fmt.Errorf("dump.gpr[%d]: there are registers 0 to %d", i, len(threads[0].GPR)-1)
		}
		for t := range threads {
			reply.GPR[int(register)] = append(reply.GPR[int(register)], hexes(threads[t].GPR[register]))
		}
	}
	for i, name := range req.Dump.Exports {
		for t := range threads {
			v, ok := exported(&threads[t], name)
			if !ok {
				return fmt.Errorf("dump.exports[%d]: %q is neither position nor param0 to param31 nor pixel0 to pixel7", i, name)
			}
			reply.Exports[name] = append(reply.Exports[name], hexes(v))
		}
	}
	for t := range threads {
		if threads[t].Killed {
			reply.Killed = append(reply.Killed, t)
		}
	}
	return nil
}

func hexes(v [4]uint32) (h [4]hex32) {
	for c, x := range v {
		h[c] = hex32(x)
	}
	return h
}

// exported returns the value that a thread has exported to the target called name.
func exported(t *r600.Thread, name string) (v [4]uint32, ok bool) {
	if name == "position" {
		return t.Position, true
	}
	for prefix, places := range map[string][][4]uint32{"param": t.Params[:], "pixel": t.Colours[:]} {
		if digits, found := strings.CutPrefix(name, prefix); found {
			if n, err := strconv.Atoi(digits); err == nil && strconv.Itoa(n) == digits && n >= 0 && n < len(places) {
				return places[n], true
			}
		}
	}
	return v, false
}

// failedBefore sets r to the failure e of a program for a chip before GCN.
func (r *Failure) failedBefore(e *r600.Error) {
	switch e.Kind {
	case r600.BadText:
		r.Kind = "asm"
	case r600.NoInstruction:
		r.Kind = "decode"
	default:
		pc := address(8 * e.Slot)
		r.Kind, r.PC, r.Text = faultKind(e.Fault), &pc, e.Name
	}
}
