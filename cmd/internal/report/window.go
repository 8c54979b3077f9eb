package report

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/gcnsim/gcnsim/internal/sim/record"
)

// Window is a flag that says which part of a run a report shows step by step: the number of the
// first wave, and after a colon that of the first instruction of each.
type Window struct{ *record.Options }

// String returns the value.
func (w Window) String() string {
	if w.Options == nil {
		return "0"
	}
	return fmt.Sprintf("%d:%d", w.FirstWave, w.From)
}

// Set reads a value.
func (w Window) Set(text string) error {
	wave, from, both := strings.Cut(text, ":")
	n, err := strconv.ParseUint(wave, 0, 31)
	if err == nil && both {
		w.From, err = strconv.ParseUint(from, 0, 64)
	}
	if err != nil {
		return fmt.Errorf("%q is no window; give the number of a wave, or WAVE:INSTRUCTION, both from 0 on", text)
	}
	w.FirstWave = int(n)
	return nil
}

// Type names the kind of value.
func (Window) Type() string { return "wave[:instruction]" }
