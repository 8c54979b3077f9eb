package hunt

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gcnsim/gcnsim/cmd/internal/hunt/edge"
	"github.com/gcnsim/gcnsim/cmd/internal/shrink"
	"github.com/gcnsim/gcnsim/internal/sim/codeobj"
)

// epoch is the number of programs after which their coverage is used for new programs. Within an epoch programs
// therefore do not depend on which one ends first.
const epoch = 64

// coverage counts the instructions in the objects of a hunt.
type coverage struct {
	// Forms are instruction forms with their encodings, such as "v_add_u32 SDWA", with the number of programs that
	// had them.
	Forms map[string]uint64 `json:"forms"`
	// Parents are seeds of programs that had a new form, in ascending order.
	Parents []uint64 `json:"parents"`
	// Pending are the forms of programs in the current epoch, by seed.
	Pending map[uint64][]string `json:"pending"`
}

// object returns the code object of a build of a program.
func object(k *program, dir string, b *build) (*codeobj.Object, error) {
	name := filepath.Join(dir, b.Name+".o")
	if k.saved {
		name = filepath.Join(name, strings.TrimSuffix(savedFile, ".json")+".co")
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	return codeobj.Parse(data)
}

// admit waits until another program may start in the epoch. It reports false if ctx has ended.
func (h *Hunt) admit(ctx context.Context) bool {
	for {
		h.mu.Lock()
		free, next := len(h.state.Coverage.Pending)+h.started < epoch, h.epochs
		if free {
			h.started++
		}
		h.mu.Unlock()
		if free {
			return true
		}
		select {
		case <-next:
		case <-ctx.Done():
			return false
		}
	}
}

// cover records the forms of a trial's builds. The last program of an epoch ends it.
func (t *trial) cover() {
	forms := map[string]bool{}
	for i := range t.builds {
		if o, err := object(t.k, t.dir, &t.builds[i]); err == nil {
			for in, err := range shrink.Instructions(o) {
				if err == nil {
					forms[in.Row().Name+" "+in.Enc.String()] = true
				}
			}
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	c := &t.state.Coverage
	c.Pending[t.k.Seed] = slices.Sorted(maps.Keys(forms))
	if t.started--; len(c.Pending) >= epoch {
		c.end()
		close(t.epochs)
		t.epochs = make(chan struct{})
	}
}

// origin returns the program for a seed. Every second one has the preferences of a parent, once there are parents.
func (h *Hunt) origin(seed uint64) edge.Origin {
	h.mu.Lock()
	defer h.mu.Unlock()
	o := edge.Of(seed)
	if parents := h.state.Coverage.Parents; seed%2 == 1 && len(parents) > 0 {
		o.Like = parents[o.Rand(0).IntN(len(parents))]
	}
	return o
}

// end adds the forms of the epoch, in the order of seeds.
func (c *coverage) end() {
	for _, seed := range slices.Sorted(maps.Keys(c.Pending)) {
		fresh := false
		for _, form := range c.Pending[seed] {
			c.Forms[form]++
			fresh = fresh || c.Forms[form] == 1
		}
		if fresh {
			c.Parents = append(c.Parents, seed)
		}
	}
	clear(c.Pending)
}
