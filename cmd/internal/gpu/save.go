package gpu

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/device"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/sim/registers"
	"github.com/gcnsim/gcnsim/internal/tool/files"
	"github.com/gcnsim/gcnsim/internal/tool/plural"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/sim/spec"
	"github.com/gcnsim/gcnsim/state"
)

// saver writes specifications of distinct dispatches.
type saver struct {
	ctx   context.Context // context of the execution
	dir   string          // directory of the saved dispatches
	keep  func(*device.Dispatch, *packed) error
	lost  string // what cannot be done with a dispatch that cannot be saved, for messages
	chip  string
	limit uint64 // limit of instructions, 0 for the default
	tell  io.Writer

	mu    sync.Mutex            // guards the fields below
	seen  map[shape]struct{}    // shapes of dispatches that were already considered
	known map[[32]byte]struct{} // hashes of code and shape of saved dispatches
	names map[string]int        // number of saved dispatches with a name
	saved int
	left  int   // number of dispatches that could not be saved
	err   error // error of writing, after which nothing is written
}

// shape distinguishes dispatches of a kernel by their launch, ignoring their data.
type shape struct {
	kernel                *device.Kernel
	rsrc                  gcn.RSRC
	end, start, numThread [3]uint32
	initiator, tmpRing    uint32
}

// maxSaved is the greatest size of a dispatch's memory in bytes, which is the limit of specifications.
const maxSaved = 4 << 30

// newSaver returns a saver of dispatches on a chip. It creates the directory, which must be empty, so that it only
// contains files of one execution.
func newSaver(ctx context.Context, o *Options, tell io.Writer) (*saver, error) {
	fail := func(err error) (*saver, error) { return nil, fmt.Errorf("--save: %w", err) }
	if err := os.MkdirAll(o.Save, 0o777); err != nil {
		return fail(err)
	}
	switch there, err := os.ReadDir(o.Save); {
	case err != nil:
		return fail(err)
	case len(there) > 0:
		return fail(fmt.Errorf("%s is not empty; give a directory that is, or a new one", o.Save))
	}
	if err := files.Writable(filepath.Join(o.Save, "x.json")); err != nil {
		return fail(err)
	}
	s := &saver{ctx: ctx, dir: o.Save, lost: "saved"}
	s.keep = s.write
	s.begin(o, tell)
	return s, nil
}

// begin initializes the saver.
func (s *saver) begin(o *Options, tell io.Writer) {
	s.chip, s.limit, s.tell = o.Chip, o.Limit, tell
	s.seen, s.known, s.names = map[shape]struct{}{}, map[[32]byte]struct{}{}, map[string]int{}
}

// write writes the files of d, if executing them gives the same result.
func (s *saver) write(d *device.Dispatch, p *packed) error {
	if d.Err == nil {
		if err := p.repeats(s.ctx, d.Result.Instructions); err != nil {
			return err
		}
	}
	if s.err = p.write(s.dir); s.err == nil {
		s.names[fileName(nameOf(d.Kernel))]++
		s.saved++
	}
	return nil
}

// watch returns the watcher for d, or nil if a similar dispatch was saved before.
func (s *saver) watch(d *device.Dispatch) sim.Watcher {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := &d.Registers
	k := shape{d.Kernel, r.RSRC, r.End, r.Start, r.NumThread, r.Initiator, r.TmpRing}
	if _, seen := s.seen[k]; seen || s.err != nil {
		return nil
	}
	s.seen[k] = struct{}{}
	mappings, err := d.Mappings(maxSaved)
	if err != nil {
		s.leave(d, err)
		return nil
	}
	f := &footprint{mappings: mappings, used: make([]use, len(mappings)), lo: r.Program, hi: r.Program}
	before := d.Ended
	d.Ended = func() {
		if before != nil {
			before()
		}
		s.end(d, f)
	}
	return f
}

// leave reports why a dispatch cannot be saved.
func (s *saver) leave(d *device.Dispatch, why error) {
	s.left++
	fmt.Fprintf(s.tell, "file %d, dispatch %d, %s, is not %s: %v\n", d.File, d.Number, nameOf(d.Kernel), s.lost, why)
}

