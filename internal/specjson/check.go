package specjson

import (
	"errors"
	"fmt"
	"slices"

	"github.com/gcnsim/gcnsim/sim/check"
	"github.com/gcnsim/gcnsim/sim/spec"
)

// checkOptions say how strictly checks judge a request: see [check.Options].
type checkOptions struct {
	Flat    string `json:"flat"`
	Barrier string `json:"barrier"`
	XNACK   bool   `json:"xnack"`
	SRAMECC bool   `json:"sramecc"`
	// MaxBytes bounds the memory that looking for races, and for undefined values, takes.
	MaxBytes uint64 `json:"max_bytes"`
}

// options returns o as options of a checker.
func (o *checkOptions) options() (c check.Options, err error) {
	for _, x := range []struct {
		name, value, known string
		set                *bool
	}{{"flat", o.Flat, "both", &c.FlatBoth}, {"barrier", o.Barrier, "drain", &c.BarrierDrain}} {
		if x.value != "" && x.value != x.known {
			return c, fmt.Errorf("%s: %q is not known; known is %q", x.name, x.value, x.known)
		}
		*x.set = x.value != ""
	}
	c.XNACK, c.SRAMECC, c.MaxBytes = o.XNACK, o.SRAMECC, o.MaxBytes
	return c, nil
}

// checkKeys are the keys of a request that say what is checked and how.
type checkKeys struct {
	Check        []string     `json:"check"`
	CheckOptions checkOptions `json:"check_options"`
	Suppressions []string     `json:"suppressions"`
}

// judged returns the kinds of findings to look for that a request or o names, and how strictly.
func (k *checkKeys) judged(o *Options) (kinds []string, options check.Options, err error) {
	if options, err = k.CheckOptions.options(); err != nil {
		return nil, options, fmt.Errorf("check_options: %w", err)
	}
	suppressions := slices.Clip(o.Suppressions)
	for i, text := range k.Suppressions {
		s, err := check.ParseSuppression(text, 0)
		if err != nil {
			return nil, options, fmt.Errorf("suppressions[%d]: %w", i, err)
		}
		suppressions = append(suppressions, s)
	}
	kinds = append(slices.Clip(k.Check), o.Check...)
	if len(kinds) == 0 {
		const nothing = "nothing is checked, so "
		const unchecked, flagged = nothing + "they have no effect; give check",
			nothing + "it has no effect; give --check, or check in the file"
		switch {
		case o.Judged:
			return nil, options, &FlagError{"fail-on", errors.New(flagged)}
		case o.Suppressions != nil:
			return nil, options, &FlagError{"suppressions", errors.New(flagged)}
		case k.CheckOptions != (checkOptions{}):
			return nil, options, errors.New("check_options: " + unchecked)
		case len(suppressions) > 0:
			return nil, options, errors.New("suppressions: " + unchecked)
		}
		return nil, options, nil
	}
	options.Suppressions = suppressions
	return kinds, options, nil
}

// Judgement is what checks say of a run.
type Judgement struct {
	// Findings is nil in an answer that does not speak of checks, and empty if there are none.
	Findings []check.Finding `json:"diagnostics,omitzero"`
	Missed   missed          `json:"unexecuted,omitempty"`
	// More is how many instructions Missed leaves out.
	More       int                 `json:"unexecuted_more,omitempty"`
	Suppressed []check.Suppression `json:"suppressions,omitempty"`

	Checked bool   `json:"-"` // something was looked for
	Base    uint64 `json:"-"` // what PCs count from in the file of a code object
}

// missed are the instructions that no wave executed.
type missed []check.Site

// MarshalJSON returns a list of places of instructions.
func (m missed) MarshalJSON() ([]byte, error) {
	type place struct {
		PC     address `json:"pc"`
		Text   string  `json:"text"`
		Source string  `json:"source,omitempty"`
	}
	places := make([]place, len(m))
	for i := range m {
		places[i] = place{address(m[i].PC), m[i].Text, m[i].Source}
	}
	return Marshal(places)
}

// judgement returns what checks say of a run.
func judgement(r *spec.Result) Judgement {
	return Judgement{
		Findings: append([]check.Finding{}, r.Findings...), Missed: r.Unexecuted, More: r.MoreUnexecuted,
		Suppressed: r.Suppressed,
		Checked:    r.Checked, Base: r.Base,
	}
}

// FoundBefore returns what checks had found before err, nothing if err is not that of a run which had
// begun.
func FoundBefore(err error) (j Judgement) {
	stopped, ok := errors.AsType[*spec.StoppedError](err)
	if !ok {
		return j
	}
	j = judgement(stopped.Result)
	if len(j.Findings) == 0 { // then answers do not speak of checks
		j.Findings, j.Suppressed = nil, nil
	}
	return j
}
