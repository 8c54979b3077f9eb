//go:build linux && (amd64 || arm64)

package device

import (
	"encoding/binary"
	"math/rand/v2"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/internal/testkit/effort"
)

// The address range, in pages, of these tests, and the sizes of the buffer objects that they map.
const (
	playVA    = 1 << 36
	playPages = 48
	playBOs   = 3
	playSize  = 24 // pages of a buffer object
)

// owner is the memory behind a page of GPU addresses: page off of buffer object bo, or nothing if bo is unbound (a
// sparse resource). The zero value is an unmapped page.
type owner struct {
	bo, off int
	left    int // number of the call that unmapped it during work, or 0
	mapped  int // number of the call that mapped it
}

const unbound = -1

// playground is a client together with a simple model of its pages.
type playground struct {
	*client
	handles [playBOs + 1]uint32
	pages   [playPages]owner
	calls   int
	busy    bool // work is in progress, so unmapping takes effect later
}

// apply does an operation on the client and on the model, and compares the results.
func (p *playground) apply(op, bo, lo, n, off int, sparse bool) {
	p.t.Helper()
	p.calls++
	in := gemVA{Handle: p.handles[bo], Operation: uint32(op), Flags: pageReadable | pageWriteable,
		Addr: playVA + uint64(lo)*pageBytes, Offset: uint64(off) * pageBytes, Size: uint64(n) * pageBytes}
	page := owner{bo: bo, off: off, mapped: p.calls}
	if sparse {
		in.Handle, in.Flags, in.Offset = 0, pagePRT, 0
		page.bo, page.off = unbound, 0
	}
	errno := p.ioctl(nrGemVA, &in, nil)
	pages := p.pages[lo : lo+n]
	switch op {
	case vaClear:
		require.Zero(p.t, errno)
		clear(pages)
	case vaUnmap:
		require.Equal(p.t, p.unmap(pages, lo, page.bo, sparse), errno)
	case vaMap, vaReplace:
		require.Equal(p.t, p.put(pages, lo, page, op == vaReplace), errno)
	}
}

// put maps pages. A mapping that was unmapped during work is replaced as a whole, including pages outside of the new
// range.
func (p *playground) put(pages []owner, lo int, first owner, replace bool) syscall.Errno {
	if replace {
		clear(pages)
	}
	for _, o := range pages {
		if o.bo != 0 && o.left == 0 {
			return syscall.EINVAL
		}
	}
	for i := range pages {
		gone := pages[i]
		for j := lo + i; gone.bo != 0 && j < playPages && p.pages[j] == follows(gone, j-lo-i); j++ {
			p.pages[j] = owner{}
		}
		for j, back := lo+i-1, 1; gone.bo != 0 && j >= 0 && p.pages[j] == follows(gone, -back); j, back = j-1, back+1 {
			p.pages[j] = owner{}
		}
	}
	for i := range pages {
		pages[i] = follows(first, i)
	}
	return 0
}

// follows returns the page that is n pages behind o in the same mapping.
func follows(o owner, n int) owner {
	if o.bo != unbound {
		o.off += n
	}
	return o
}

// unmap unmaps pages that are exactly one mapping.
func (p *playground) unmap(pages []owner, lo, bo int, sparse bool) syscall.Errno {
	whole := pages[0].bo == bo && pages[0].left == 0
	for i, o := range pages {
		whole = whole && o == follows(pages[0], i)
	}
	same := func(at, n int) bool {
		return at >= 0 && at < playPages && p.pages[at] == follows(pages[0], n)
	}
	whole = whole && !same(lo-1, -1) && !same(lo+len(pages), len(pages))
	switch {
	case !whole && !sparse:
		return syscall.ENOENT
	case !whole || !p.busy:
		clear(pages)
	default:
		for i := range pages {
			pages[i].left = p.calls
		}
	}
	return 0
}

// finish ends the work in progress, which unmaps the mappings that waited for it.
func (p *playground) finish() {
	for i, o := range p.pages {
		if o.left != 0 {
			p.pages[i] = owner{}
		}
	}
	p.busy = false
}