// end saves d, which has executed with the watcher f.
func (s *saver) end(d *device.Dispatch, f *footprint) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		return
	}
	code, err := f.code(d)
	if err != nil {
		s.leave(d, err)
		return
	}
	r := &d.Registers
	key := sha256.Sum256(fmt.Append(code.text, code.entry-code.addr, code.target, r.RSRC, r.End, r.Start, r.NumThread,
		r.Initiator, r.TmpRing))
	if _, known := s.known[key]; known {
		return
	}
	saved, err := f.dispatch(d, code, s.limit)
	if err != nil {
		s.leave(d, err)
		return
	}
	s.known[key] = struct{}{}
	p, err := s.pack(saved, code)
	if err == nil {
		err = s.keep(d, p)
	}
	if err != nil {
		s.leave(d, err)
	}
}

// packed has the files of a saved dispatch.
type packed struct {
	spec  string // file name of the specification
	files map[string][]byte
}

// pack creates the files of a dispatch.
func (s *saver) pack(d *spec.Dispatch, code *machineCode) (*packed, error) {
	name := fileName(nameOf(code.of))
	if n := s.names[name]; n > 0 {
		name = fmt.Sprintf("%s.%d", name, n+1)
	}
	text, all, err := spec.SaveDriver(d, name+".co", s.chip, name)
	if err != nil {
		return nil, err
	}
	all[name+".co"], all[name+".json"] = d.Object, text
	return &packed{name + ".json", all}, nil
}

// ReadFile implements [spec.Files].
func (p *packed) ReadFile(name string, _ int64) ([]byte, error) { return p.files[name], nil }

// WriteFile implements [spec.Files]. Saved specifications write no files.
func (p *packed) WriteFile(string, []byte) error { return nil }

// repeats executes the dispatch again, with a limit of instructions for each wave. It returns an error if the result
// is different.
func (p *packed) repeats(ctx context.Context, instructions uint64) error {
	req, err := spec.ParseDispatch(p.files[p.spec])
	if err != nil {
		return err
	}
	req.MaxInstructions = instructions + 1
	reply, err := req.Answer(ctx, &spec.Options{Files: p, Workers: 1})
	switch limit := (*state.Fault)(nil); {
	case errors.As(err, &limit) && limit.Kind == state.FaultLimit:
		return errors.New("without the program it does not end: it waits for memory that the program writes meanwhile")
	case err != nil:
		return fmt.Errorf("it does not repeat: %w", err)
	case !reply.OK:
		return fmt.Errorf("it does not repeat: %s", reply.Error.Message)
	}
	return nil
}

// write writes the files to a directory, the specification last, so that an existing specification is complete. After
// an error it removes the files.
func (p *packed) write(dir string) error {
	order := slices.DeleteFunc(slices.Sorted(maps.Keys(p.files)), func(name string) bool { return name == p.spec })
	order = append(order, p.spec)
	for i, file := range order {
		if err := files.Write(filepath.Join(dir, file), p.files[file]); err != nil {
			for _, before := range order[:i] {
				err = errors.Join(err, os.Remove(filepath.Join(dir, before)))
			}
			return err
		}
	}
	return nil
}

// finish reports what was saved. The error comes from writing.
func (s *saver) finish() error {
	text := fmt.Sprintf("%s saved in %s", plural.Of(s.saved, "specification"), s.dir)
	if s.left > 0 {
		text += fmt.Sprintf(", %d not", s.left)
	}
	fmt.Fprintln(s.tell, text)
	if s.err != nil {
		return fmt.Errorf("--save: %w", s.err)
	}
	return nil
}

// nameOf returns the kernel's name without parameters, or its number.
func nameOf(k *device.Kernel) string {
	title := strings.TrimPrefix(k.Title(), "void ") // names of templates start with a type
	if at := strings.LastIndexByte(title, '('); at > 0 {
		title = title[:at]
	}
	return cmp.Or(title, fmt.Sprintf("kernel%d", k.Number))
}

// fileName converts a name to a file name for any system: letters, digits and a few signs, at most 100 bytes.
func fileName(name string) string {
	name = strings.Map(func(r rune) rune {
		if r < utf8.RuneSelf && (r == '_' || r == '-' || r == '.' || '0' <= r && r <= '9' || 'A' <= r && r <= 'Z' ||
			'a' <= r && r <= 'z') {
			return r
		}
		return '_'
	}, name)
	if strings.HasPrefix(name, ".") {
		name = "_" + name
	}
	return name[:min(len(name), 100)]
}

