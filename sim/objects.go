package sim

import (
	"bytes"
	"context"
	"hash/maphash"
	"sync"
	"unsafe"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/sim/codeobj"
)

// defaultCacheBytes is how much an [ObjectCache] holds unless its MaxBytes is set.
const defaultCacheBytes = 256 << 20

// ObjectCache keeps code objects by their bytes, with the programs that were decoded of
// them, and what was decoded of code in memory, for machines that load or execute the same:
// see [Machine.Objects]. The zero value is
// ready; it is safe for concurrent use and must not be copied.
type ObjectCache struct {
	// MaxBytes is about how much memory the cache holds; 0 is 256 MiB. It forgets
	// what was not asked for the longest time. Set it before the first use.
	MaxBytes int64
	// Unfused decodes each fused multiply-add as a product and a sum, each rounded: as a program whose
	// compiler contracts nothing computes them. Set it before the first use.
	Unfused bool

	bind func(*isa.Inst) executor.Impl // in place of the executors: for tests

	mu      sync.Mutex
	seed    maphash.Seed
	objects map[uint64]*object // by a hash of the bytes
	clock   uint64             // counts uses

	code codeCache
}

// object is a code object with what was decoded of it.
type object struct {
	*codeobj.Object
	data []byte // a private copy of the file, if the object is in a cache
	used uint64 // when, by the clock of the cache

	mu       sync.Mutex
	programs map[programKey]*Program // at address 0
	bytes    int64
}

// programKey says what of an object was decoded and for which waves.
type programKey struct {
	target  gcn.Target
	segment int
	from, n int // words
	vgprs   int
}

// Parse returns what [codeobj.Parse] does, which it calls once for equal data. It keeps no
// data of the caller's. A nil cache keeps nothing.
func (c *ObjectCache) Parse(data []byte) (*codeobj.Object, error) {
	o, err := c.object(data)
	if err != nil {
		return nil, err
	}
	return o.Object, nil
}

// find returns the function that finds the executor of an instruction.
func (c *ObjectCache) find() func(*isa.Inst) executor.Impl {
	switch {
	case c == nil, c.bind == nil && !c.Unfused:
		return executor.Find
	case c.bind != nil:
		return c.bind
	}
	return executor.FindUnfused
}

// object returns the code object that data holds.
func (c *ObjectCache) object(data []byte) (*object, error) {
	if c == nil {
		return newObject(data)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.objects == nil {
		c.seed, c.objects = maphash.MakeSeed(), map[uint64]*object{}
	}
	c.clock++
	key := maphash.Bytes(c.seed, data)
	if o := c.objects[key]; o != nil && bytes.Equal(o.data, data) {
		o.used = c.clock
		return o, nil
	}
	o, err := newObject(bytes.Clone(data))
	if err != nil {
		return nil, err
	}
	o.used = c.clock
	c.objects[key] = o
	c.trim()
	return o, nil
}

func newObject(data []byte) (*object, error) {
	parsed, err := codeobj.Parse(data)
	if err != nil {
		return nil, err
	}
	return &object{Object: parsed, data: data, programs: map[programKey]*Program{}, bytes: int64(len(data))}, nil
}

// trim forgets objects until what is held is not too much; the latest one stays.
func (c *ObjectCache) trim() {
	most := c.most()
	for len(c.objects) > 1 {
		total, oldest := c.code.size(), uint64(0)
		for key, o := range c.objects {
			total += o.size()
			if first := c.objects[oldest]; first == nil || o.used < first.used {
				oldest = key
			}
		}
		switch {
		case total <= most:
			return
		case total-c.code.size() <= most: // code in memory is decoded when a wave comes to it
			c.code.forget()
			return
		}
		delete(c.objects, oldest)
	}
}

// most is about how many bytes c may hold.
func (c *ObjectCache) most() int64 {
	if c.MaxBytes <= 0 {
		return defaultCacheBytes
	}
	return c.MaxBytes
}

// room is how many bytes of code in memory c may hold beside its objects.
func (c *ObjectCache) room() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	room := c.most()
	for _, o := range c.objects {
		room -= o.size()
	}
	return room
}

func (o *object) size() int64 {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.bytes
}

// stepBytes is about how much a decoded word takes, with what executes it.
const stepBytes = int64(unsafe.Sizeof(step{})) + 256

// program returns the program of key, whose words are the words of the file; words returns them and
// those that follow, and find says how an instruction executes. The error comes from ctx.
func (o *object) program(ctx context.Context, key programKey, words func() []uint32,
	find func(*isa.Inst) executor.Impl) (*Program, error) {
	o.mu.Lock()
	p := o.programs[key]
	o.mu.Unlock()
	if p != nil {
		return p, nil
	}
	p, err := newProgram(ctx, key.target, words(), key.n, key.vgprs, find)
	if err != nil {
		return nil, err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.programs[key] == nil {
		o.programs[key] = p
		o.bytes += stepBytes * int64(len(p.steps))
	}
	return p, nil
}
