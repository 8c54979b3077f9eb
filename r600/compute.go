package r600

import (
	"encoding/binary"
	"iter"
	"slices"
)

// Thread is a thread that [Machine.Group] runs.
type Thread struct {
	GPR     [gprs][4]uint32 // before and after the run
	Output                  // what it exports of a vertex
	Colours [maxTargets][4]uint32
	Killed  bool // after the run
}

// Group runs a program for the threads of a work-group, [Threads] a wave, with the registers that they have. The waves
// share lds, and wait for one another at GROUP_BARRIER. The error is an *[Error] of kind [Fault].
func (m *Machine) Group(p *Program, threads []Thread, lds []byte) error {
	var running []func() (error, bool)
	for first := 0; first < len(threads); first += Threads {
		w := newWave(m, first/Threads, min(Threads, len(threads)-first))
		w.lds, w.threads = lds, threads[first:first+w.count]
		turn, stop := iter.Pull(w.turns(p))
		defer stop()
		running = append(running, turn)
	}
	for len(running) > 0 { // a turn of each wave goes to its next barrier, or to its end
		var waiting []func() (error, bool)
		for _, turn := range running {
			err, waits := turn()
			if err != nil {
				return err
			}
			if waits {
				waiting = append(waiting, turn)
			}
		}
		running = waiting
	}
	return nil
}

// turns runs the program: it gives nil at each barrier, and the error with which the program ends, if any.
func (w *wave) turns(p *Program) iter.Seq[error] {
	return func(yield func(error) bool) {
		stopped := false // since another wave has failed
		w.wait = func() {
			if stopped = stopped || !yield(nil); stopped {
				w.left = 0
			}
		}
		for t := range w.threads {
			w.GPR[t] = w.threads[t].GPR
		}
		err := w.run(p)
		for t := range w.threads {
			w.threads[t].GPR, w.threads[t].Killed = w.GPR[t], w.Valid>>t&1 == 0
		}
		if err != nil && !stopped {
			yield(err)
		}
	}
}

// Grid is the size of a dispatch of a kernel, and its arguments.
type Grid struct {
	Groups, Size [3]int // work-groups, and threads of each; 0 is 1
	LDS          int    // bytes of a work-group
	Args         []byte
}

// Compute runs a kernel as LLVM compiles it (rule FS12): GPR 0 has the id in the work-group, GPR 1 the id of the
// work-group. Bank 0 of the constants, which replaces that of m, has the size of the grid in groups and in threads and
// the size of a group, three dwords each, the arguments, and for libclc 3 dimensions and the offset 0. Memory is buffer
// 1 and RAT 0 of m, usually the same bytes, with addresses from 0 on. The error is an *[Error] of kind [Fault].
func (m *Machine) Compute(p *Program, g Grid) error {
	for i := range 3 {
		g.Groups[i], g.Size[i] = max(1, g.Groups[i]), max(1, g.Size[i])
	}
	kernel := *m
	kernel.Constants = append([][][4]uint32{g.constants()}, m.Constants[min(1, len(m.Constants)):]...)
	threads := make([]Thread, g.Size[0]*g.Size[1]*g.Size[2])
	for id := range g.Groups[0] * g.Groups[1] * g.Groups[2] {
		clear(threads)
		kernel.group = id
		for i := range threads {
			threads[i].GPR[0] = place3(i, g.Size)
			threads[i].GPR[1] = place3(id, g.Groups)
		}
		if err := kernel.Group(p, threads, make([]byte, g.LDS)); err != nil {
			return err
		}
	}
	return nil
}

// place3 returns x, y and z of element i of a box.
func place3(i int, size [3]int) [4]uint32 {
	return [4]uint32{uint32(i % size[0]), uint32(i / size[0] % size[1]), uint32(i / size[0] / size[1])}
}

// constants returns the constants of a kernel.
func (g *Grid) constants() (all [][4]uint32) {
	var words []uint32
	items := [3]int{g.Groups[0] * g.Size[0], g.Groups[1] * g.Size[1], g.Groups[2] * g.Size[2]}
	for _, n := range slices.Concat(g.Groups[:], items[:], g.Size[:]) {
		words = append(words, uint32(n))
	}
	args := slices.Concat(g.Args, []byte{0, 0, 0})
	for ; len(args) >= 4; args = args[4:] {
		words = append(words, binary.LittleEndian.Uint32(args))
	}
	words = append(words, 3, 0, 0, 0) // dimensions, and the first work-item
	for i, v := range words {
		if i%4 == 0 {
			all = append(all, [4]uint32{})
		}
		all[i/4][i%4] = v
	}
	return all
}