// use is a dispatch's use of a mapping.
type use struct {
	touched, scratch bool
	lo, hi           uint64 // bounds of the addresses that were stored to; hi is 0 without stores
}

// footprint records which memory a dispatch accesses, and where its code is.
type footprint struct {
	sim.NoWatcher
	mappings []device.Mapping // mappings at the start of the dispatch
	used     []use            // by mapping
	last     int              // index of the last mapping that was found
	memory   *sim.Memory
	target   gcn.Target
	program  *sim.Program
	lo, hi   uint64 // range of the code
}

// Needs implements [sim.Watcher].
func (f *footprint) Needs() sim.Needs { return sim.Needs{Events: sim.SparseEvents} }

// Start implements [sim.Watcher].
func (f *footprint) Start(r *sim.Run) error {
	f.memory, f.target = &r.Machine.Memory, r.Machine.Target
	return nil
}

// Retire implements [sim.Watcher].
func (f *footprint) Retire(e *sim.Event) {
	if e.Program != f.program {
		f.program, f.lo, f.hi = e.Program, min(f.lo, e.Program.Base), max(f.hi, e.Program.End)
	}
	a := e.Access
	if a.Op == gcn.NoMem {
		return
	}
	stores := a.Op == gcn.Store || a.Op == gcn.Atomic || a.Op == gcn.Special
	scratch := (*isa.Inst)(e.Inst).Has(isa.SRSRC) && e.Inst.Enc != isa.MIMG && addsLane(e.Wave, (*isa.Inst)(e.Inst))
	registers.Elements(a, func(space state.Space, addr, size uint64, lane int) {
		if space == state.Global {
			f.touch(addr, size, stores, scratch || a.ScratchLanes>>lane&1 != 0)
		}
	})
}

// addsLane reports whether the V# of an instruction has ADD_TID set, which means private memory.
func addsLane(w *state.Wave, in *isa.Inst) bool {
	first := int(in.Get(isa.SRSRC)) * 4
	if first+4 > len(w.S) {
		return false
	}
	v := gcn.VSharp(w.S[first : first+4])
	return isa.VAddTID.In(&v) != 0
}

// touch records an access to size bytes at addr.
func (f *footprint) touch(addr, size uint64, stores, scratch bool) {
	for end := addr + size; addr < end; {
		m := &f.mappings[f.last]
		if addr-m.Addr >= m.Size {
			i, there := slices.BinarySearchFunc(f.mappings, addr, func(m device.Mapping, addr uint64) int {
				switch {
				case m.Addr > addr:
					return 1
				case addr-m.Addr >= m.Size:
					return -1
				}
				return 0
			})
			if !there {
				return
			}
			f.last, m = i, &f.mappings[i]
		}
		u, next := &f.used[f.last], min(end, m.Addr+m.Size)
		u.touched, u.scratch = true, u.scratch || scratch
		if stores && u.hi == 0 {
			u.lo, u.hi = addr, next
		} else if stores {
			u.lo, u.hi = min(u.lo, addr), max(u.hi, next)
		}
		addr = next
	}
}

// code returns the machine code of d.
func (f *footprint) code(d *device.Dispatch) (*machineCode, error) {
	if f.memory == nil {
		return nil, d.Err // it has not started
	}
	if f.program == nil {
		if d.Err != nil {
			return nil, d.Err
		}
		return nil, errors.New("no instruction was executed")
	}
	entry := d.Registers.Program
	for i := range f.mappings {
		m := &f.mappings[i]
		if entry-m.Addr >= m.Size {
			continue
		}
		if f.lo < m.Addr || f.hi > m.Addr+m.Size {
			return nil, fmt.Errorf("its code, 0x%x to 0x%x, lies in more than one buffer object", f.lo, f.hi-1)
		}
		if u := &f.used[i]; u.hi > f.lo && u.lo < f.hi {
			return nil, fmt.Errorf("it stores to 0x%x to 0x%x, where its code may lie, too", u.lo, u.hi-1)
		}
		text := make([]byte, f.hi-f.lo)
		if off := f.lo - m.Addr; off < uint64(len(m.Data)) {
			copy(text, m.Data[off:])
		}
		name := cmp.Or(d.Kernel.Name, nameOf(d.Kernel))
		return &machineCode{target: f.target, name: name, rsrc: d.Registers.RSRC, entry: entry, addr: f.lo, text: text,
			of: d.Kernel}, nil
	}
	return nil, errors.New("its code is not mapped")
}

