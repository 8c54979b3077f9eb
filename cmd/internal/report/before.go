package report

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"image"
	"path/filepath"
	"strings"

	"github.com/gcnsim/gcnsim/cmd/internal/request"
	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa/format"
	"github.com/gcnsim/gcnsim/internal/r600"
	"github.com/gcnsim/gcnsim/internal/sim/record"
	"github.com/gcnsim/gcnsim/internal/sim/trace"
	"github.com/gcnsim/gcnsim/internal/tool/files"
	"github.com/gcnsim/gcnsim/internal/tool/plural"
	"github.com/gcnsim/gcnsim/internal/tool/pngfile"
	"github.com/gcnsim/gcnsim/page"
	"github.com/gcnsim/gcnsim/sim"
)

// Limits of a picture: bytes of its file, and pixels along a side.
const pictureBytes, pictureSide = 64 << 20, 2048

// before executes a text with two copy shaders, a vertex and a pixel shader, for a chip older than GCN. They copy the
// picture of --arg in=FILE.png to the file of --arg out=FILE.png. It writes the HTML page if the options ask for it.
func (r *run) before(family r600.Family, path string, text []byte) error {
	if r.Record != (record.Options{}) {
		return r.noEffect("window")
	}
	if r.Report == "" {
		return r.beforeGCN(family, path, text)
	}
	rest, file := *r.Options, r.Report
	rest.Report = ""
	r.Options, r.steps = &rest, record.NewBefore(r.MCPU, family)
	err := r.beforeGCN(family, path, text)
	return errors.Join(err, r.stepsReport(file, filepath.Base(path), err))
}

// beforeGCN is before without the page.
func (r *run) beforeGCN(family r600.Family, path string, text []byte) error {
	if flag := cmp.Or(r.ofRuns(), r.withoutArgs().Flag()); flag != "" {
		return r.noEffect(flag)
	}
	vertex, pixel, err := shaders(family, path, files.String(text))
	if err != nil {
		return err
	}
	in, out, err := pictureArgs(r.Command.Args)
	if err != nil {
		return &request.FlagError{Flag: "arg", Err: err}
	}
	if err := errors.Join(r.Uses.Reads(in, "--arg in"), r.Uses.Writes(out, "--arg out")); err != nil {
		return err
	}
	src, err := readPicture(in)
	if err != nil {
		return err
	}
	dst, err := newPicture(src.Width, src.Height)
	if err != nil {
		return err
	}
	m := r600.NewCopy(src, dst)
	var shaded [2]tally
	m.Trace = r.tracing(vertex.text, &shaded[0])
	corners, err := m.Vertices(vertex.program, []uint32{0, 1, 2})
	if err != nil {
		return fmt.Errorf("%s: %s: %w", path, vertex.name, err)
	}
	m.Trace = r.tracing(pixel.text, &shaded[1])
	if err := m.Rect(pixel.program, [3]r600.Output(corners)); err != nil {
		return fmt.Errorf("%s: %s: %w", path, pixel.name, err)
	}
	file, err := pngfile.Encode(texels(dst))
	if err != nil {
		return err
	}
	if err := files.Write(out, file); err != nil {
		return err
	}
	fmt.Fprintf(r.out, "%s on %s (%v), a picture of %d x %d texels\n", path, r.MCPU, family, src.Width, src.Height)
	shaded[0].print(r, vertex.name)
	shaded[1].print(r, pixel.name)
	fmt.Fprintf(r.out, "\n%s written: %s\n", out, compared(src, dst))
	return nil
}

// withoutArgs returns the command without its arguments.
func (r *run) withoutArgs() *request.Command {
	c := r.Command
	c.Args = nil
	return &c
}

// shader is one program of a text.
type shader struct {
	name    string
	program *r600.Program
	text    r600.Function
}

