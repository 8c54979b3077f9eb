package record

import (
	"bufio"
	"compress/flate"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/go-json-experiment/json/v1"

	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/sim/timing"
	"github.com/gcnsim/gcnsim/sim/check"
	"github.com/gcnsim/gcnsim/state"
)

// magic is the first line of a file.
const magic = "GCNREC1\n"

// Limits on the sizes that are read.
const (
	maxHead   = 64 << 20
	maxStream = 256 << 20
)

// fileHead is the JSON part of a file.
type fileHead struct {
	*Record
	LaneGroups [][]fileLaneGroup `json:"turns,omitempty"`
}

// fileLaneGroup is a [timing.LaneGroup] in a file.
type fileLaneGroup struct {
	Lanes   fileMask `json:"lanes"`
	Element int      `json:"element,omitempty"`
	Clocks  float64  `json:"clocks"`
}

// fileMask is a set of lanes. It is written as 16 hex digits, because JSON numbers of other languages lose bits.
type fileMask uint64

func (m fileMask) MarshalText() ([]byte, error) { return fmt.Appendf(nil, "%016x", uint64(m)), nil }

func (m *fileMask) UnmarshalText(b []byte) error {
	v, err := strconv.ParseUint(string(b), 16, 64)
	*m = fileMask(v)
	return err
}

// Write writes the record in the format of docs/RECORD.md. The error comes from w.
func (r *Record) Write(w io.Writer) error {
	if _, err := io.WriteString(w, magic); err != nil {
		return err
	}
	head := fileHead{Record: r}
	for _, groups := range r.LaneGroups {
		list := make([]fileLaneGroup, len(groups))
		for i, t := range groups {
			list[i] = fileLaneGroup{fileMask(t.Lanes), t.Element, t.Clocks}
		}
		head.LaneGroups = append(head.LaneGroups, list)
	}
	text, err := json.Marshal(head)
	if err != nil {
		return err
	}
	z := gzip.NewWriter(w)
	parts := [][]byte{text}
	for i := range r.Windows {
		parts = append(parts, r.Windows[i].steps, r.Windows[i].times)
	}
	for _, p := range parts {
		if _, err := z.Write(binary.AppendUvarint(nil, uint64(len(p)))); err != nil {
			return err
		}
		if _, err := z.Write(p); err != nil {
			return err
		}
	}
	return z.Close()
}

// Read reads a record. The error is a *[FormatError] or the error of in.
func Read(in io.Reader) (*Record, error) {
	start := make([]byte, len(magic))
	if _, err := io.ReadFull(in, start); err != nil || string(start) != magic {
		return nil, &FormatError{fmt.Sprintf("it does not begin with %q", magic)}
	}
	z, err := gzip.NewReader(in)
	if err != nil {
		return nil, broken(err)
	}
	b := bufio.NewReader(z)
	text, err := part(b, maxHead)
	if err != nil {
		return nil, err
	}
	r := new(Record)
	head := fileHead{Record: r}
	switch err := json.Unmarshal(text, &head); {
	case err != nil && (r.Version == 0 || r.Version == Version): // the types of keys may differ in another version
		return nil, &FormatError{"its head: " + err.Error()}
	case r.Version != Version:
		return nil, &FormatError{fmt.Sprintf("it has version %d, this reader reads version %d", r.Version, Version)}
	}
	for _, groups := range head.LaneGroups {
		list := make([]timing.LaneGroup, len(groups))
		for i, t := range groups {
			list[i] = timing.LaneGroup{Lanes: uint64(t.Lanes), Element: t.Element, Clocks: t.Clocks}
		}
		r.LaneGroups = append(r.LaneGroups, list)
	}
	for i := range r.Windows {
		w := &r.Windows[i]
		w.record = r
		if w.steps, err = part(b, maxStream); err != nil {
			return nil, err
		}
		if w.times, err = part(b, maxStream); err != nil {
			return nil, err
		}
	}
	if err := r.check(); err != nil {
		return nil, err
	}
	switch _, err := b.ReadByte(); {
	case err == nil:
		return nil, &FormatError{"something follows its end"}
	case !errors.Is(err, io.EOF):
		return nil, broken(err)
	}
	return r, nil
}

// check returns an error if the head has impossible numbers of registers, waves or steps.
func (r *Record) check() error {
	for i := range r.Windows {
		w := &r.Windows[i]
		switch {
		case w.VGPRs < 0 || w.VGPRs > state.MaxVGPRs:
			return &FormatError{fmt.Sprintf("window %d has %d VGPRs, a wave has up to %d", i, w.VGPRs, state.MaxVGPRs)}
		case w.Count < 0 || w.Count >= len(w.steps): // each step takes at least one byte, and so does the initial state
			return &FormatError{fmt.Sprintf("window %d has %d steps in %d bytes", i, w.Count, len(w.steps))}
		case w.Wave < 0 || w.CU < 0 || w.SIMD < 0 || w.Slot < 0:
			return &FormatError{fmt.Sprintf("window %d is of wave %d on CU %d, SIMD %d, slot %d; none can be negative", i,
				w.Wave, w.CU, w.SIMD, w.Slot)}
		}
	}
	for i := range r.Insts {
		if in := &r.Insts[i]; min(in.Resource, in.Sampler) < 0 || max(in.Resource, in.Sampler) > isa.NumScalarCodes {
			return &FormatError{fmt.Sprintf("instruction %d has descriptors at %d and %d; there are %d scalar registers", i,
				in.Resource, in.Sampler, isa.NumScalarCodes)}
		}
	}
	return nil
}

// part reads a length, at most limit, and as many bytes.
func part(b *bufio.Reader, limit uint64) ([]byte, error) {
	n, err := binary.ReadUvarint(b)
	if err != nil {
		return nil, broken(err)
	}
	if n > limit {
		return nil, &FormatError{fmt.Sprintf("a part has %d bytes, more than %d", n, limit)}
	}
	p, err := io.ReadAll(io.LimitReader(b, int64(n)))
	if err != nil {
		return nil, broken(err)
	}
	if uint64(len(p)) < n {
		return nil, &FormatError{"it ends early"}
	}
	return p, nil
}

// broken returns a reading error as a *[FormatError] if the file is damaged.
func broken(err error) error {
	if corrupt := flate.CorruptInputError(0); errors.As(err, &corrupt) || errors.Is(err, io.EOF) ||
		errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, gzip.ErrHeader) || errors.Is(err, gzip.ErrChecksum) {
		return &FormatError{"it is broken or ends early: " + err.Error()}
	}
	return err
}

// AddFindings adds the findings of checks.
func (r *Record) AddFindings(findings []check.Finding) {
	for i := range findings {
		r.Findings = append(r.Findings, findings[i].From(r.Base))
	}
}