// compare compares all pages with the model: once read like the command processor, once like waves.
func (p *playground) compare() {
	p.t.Helper()
	for i, o := range p.pages {
		at := playVA + uint64(i)*pageBytes
		var b, wave [4]byte
		err := p.f.space.read(b[:], at)
		waveErr := p.f.space.memory.Read(at, wave[:])
		require.Equal(p.t, o.bo != 0, err == nil, "page %d: %v", i, err)
		require.Equal(p.t, o.bo != 0, waveErr == nil, "page %d: %v", i, waveErr)
		want := uint32(0)
		if o.bo > 0 {
			want = uint32(o.bo)<<8 | uint32(o.off)
		}
		require.Equal(p.t, want, binary.LittleEndian.Uint32(b[:]), "page %d", i)
		require.Equal(p.t, b, wave, "page %d", i)
	}
	s := p.f.space
	s.mu.RLock() // mappings that were unmapped during work disappear when it ends
	defer s.mu.RUnlock()
	count := 0
	for e := range s.maps.From(0) {
		if e.Value.bo != nil {
			require.Contains(p.t, e.Value.bo.maps, e.Value)
			count++
		}
	}
	for _, b := range p.f.bos.items {
		if b != nil {
			count -= len(b.maps)
		}
	}
	require.Zero(p.t, count)
}

// playMappings decodes bytes to operations and applies them. If the first byte is odd, work is in progress all the
// time.
func playMappings(t *testing.T, steps []byte) {
	c := newClient(t, Options{Chip: "fiji", MemoryBytes: 1 << 22})
	p := &playground{client: c}
	for i := 1; i <= playBOs; i++ {
		handle, bytes := c.buffer(playSize * pageBytes)
		p.handles[i] = handle
		for page := range playSize {
			binary.LittleEndian.PutUint32(bytes[page*pageBytes:], uint32(i)<<8|uint32(page))
		}
	}
	var end []byte
	var q *queue
	var sequence uint64
	if len(steps) > 0 && steps[0]&1 != 0 {
		p.busy = true
		_, end = c.mapped(dataVA, 4096)
		q = c.queue(ipCompute, 0, commandsVA)
		var errno syscall.Errno
		sequence, errno = q.cs(q.ib(packet(0x3c, 3|1<<4, low(dataVA), high(dataVA), 1, 1, 4)...))
		require.Zero(t, errno)
	}
	for steps = steps[min(1, len(steps)):]; len(steps) >= 4; steps = steps[4:] {
		lo := int(steps[1]) % playPages
		n := min(1+int(steps[2])%16, playPages-lo)
		op := int(steps[0]>>3)%4 + 1
		sparse := steps[0]&1 != 0
		bo := int(steps[0]>>1)%playBOs + 1
		if op == vaUnmap && steps[0]&0xc0 != 0 { // usually a range that is exactly one mapping
			if m, ok := c.f.space.at(playVA + uint64(lo)*pageBytes); ok {
				lo, n, sparse = int((m.lo-playVA)/pageBytes), int((m.hi-m.lo)/pageBytes), m.bo == nil
				for i, h := range p.handles {
					if m.bo != nil && h == m.bo.handle {
						bo = i
					}
				}
			}
		}
		p.apply(op, bo, lo, n, int(steps[3])%(playSize-n+1), sparse)
	}
	p.compare()
	if p.busy {
		end[0] = 1
		c.must(nrWaitCS, &waitCSIn{Sequence: sequence, IP: q.ip, Context: q.context, Timeout: ^uint64(0)}, &waitCSOut{})
		p.finish()
		p.compare()
	}
	for i := 1; i <= playBOs; i++ {
		c.must(nrGemClose, &gemClose{Handle: p.handles[i]}, nil)
		for at := range p.pages {
			if p.pages[at].bo == i {
				p.pages[at] = owner{}
			}
		}
		p.compare()
	}
}

// TestMappingSequences: each page has the same memory as in a simple list of pages, after any sequence of maps,
// unmaps, clears and replacements of buffer objects and of unbound ranges.
func TestMappingSequences(t *testing.T) {
	for seed := range uint64(effort.Rounds(700)) {
		r := rand.New(rand.NewPCG(seed, 5))
		steps := make([]byte, 1+4*r.IntN(150))
		for i := range steps {
			steps[i] = byte(r.Uint32())
		}
		playMappings(t, steps)
	}
}

// FuzzMappings: each page has the same memory as in a simple list of pages, after any sequence of operations.
func FuzzMappings(f *testing.F) {
	f.Add([]byte{0, 0, 0, 9, 0, 8, 2, 3, 0, 16, 0, 9, 0})
	f.Add([]byte{1, 1, 0, 15, 0, 0xc8, 2, 3, 0, 26, 4, 2, 1})
	f.Fuzz(playMappings)
}