// shaders returns the vertex shader and the pixel shader of a text, which must have one of each.
func shaders(family r600.Family, path, text string) (vertex, pixel shader, err error) {
	all, err := r600.Functions(family, text)
	if err != nil {
		return vertex, pixel, fmt.Errorf("%s:%w", path, err)
	}
	for _, f := range all {
		p, err := r600.Load(family, f.Words)
		if err != nil {
			return vertex, pixel, located(path, f, err)
		}
		to, kind := &vertex, "vertex"
		if p.DrawsPixels() {
			to, kind = &pixel, "pixel"
		}
		if to.program != nil {
			return vertex, pixel, fmt.Errorf("%s: %s and %s are both %s shaders; a copy has one", path, to.name, f.Name, kind)
		}
		*to = shader{cmp.Or(f.Name, kind+" shader"), p, f}
	}
	for _, s := range []struct {
		program *r600.Program
		kind    string
	}{{vertex.program, "vertex"}, {pixel.program, "pixel"}} {
		if s.program == nil {
			return vertex, pixel, fmt.Errorf("%s: it has no %s shader; a copy has a vertex shader and a pixel shader, each a "+
				"function as in int copy(uint32_t* shader) {...}", path, s.kind)
		}
	}
	return vertex, pixel, nil
}

// located adds the line of the instruction to an error of [r600.Load].
func located(path string, f r600.Function, err error) error {
	if wrong, ok := errors.AsType[*r600.Error](err); ok && 2*wrong.Slot < len(f.Lines) {
		path = fmt.Sprintf("%s:%d", path, f.Lines[2*wrong.Slot])
	}
	if f.Name != "" {
		return fmt.Errorf("%s: %s: %w", path, f.Name, err)
	}
	return fmt.Errorf("%s: %w", path, err)
}

// pictureArgs returns the files of --arg in=FILE.png and --arg out=FILE.png.
func pictureArgs(args []string) (in, out string, err error) {
	for _, arg := range args {
		key, file, _ := strings.Cut(arg, "=")
		to := map[string]*string{"in": &in, "out": &out}[key]
		switch {
		case to == nil || file == "":
			return "", "", fmt.Errorf("%q is neither in=FILE.png nor out=FILE.png, which chips before GCN take", arg)
		case *to != "":
			return "", "", fmt.Errorf("%s is given twice", key)
		}
		*to = file
	}
	if in == "" || out == "" {
		return "", "", errors.New("a copy needs two: --arg in=FILE.png, the picture, and --arg out=FILE.png, where it goes")
	}
	return in, out, nil
}

// newPicture returns an image with 8 bits a component.
func newPicture(width, height int) (*r600.Image, error) {
	f, err := format.Lookup(gcn.Data8_8_8_8, gcn.NumUNORM)
	if err != nil {
		return nil, err
	}
	return r600.NewImage(f, width, height, width)
}

// texels converts img to a Go picture.
func texels(img *r600.Image) *image.NRGBA {
	return &image.NRGBA{Pix: img.Data, Stride: 4 * img.Width, Rect: image.Rect(0, 0, img.Width, img.Height)}
}

// readPicture reads a PNG file.
func readPicture(name string) (*r600.Image, error) {
	wrong := func(text string, args ...any) error {
		return fmt.Errorf("%s: "+text, append([]any{name}, args...)...)
	}
	file, err := files.Dir("").ReadFile(name, pictureBytes)
	if err != nil {
		return nil, err
	}
	width, height, err := pngfile.Size(file)
	if err != nil {
		return nil, wrong("%w; give a PNG file", err)
	}
	if max(width, height) > pictureSide {
		return nil, wrong("a picture of %d x %d texels; at most %d x %d are copied", width, height, pictureSide, pictureSide)
	}
	picture, err := pngfile.Decode(file)
	if err != nil {
		return nil, wrong("%w", err)
	}
	switch picture.(type) {
	case *image.NRGBA64, *image.RGBA64, *image.Gray16:
		return nil, wrong("it has 16 bits a component; give a picture of 8")
	}
	img, err := newPicture(width, height)
	if err != nil {
		return nil, wrong("%w", err)
	}
	to, origin := texels(img), picture.Bounds().Min
	for y := range height {
		for x := range width {
			to.Set(x, y, picture.At(origin.X+x, origin.Y+y)) // preserves the colours of transparent pixels
		}
	}
	return img, nil
}

