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

// defaultCacheBytes is the default of [ObjectCache].MaxBytes.
const defaultCacheBytes = 256 << 20

// ObjectCache caches code objects by their contents, together with their decoded programs, and decoded code from
// memory. Machines that load or execute the same code may share it; see [Machine.Objects]. The zero value is ready.
// It is safe for concurrent use and must not be copied.
type ObjectCache struct {
	// MaxBytes is the approximate size limit in bytes; 0 means 256 MiB. The least recently used entries are removed. Set
	// it before the first use.
	MaxBytes int64
	// Unfused decodes each fused multiply-add as a product and a sum that are rounded separately, as in programs whose
	// compiler contracts nothing. Set it before the first use.
	Unfused bool

	bind func(*isa.Inst) executor.Impl // replaces the executors, for tests

	mu      sync.Mutex
	seed    maphash.Seed
	objects map[uint64]*object // by a hash of the contents
	clock   uint64             // number of uses so far

	code codeCache
}

// object is a code object with its decoded code.
type object struct {
	*codeobj.Object
	data []byte // a private copy of the file, if the object is in a cache
	used uint64 // value of the cache's clock at the last use

	mu       sync.Mutex
	programs map[programKey]*Program // decoded at address 0
	bytes    int64
}

// programKey identifies a range of words of an object, and the waves that it is decoded for.
type programKey struct {
	target  gcn.Target
	segment int
	from, n int // range of words
	vgprs   int
}

// Parse returns the result of [codeobj.Parse], which it calls once for equal data. It keeps a copy of data, not data.
// A nil cache keeps nothing.
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

// object returns the code object in data.
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

// trim removes objects until the cache is within its limit. It keeps the latest object.
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
		case total-c.code.size() <= most: // removing code from memory is enough: it is decoded again when a wave reaches it
			c.code.forget()
			return
		}
		delete(c.objects, oldest)
	}
}

// most returns the size limit of c in bytes.
func (c *ObjectCache) most() int64 {
	if c.MaxBytes <= 0 {
		return defaultCacheBytes
	}
	return c.MaxBytes
}

// room returns the number of bytes of code from memory that c may hold in addition to its objects.
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

// stepBytes is the approximate size of a decoded word with its executor.
const stepBytes = int64(unsafe.Sizeof(step{})) + 256

// program returns the program of key, whose words equal those of the file. words returns these words and those that
// follow them; find returns the executor of an instruction. The error comes from ctx.
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
