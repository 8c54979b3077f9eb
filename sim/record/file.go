package record

import (
	"bufio"
	"compress/flate"
	"compress/gzip"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/gcnsim/gcnsim/sim/check"
)

// magic begins a file.
const magic = "GCNREC1\n"

// Bounds of what is read.
const (
	maxHead   = 64 << 20
	maxStream = 256 << 20
)

// fileHead is the JSON of a file.
type fileHead struct {
	Head
	Windows []Window `json:"windows"`
}

// Write writes a file, as docs/RECORD.md describes it. The error is that of w.
func (r *Record) Write(w io.Writer) error {
	if _, err := io.WriteString(w, magic); err != nil {
		return err
	}
	head, err := json.Marshal(fileHead{r.Head, r.Windows})
	if err != nil {
		return err
	}
	z := gzip.NewWriter(w)
	parts := [][]byte{head}
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

// Read reads a file. The error is a *[FormatError] or that of in.
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
	var head fileHead
	if err := json.Unmarshal(text, &head); err != nil {
		return nil, &FormatError{"its head: " + err.Error()}
	}
	if head.Version != Version {
		return nil, &FormatError{fmt.Sprintf("it has version %d, this reader reads version %d", head.Version, Version)}
	}
	r := &Record{Head: head.Head, Windows: head.Windows}
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
	switch _, err := b.ReadByte(); {
	case err == nil:
		return nil, &FormatError{"something follows its end"}
	case !errors.Is(err, io.EOF):
		return nil, broken(err)
	}
	return r, nil
}

// part reads a length of at most limit bytes and so many bytes.
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

// broken is err of reading, as a *[FormatError] if that is what it means.
func broken(err error) error {
	if corrupt := flate.CorruptInputError(0); errors.As(err, &corrupt) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, gzip.ErrHeader) || errors.Is(err, gzip.ErrChecksum) {
		return &FormatError{"it is broken or ends early: " + err.Error()}
	}
	return err
}

// AddFindings adds what checks found; PCs in what they say count from Base.
func (r *Record) AddFindings(findings []check.Finding) {
	for i := range findings {
		f := &findings[i]
		said := f.From(r.Base)
		x := Finding{
			Kind: string(f.Kind), Severity: f.Severity.String(), Message: said.Message, Fix: said.Fix, Rule: f.Rule,
			Count: f.Count, Lane: f.Lane, Reg: f.Reg, Site: siteOf(&f.Site),
		}
		if f.Producer != nil {
			p := siteOf(f.Producer)
			x.Producer = &p
		}
		r.Findings = append(r.Findings, x)
	}
}

func siteOf(s *check.Site) Site { return Site{s.PC, s.Group, s.Wave, s.Index, s.Text} }