// compared counts the texels of a copy that differ from the source.
func compared(src, dst *r600.Image) string {
	differ, first := 0, 0
	for i := 0; i < len(src.Data); i += 4 {
		if !bytes.Equal(src.Data[i:i+4], dst.Data[i:i+4]) {
			if differ++; differ == 1 {
				first = i / 4
			}
		}
	}
	if differ == 0 {
		return "every texel is that of the source"
	}
	return fmt.Sprintf("%s of %d not those of the source, the first at %d,%d", plural.Of(differ, "texel"), len(src.Data)/4,
		first%src.Width, first/src.Width)
}

// tally counts the executions of each instruction, in the order of their first execution.
type tally struct {
	lines []line
	waves int
}

// line is an instruction of a tally.
type line struct {
	event          r600.Event // its first execution
	waves, threads int
}

// add counts an execution.
func (t *tally) add(e r600.Event) {
	t.waves = max(t.waves, e.Wave+1)
	for i := range t.lines {
		if t.lines[i].event.Slot == e.Slot {
			t.lines[i].waves++
			t.lines[i].threads += e.Threads
			return
		}
	}
	t.lines = append(t.lines, line{e, 1, e.Threads})
}

// print prints the counts.
func (t *tally) print(r *run, name string) {
	fmt.Fprintf(r.out, "\n%s: %s\n  slot    waves  threads\n", name, plural.Of(t.waves, "wave"))
	for _, l := range t.lines {
		indent := ""
		if l.event.Clause {
			indent = "  "
		}
		fmt.Fprintf(r.out, "  %4d %8d %8d  %s%s\n", l.event.Slot, l.waves, l.threads, indent, l.event.Inst.Name)
	}
}

// noEffect returns the error that a flag has no effect for a chip older than GCN.
func (r *run) noEffect(flag string) error {
	return &request.FlagError{Flag: flag, Err: fmt.Errorf("it has no effect on %s, a chip before GCN; leave it out",
		r.MCPU)}
}

// stepsReport writes the HTML page. err is the error that ended the execution, or nil.
func (r *run) stepsReport(file, title string, err error) error {
	rec := r.steps.Record(err)
	if len(rec.Windows) == 0 {
		return nil
	}
	rec.Title = title
	var steps bytes.Buffer
	if failed := rec.Write(&steps); failed != nil {
		return failed
	}
	viewer, failed := page.Viewer(steps.Bytes())
	if failed != nil {
		return failed
	}
	about := trace.Report{Title: title, Target: rec.Target, Result: &sim.Result{Instructions: rec.LeftOut.Instructions},
		Policy: viewer.Policy, Head: viewer.Head, Viewer: viewer.Body}
	for i := range rec.Windows {
		about.Result.Instructions += uint64(rec.Windows[i].Count)
	}
	if err != nil {
		about.Ended = err.Error()
	}
	var html bytes.Buffer
	if failed := about.Write(&html); failed != nil {
		return failed
	}
	if failed := files.Write(file, html.Bytes()); failed != nil {
		return failed
	}
	fmt.Fprintf(r.out, "\nreport written to %s\n", file)
	if n := rec.LeftOut.Instructions; n > 0 {
		fmt.Fprintf(r.out, "it does not show step by step %d of %d instructions\n", n, about.Result.Instructions)
	}
	return nil
}

// tracing returns the function that a machine calls for each instruction.
func (r *run) tracing(f r600.Function, counts *tally) func(r600.Event) {
	if r.steps == nil {
		return counts.add
	}
	r.steps.Begin(f)
	return func(e r600.Event) {
		counts.add(e)
		r.steps.Trace(e)
	}
}
