package debug

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/isa/asm"
	"github.com/gcnsim/gcnsim/internal/sim/codeobj"
	"github.com/gcnsim/gcnsim/internal/sim/disasm"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/sim/spec"
)

// place is an instruction and its source line.
type place struct {
	pc     uint64
	in     isa.Inst
	file   string
	line   int  // 0 if it is unknown
	starts bool // the previous instruction is from another line
	symbol string
}

// code has the instructions that waves can reach, sorted by address.
type code struct {
	places []place
	base   uint64            // PC of address 0 of the object
	Text   string            // source of a program without a file, or the disassembly of code without lines
	object *codeobj.Object   // nil for the text of plain instructions
	files  map[string]string // paths of source files, by their names in the object
	name   string            // name of the object
}

// textName is the file name of a program that is a member of a request.
const textName = "program.s"

// codeOf returns the code of a run of the file called name.
func codeOf(r *sim.Run, name string, exec *spec.Exec) (*code, error) {
	c := &code{name: name, files: map[string]string{"": "", codeobj.TextFile: absolute(name)}}
	add := func(p *sim.Program, line func(pc uint64) (string, int)) {
		for pc, in := range p.Insts(p.Base, p.End) {
			file, n := line(pc)
			c.places = append(c.places, place{pc: pc, in: isa.Inst(in), file: file, line: n, symbol: p.Symbol(pc)})
		}
	}
	if r.Launch == nil {
		file, lines := absolute(name), []asm.Line(nil)
		if exec.Asm != "" {
			p, err := disasm.Assemble(exec.Target, exec.Asm, exec.Rules)
			if err != nil {
				return nil, err
			}
			if lines = p.Lines; filepath.Ext(name) == ".json" {
				file, c.Text = textName, exec.Asm
			}
		}
		add(r.Program, func(pc uint64) (string, int) {
			i, there := slices.BinarySearchFunc(lines, int(pc-r.Program.Base),
				func(l asm.Line, at int) int { return l.Offset - at })
			if !there {
				return "", 0
			}
			return file, lines[i].Line
		})
	} else {
		mod := r.Launch.Module
		programs, err := mod.Programs(context.Background(), r.Launch.Kernel)
		if err != nil {
			return nil, err
		}
		c.base, c.object = mod.Base, mod.Object
		for _, p := range programs {
			add(p, func(pc uint64) (string, int) {
				file, line := mod.Object.Line(pc - mod.Base)
				return c.found(file), line
			})
		}
	}
	slices.SortFunc(c.places, func(a, b place) int { return cmp.Compare(a.pc, b.pc) })
	c.places = slices.CompactFunc(c.places, func(a, b place) bool { return a.pc == b.pc })
	if !slices.ContainsFunc(c.places, func(p place) bool { return p.line != 0 }) {
		c.list()
	}
	for i := range c.places {
		p := &c.places[i]
		p.starts = p.line != 0 && (i == 0 || c.places[i-1].line != p.line || c.places[i-1].file != p.file)
	}
	return c, nil
}

// list sets the source of code without lines to its disassembly.
func (c *code) list() {
	var text strings.Builder
	for i := range c.places {
		p := &c.places[i]
		p.file, p.line = textName, i+1
		fmt.Fprintln(&text, disasm.Text(&p.in, p.pc, c.base))
	}
	c.Text = text.String()
}

func absolute(name string) string {
	if full, err := filepath.Abs(name); err == nil {
		return full
	}
	return name
}

// found returns the path of a source file that an object names. It looks at that path and beside the object.
func (c *code) found(file string) string {
	known, there := c.files[file]
	if there {
		return known
	}
	known = file
	for _, name := range []string{file, filepath.Join(filepath.Dir(c.name), filepath.Base(file))} {
		if _, err := os.Stat(name); err == nil {
			known = absolute(name)
			break
		}
	}
	c.files[file] = known
	return known
}

// inlined returns the functions whose code is inlined at pc, the innermost first.
func (c *code) inlined(pc uint64) []codeobj.Inlined {
	if c.object == nil {
		return nil
	}
	return codeobj.InlinedAt(c.object, pc-c.base)
}

// index returns the index in places of the instruction at pc, or -1 if no instruction begins at pc.
func (c *code) index(pc uint64) int {
	i, there := slices.BinarySearchFunc(c.places, pc, func(p place, pc uint64) int { return cmp.Compare(p.pc, pc) })
	if !there {
		return -1
	}
	return i
}

// at returns the instruction at pc. It is nil if no instruction begins there.
func (c *code) at(pc uint64) *place {
	if i := c.index(pc); i >= 0 {
		return &c.places[i]
	}
	return nil
}

// starting returns the addresses of the code that begins a line of a file. For a line without code it returns those
// of the next line with code.
func (c *code) starting(file string, line int) (actual int, pcs []uint64) {
	for i := range c.places {
		p := &c.places[i]
		if !p.starts || p.line < line || actual != 0 && p.line > actual || !sameFile(p.file, file) {
			continue
		}
		if p.line != actual {
			actual, pcs = p.line, nil
		}
		pcs = append(pcs, p.pc)
	}
	return actual, pcs
}

// sameFile reports whether paths of an editor and an object mean the same file. Objects may come from another machine.
func sameFile(a, b string) bool {
	if a == b {
		return true
	}
	if filepath.Base(a) != filepath.Base(b) {
		return false
	}
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	return errX != nil || errY != nil || os.SameFile(x, y)
}
