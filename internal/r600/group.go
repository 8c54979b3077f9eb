package r600

// Thread is a thread that [Machine.Group] executes.
type Thread struct {
	GPR     [gprs][4]uint32 // registers, before and after the execution
	Output                  // parameters that it exported
	Colours [maxTargets][4]uint32
	Killed  bool // it was killed
}

// Group executes a program for threads with given registers, [Threads] of them a wave. The error is an *[Error] of
// kind [Fault].
func (m *Machine) Group(p *Program, threads []Thread) error {
	for first := 0; first < len(threads); first += Threads {
		w := newWave(m, first/Threads, min(Threads, len(threads)-first))
		w.threads = threads[first : first+w.count]
		for t := range w.threads {
			w.GPR[t] = w.threads[t].GPR
		}
		err := w.run(p)
		for t := range w.threads {
			w.threads[t].GPR, w.threads[t].Killed = w.GPR[t], w.Valid>>t&1 == 0
		}
		if err != nil {
			return err
		}
	}
	return nil
}
