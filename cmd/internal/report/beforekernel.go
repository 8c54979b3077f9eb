package report

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/gcnsim/gcnsim/internal/specjson"
	"github.com/gcnsim/gcnsim/internal/tool/files"
	"github.com/gcnsim/gcnsim/r600"
	"github.com/gcnsim/gcnsim/sim/spec"
)

// What a run on a chip before GCN may have: threads of a work-group and of all, and bytes of memory.
const groupThreads, allThreads, memoryBytes = 1024, 1 << 20, 256 << 20

// kernelBefore is a kernel for a chip before GCN.
type kernelBefore struct {
	r600.Function
	lds int // bytes
}

// kernelsBefore returns the kernels of an object, or the only program of a text. is says whether they are kernels: the
// program of a text is one if it exports nothing but to memory.
func kernelsBefore(family r600.Family, path string, data []byte) (all []kernelBefore, is bool, err error) {
	if strings.HasPrefix(files.String(data), elfMagic) {
		if all, err = readObject(family, data); err != nil {
			return nil, true, fmt.Errorf("%s: %w", path, err)
		}
		return all, true, nil
	}
	functions, err := r600.Functions(family, files.String(data))
	if err != nil || len(functions) != 1 {
		return nil, false, nil //nolint:nilerr // the copy shaders say what is wrong
	}
	p, err := r600.Load(family, functions[0].Words)
	if err != nil {
		return nil, true, located(path, functions[0], err)
	}
	functions[0].Name = cmp.Or(functions[0].Name, "kernel")
	return []kernelBefore{{functions[0], 32 << 10}}, p.IsKernel(), nil
}

// compute runs a kernel for a chip before GCN and prints what it did.
func (r *run) compute(family r600.Family, path string, all []kernelBefore) error {
	k, err := chosen(all, r.Command.Kernel)
	if err != nil {
		return &specjson.FlagError{Flag: "kernel", Err: fmt.Errorf("%s: %w", path, err)}
	}
	p, err := r600.Load(family, k.Words)
	if err != nil {
		return fmt.Errorf("%s: %s: %w", path, k.Name, err)
	}
	grid, err := r.gridBefore()
	if err != nil {
		return err
	}
	memory, places, err := r.argsBefore(grid)
	if err != nil {
		return &specjson.FlagError{Flag: "arg", Err: err}
	}
	grid.LDS = k.lds
	var counts tally
	m := &r600.Machine{Buffers: []r600.Buffer{{}, {Data: memory, Stride: 1}}, RATs: [][]byte{memory},
		Trace: r.tracing(k.Function, &counts)}
	if err := m.Compute(p, *grid); err != nil {
		return fmt.Errorf("%s: %s: %w", path, k.Name, err)
	}
	fmt.Fprintf(r.out, "%s on %s (%v), %d x %d x %d work-groups of %d x %d x %d work-items\n", path, r.MCPU, family,
		grid.Groups[0], grid.Groups[1], grid.Groups[2], grid.Size[0], grid.Size[1], grid.Size[2])
	counts.waves = counts.lines[0].waves // which work-groups count from 0 on
	counts.print(r, k.Name)
	for _, place := range places {
		fmt.Fprintf(r.out, "\nargument %d, %d bytes at 0x%x:\n", place.arg, place.size, place.at)
		r.dwords(memory[place.at:][:place.size])
	}
	return nil
}

// dwords shows the first dwords of memory.
func (r *run) dwords(data []byte) {
	for row := range slices.Chunk(data[:min(len(data), shownBytes/2)&^3], 4*rowElements) {
		fmt.Fprint(r.out, " ")
		for ; len(row) > 0; row = row[4:] {
			fmt.Fprintf(r.out, " %08x", binary.LittleEndian.Uint32(row))
		}
		fmt.Fprintln(r.out)
	}
	if len(data) > shownBytes/2 {
		fmt.Fprintln(r.out, "  ...")
	}
}

// chosen returns the kernel of a name, the first one if the name is empty.
func chosen(all []kernelBefore, name string) (*kernelBefore, error) {
	var names []string
	for i := range all {
		if all[i].Name == name || name == "" {
			return &all[i], nil
		}
		names = append(names, all[i].Name)
	}
	return nil, fmt.Errorf("there is no kernel %q; there are %s", name, cmp.Or(strings.Join(names, ", "), "none"))
}

