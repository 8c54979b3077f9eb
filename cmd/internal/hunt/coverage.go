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

// epoch is how many programs are judged before what they have shown counts: a program does not depend on which one
// of an epoch ends first.
const epoch = 64

// coverage counts the instructions in the objects of a hunt.
type coverage struct {
	// Forms are names of rows with their encodings, as in "v_add_u32 SDWA", and how many programs had them.
	Forms map[string]uint64 `json:"forms"`
	// Parents are seeds of programs that had a form before all others. They are in the order of seeds.
	Parents []uint64 `json:"parents"`
	// Pending are the forms of programs of the epoch that has not ended, by their seeds.
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

// admit waits until another program belongs to the epoch, and reports false if ctx has ended.
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

// cover notes the forms of the program of a trial, of all builds, and ends the epoch with its last program.
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

// origin returns which program a seed is: each second one has the preferences of one that had a form before all others,
// once there are such.
func (h *Hunt) origin(seed uint64) edge.Origin {
	h.mu.Lock()
	defer h.mu.Unlock()
	o := edge.Of(seed)
	if parents := h.state.Coverage.Parents; seed%2 == 1 && len(parents) > 0 {
		o.Like = parents[o.Rand(0).IntN(len(parents))]
	}
	return o
}

// end counts the forms of the epoch, in the order of seeds.
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