// TestSparseOfAnySize: an unbound range of nearly all addresses is one mapping, and stores to it are dropped.
func TestSparseOfAnySize(t *testing.T) {
	c := newClient(t, Options{Chip: "vega10"})
	const at = 1 << 44
	c.must(nrGemVA, &gemVA{Operation: vaMap, Flags: pagePRT, Addr: at, Size: 64 << 40}, nil)
	assert.Equal(t, 1, c.f.space.maps.Len())
	_, data := c.mapped(dataVA, 4096)
	q := c.queue(ipCompute, 0, commandsVA)
	const far = at + 33<<40
	q.submit(packet(0x37, 5<<8, low(far), high(far), 7)...)
	data[0] = 1
	q.submit(packet(0x50, 0, low(far), high(far), low(dataVA), high(dataVA), 4)...)
	assert.Zero(t, data[0])
	c.must(nrGemVA, &gemVA{Operation: vaUnmap, Flags: pagePRT, Addr: at, Size: 64 << 40}, nil)
}

// TestManyMappings: many pages of a buffer object are mapped in any order, and the object is closed while its file is
// closed.
func TestManyMappings(t *testing.T) {
	c := newClient(t, Options{Chip: "fiji"})
	n := effort.Rounds(200_000)
	const stride = 7919 // a prime
	handle, _ := c.buffer(4096)
	began := time.Now()
	for i := range n {
		c.must(nrGemVA, pageAt(handle, i*stride%n), nil)
	}
	t.Logf("%d pages mapped in %v", n, time.Since(began))
	began = time.Now()
	ended := make(chan time.Time)
	go func() {
		// The call may succeed or not.
		_ = c.f.Ioctl(t.Context(), c, 3<<30|8<<16|drmType<<8|nrGemClose, c.put(&gemClose{Handle: handle}))
		ended <- time.Now()
	}()
	time.Sleep(time.Millisecond)
	require.NoError(t, c.f.Close())
	<-ended
	t.Logf("closed in %v", time.Since(began))
	assert.Less(t, time.Since(began), 10*time.Second)
}

func pageAt(handle uint32, i int) *gemVA {
	return &gemVA{Handle: handle, Operation: vaMap, Flags: pageReadable | pageWriteable,
		Addr: playVA + uint64(i)*2*pageBytes, Size: pageBytes}
}

// TestMemoryFileIsBounded: programs that have the memory file cannot use more of it than Options.MemoryBytes.
func TestMemoryFileIsBounded(t *testing.T) {
	const size = 1 << 20
	c := newClient(t, Options{Chip: "fiji", MemoryBytes: size})
	info, err := c.f.Memory().Stat()
	require.NoError(t, err)
	assert.EqualValues(t, size, info.Size())
	require.ErrorIs(t, c.f.Memory().Truncate(2*size), syscall.EPERM)
	_, err = c.f.Memory().WriteAt([]byte{1}, size)
	require.ErrorIs(t, err, syscall.EPERM)
	_, err = c.f.Memory().WriteAt(make([]byte, size), 0) // outside of any buffer object
	require.NoError(t, err)
	_, bytes := c.buffer(size)
	assert.Len(t, bytes, size, "which does not keep others from it")
	assert.Equal(t, syscall.ENOMEM, c.ioctl(nrGemCreate, &gemCreateIn{Size: 1, Domains: domainVRAM}, nil))
}

// blockedLog is a log whose reader is blocked until it is closed.
type blockedLog chan struct{}

func (l blockedLog) Write(b []byte) (int, error) {
	<-l
	return len(b), nil
}

// TestBlockedLog: while the log blocks, calls that need the reported fault wait, and other calls are answered.
func TestBlockedLog(t *testing.T) {
	log := make(blockedLog)
	c := newClient(t, Options{Chip: "fiji", MemoryBytes: 1 << 20, Log: log})
	q := c.queue(ipCompute, 0, commandsVA)
	other := playing(t, c.f, 1<<16)
	answered := make(chan syscall.Errno, 2)
	go func() {
		_, errno := q.cs(q.ib(packet(0xff, 0)...))
		answered <- errno
	}()
	untilStacks(t, 1, ".(*Device).logf(")
	other.context()
	third := playing(t, c.f, 1<<16)
	go func() { answered <- third.ioctl(nrGemCreate, &gemCreateIn{Size: 1 << 30, Domains: domainVRAM}, nil) }()
	untilStacks(t, 2, ".(*Device).logf(")
	other.context()
	assert.Empty(t, answered)
	close(log)
	assert.ElementsMatch(t, []syscall.Errno{syscall.ECANCELED, syscall.ENOMEM}, []syscall.Errno{<-answered, <-answered})
}
