package engine

import (
	"errors"
	"fmt"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa/format"
	"github.com/gcnsim/gcnsim/internal/r600"
	"github.com/gcnsim/gcnsim/internal/sim/record"
	"github.com/gcnsim/gcnsim/sim/spec"
)

// beforeChips are the chips older than GCN that the page offers, one for each family.
var beforeChips = []string{"rv610", "rv770"}

// textErrorBefore is [textErrorOf] for a chip older than GCN.
func textErrorBefore(err error, functions []r600.Function) textError {
	e, ok := errors.AsType[*r600.Error](err)
	switch {
	case ok && e.Kind == r600.BadText:
		return textError{e.Line, e.Col, e.What}
	case ok && len(functions) == 1 && 2*e.Slot < len(functions[0].Lines):
		return textError{functions[0].Lines[2*e.Slot], 1, err.Error()}
	}
	return textError{1, 1, err.Error()}
}

// checkBefore checks whether a text is a program for a family older than GCN.
func checkBefore(family r600.Family, text string) (any, error) {
	if err := fits(text); err != nil {
		return nil, err
	}
	a := checkAnswer{Errors: []textError{}}
	functions, err := r600.Functions(family, text)
	for i := 0; err == nil && i < len(functions); i++ {
		_, err = r600.Load(family, functions[i].Words)
		if err != nil {
			a.Errors = append(a.Errors, textErrorBefore(err, functions[i:i+1]))
		}
	}
	if err != nil && len(a.Errors) == 0 {
		a.Errors = append(a.Errors, textErrorBefore(err, nil))
	}
	return &a, nil
}

// runBefore executes copy shaders, which copy the first image, on a chip older than GCN, and records them.
func (e *Engine) runBefore(family r600.Family, s *Scenario) (any, error) {
	if err := fits(s.Asm); err != nil {
		return nil, err
	}
	a, rec := &runAnswer{}, record.NewBefore(s.MCPU, family)
	var executed uint64
	functions, err := r600.Functions(family, s.Asm)
	if err == nil {
		trace := func(ev r600.Event) {
			rec.Trace(ev)
			if executed++; executed%progressSteps == 0 && e.Progress != nil {
				e.Progress(executed)
			}
		}
		err = a.copyBefore(family, functions, s, rec, trace)
	}
	r := rec.Record(err)
	a.Reply = &spec.Reply{OK: true, Instructions: &executed}
	if wrong := (*r600.Error)(nil); errors.As(err, &wrong) {
		a.Reply = &spec.Reply{Error: spec.Failed(err)}
		one := textErrorBefore(err, functions)
		if a.Error = &one; r.Fault != nil { // the record's steps show the location
			a.Error = nil
		}
	} else if err != nil {
		return nil, err
	}
	if err := a.show(r); err != nil {
		return nil, err
	}
	return a, a.judge(r, s.Wants)
}

// copyBefore executes a text with a vertex shader and a pixel shader.
func (a *runAnswer) copyBefore(family r600.Family, functions []r600.Function, s *Scenario, rec *record.Before,
	trace func(r600.Event)) error {
	picture := Picture{Name: "source", Width: 16, Height: 16, Picture: "gradient"}
	if len(s.Images) > 0 {
		picture = s.Images[0]
	}
	if picture.Width < 1 || picture.Height < 1 || picture.Width > maxSide || picture.Height > maxSide {
		return &SizeError{fmt.Sprintf("it has %d x %d texels; give 1 to %d each way", picture.Width, picture.Height, maxSide)}
	}
	rgba, err := format.Lookup(gcn.Data8_8_8_8, gcn.NumUNORM)
	if err != nil {
		return err
	}
	var images [2]*r600.Image
	for i := range images {
		if images[i], err = r600.NewImage(rgba, picture.Width, picture.Height, picture.Width); err != nil {
			return err
		}
	}
	copy(images[0].Data, paint(picture.Picture, picture.Width, picture.Height, 0).Pix)
	m := r600.NewCopy(images[0], images[1])
	m.Trace = trace
	var shaders [2]*r600.Program // the vertex shader, then the pixel shader
	var texts [2]r600.Function
	for _, f := range functions {
		p, err := r600.Load(family, f.Words)
		if err != nil {
			return fmt.Errorf("%s: %w", f.Name, err)
		}
		kind := 0
		if p.DrawsPixels() {
			kind = 1
		}
		shaders[kind], texts[kind] = p, f
	}
	if shaders[0] == nil || shaders[1] == nil {
		return &SizeError{"give two programs, each a function: a vertex shader, and a pixel shader, which exports colours"}
	}
	rec.Begin(texts[0])
	corners, err := m.Vertices(shaders[0], []uint32{0, 1, 2})
	if err != nil {
		return err
	}
	rec.Begin(texts[1])
	if err := m.Rect(shaders[1], [3]r600.Output(corners)); err != nil {
		return err
	}
	a.Memory = []memory{{Name: picture.Name, Data: images[0].Data}, {Name: "target", Data: images[1].Data}}
	return nil
}