// dispatch returns d as a specification that expects the memory after d. limit is its limit of instructions.
func (f *footprint) dispatch(d *device.Dispatch, code *machineCode, limit uint64) (*spec.Dispatch, error) {
	r := &d.Registers
	out := &spec.Dispatch{
		Kernel: code.name, Entry: r.Program,
		Registers: &sim.Registers{
			UserData: r.UserData, TmpRing: r.TmpRing, PrivateBase: r.PrivateBase, BorderColors: r.BorderColors,
		},
	}
	out.MaxInstructions = limit
	if r.Initiator&sim.StartAtZero == 0 {
		out.Registers.Start = r.Start
	}
	for i := range out.Grid {
		items := itemsOf(r, i)
		if items>>32 != 0 {
			return nil, fmt.Errorf("it has %d work-items in one direction; a specification has at most 2^32-1", items)
		}
		out.Grid[i], out.Group[i] = uint32(items), r.NumThread[i]&0xffff
	}
	left := uint64(maxSaved)
	for i := range f.mappings {
		m, u := &f.mappings[i], &f.used[i]
		if border := r.BorderColors; !u.touched && (border == 0 || border-m.Addr >= m.Size) {
			continue
		}
		if m.Unbound {
			return nil, fmt.Errorf("it reaches %s at 0x%x, which a specification cannot have", m.Name, m.Addr)
		}
		if m.Size > left {
			return nil, fmt.Errorf("the buffers that it reaches have more than %d bytes, %s alone %d", uint64(maxSaved), m.Name,
				m.Size)
		}
		left -= m.Size
		f.add(out, i, code, d.Err == nil)
	}
	for code.kernel = code.addr&^(pageBytes-1) - pageBytes; taken(out, code.kernel); code.kernel -= pageBytes {
	}
	if code.kernel > code.addr {
		return nil, fmt.Errorf("below its code, 0x%x, no page is free for a kernel descriptor", code.addr)
	}
	out.Object = code.object()
	return out, nil
}

// pageBytes is the size of the page for the kernel descriptor.
const pageBytes = 4096

// taken reports whether a buffer of d overlaps the page at addr.
func taken(d *spec.Dispatch, addr uint64) bool {
	return slices.ContainsFunc(d.Args, func(a spec.Arg) bool {
		return *a.Buffer.Addr < addr+pageBytes && addr < *a.Buffer.Addr+a.Buffer.Size
	})
}

// itemsOf returns the number of work-items along an axis, including those before the start.
func itemsOf(r *sim.Compute, axis int) uint64 {
	full, part, end := uint64(r.NumThread[axis]&0xffff), uint64(r.NumThread[axis]>>16), uint64(r.End[axis])
	switch {
	case r.Initiator&sim.CountsThreads != 0:
		return end
	case r.Initiator&sim.PartialGroups == 0 || part == 0 || end == 0:
		return end * full
	}
	return (end-1)*full + part
}

// add adds mapping number i to the arguments of d, without the code. If the dispatch ended without an error, it also
// adds the stored bytes to the expectations, except for private memory: which wave uses which part of it depends on
// how many work-groups execute at a time.
func (f *footprint) add(d *spec.Dispatch, i int, code *machineCode, ended bool) {
	m, u := &f.mappings[i], &f.used[i]
	piece := func(lo, hi uint64) {
		if lo >= hi {
			return
		}
		b := &spec.Buffer{Addr: &lo, Size: hi - lo}
		if from := lo - m.Addr; from < uint64(len(m.Data)) {
			b.Data = bytes.TrimRight(m.Data[from:min(uint64(len(m.Data)), hi-m.Addr)], "\x00")
		}
		d.Args = append(d.Args, spec.Arg{Buffer: b})
		from, to := max(lo, u.lo), min(hi, u.hi)
		if from < to && !u.scratch && ended {
			d.Expect = append(d.Expect, spec.Expect{
				Arg: len(d.Args) - 1, Offset: from - lo, Want: slices.Clone(f.memory.View(from)[:to-from]),
			})
		}
	}
	end, codeEnd := m.Addr+m.Size, code.addr+uint64(len(code.text))
	if code.addr >= end || codeEnd <= m.Addr {
		piece(m.Addr, end)
		return
	}
	piece(m.Addr, code.addr)
	piece(codeEnd, end)
}