// gridBefore returns the size of the dispatch that the command line says.
func (r *run) gridBefore() (*r600.Grid, error) {
	size, err := extents("workgroup", r.Command.Workgroup, [3]int{64, 1, 1})
	if err != nil {
		return nil, err
	}
	items, err := extents("grid", r.Command.Grid, size)
	if err != nil {
		return nil, err
	}
	if n := size[0] * size[1] * size[2]; n > groupThreads {
		return nil, &specjson.FlagError{Flag: "workgroup", Err: fmt.Errorf("%d work-items; at most %d", n, groupThreads)}
	}
	if n := items[0] * items[1] * items[2]; n > allThreads {
		return nil, &specjson.FlagError{Flag: "grid", Err: fmt.Errorf("%d work-items; at most %d", n, allThreads)}
	}
	g := &r600.Grid{Size: size}
	for i := range items {
		if items[i]%size[i] != 0 {
			return nil, &specjson.FlagError{Flag: "grid", Err: fmt.Errorf("%d work-items are no multiple of the %d of a "+
				"work-group", items[i], size[i])}
		}
		g.Groups[i] = items[i] / size[i]
	}
	return g, nil
}

// extents reads up to three sizes.
func extents(flag string, values []string, def [3]int) (size [3]int, err error) {
	if values == nil {
		return def, nil
	}
	size = [3]int{1, 1, 1}
	if len(values) > len(size) {
		return size, &specjson.FlagError{Flag: flag, Err: fmt.Errorf("%d sizes; at most three", len(values))}
	}
	for i, text := range values {
		v, err := strconv.ParseUint(text, 0, 20)
		if err != nil || v == 0 {
			return size, &specjson.FlagError{Flag: flag, Err: fmt.Errorf("%q is no size from 1 to %d", text, 1<<20-1)}
		}
		size[i] = int(v)
	}
	return size, nil
}

// place is where a buffer of an argument lies.
type place struct{ arg, at, size int }

// argsBefore puts the arguments of the command line into grid. Buffers lie in memory from 256 on, each at a multiple of
// 256.
func (r *run) argsBefore(grid *r600.Grid) (memory []byte, places []place, err error) {
	hint, err := (&specjson.Command{Args: r.Command.Args}).Hint()
	if err != nil {
		return nil, nil, err
	}
	memory = make([]byte, 256)
	for i := range r.Command.Args {
		value, err := argBefore(hint.Args[strconv.Itoa(i)])
		if err != nil {
			return nil, nil, fmt.Errorf("number %d: %w", i, err)
		}
		if b := hint.Args[strconv.Itoa(i)].Buffer; b != nil {
			at, size := len(memory), max(int(b.Size), len(b.Data))
			if b.Size > memoryBytes || at+size > memoryBytes {
				return nil, nil, fmt.Errorf("number %d: all buffers have more than %d bytes", i, memoryBytes)
			}
			memory = append(memory, make([]byte, (size+255)&^255)...)
			copy(memory[at:], b.Data)
			places = append(places, place{i, at, size})
			value = binary.LittleEndian.AppendUint32(nil, uint32(at))
		}
		grid.Args = append(grid.Args, value...)
	}
	return memory, places, nil
}

// argBefore returns the bytes of an argument that is not a buffer.
func argBefore(a spec.Arg) ([]byte, error) {
	switch {
	case a.Buffer != nil && (a.Buffer.Random != nil || a.Buffer.Addr != nil || a.Buffer.NoInit):
		return nil, errors.New("a chip before GCN takes buffers with data or zeros alone: buffer=BYTES or buffer=@FILE")
	case a.Buffer != nil:
		return nil, nil
	case a.U32 != nil:
		return binary.LittleEndian.AppendUint32(nil, *a.U32), nil
	case a.F32 != nil:
		return binary.LittleEndian.AppendUint32(nil, math.Float32bits(*a.F32)), nil
	case a.U64 != nil:
		return binary.LittleEndian.AppendUint64(nil, *a.U64), nil
	case a.Bytes != nil && len(*a.Bytes)%4 == 0:
		return *a.Bytes, nil
	}
	return nil, errors.New("a chip before GCN takes u32, f32, u64, buffer, and hex of whole dwords")
}
