package listing

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa/asm"
	"github.com/gcnsim/gcnsim/internal/isa/chip"
	"github.com/gcnsim/gcnsim/internal/r600"
	"github.com/gcnsim/gcnsim/internal/sim/codeobj"
	"github.com/gcnsim/gcnsim/internal/tool/files"
)

// RDNA is the syntax of an assembler that accepts the mnemonics of RDNA.
const RDNA = "rdna"

// Flags are the settings of a translation.
type Flags struct {
	MCPU   string // processor; "" means the processor of the ELF file
	Syntax string // llvm or clrx; assemblers also accept [RDNA]
	Batch  bool   // each line is translated separately
	// Include are directories in which an assembler searches for .include files. Symbols are definitions, as
	// NAME=VALUE.
	Include, Symbols []string
	// Lines, Labels and Addresses are the fields of [ObjectText].
	Lines, Labels, Addresses bool
}

// Translator assembles or disassembles.
type Translator struct {
	target gcn.Target
	given  bool // the processor was set by a flag
	syntax asm.Syntax
	whole  func(t gcn.Target, s asm.Syntax, src string) (string, error) // translates a program
	line   func(t gcn.Target, s asm.Syntax, src string) (string, error)
	// reads says that files of compiled code are also translated, with the format object.
	reads  bool
	object ObjectText
}

// ErrNoProcessor says that the flags name no processor.
var ErrNoProcessor = errors.New(`required flag "mcpu" not set; give --mcpu=M, as in gfx803`)

// ErrWords says that a flag for files of compiled code was used for words.
var ErrWords = errors.New("-l, --labels and --addresses are of ELF files; they have no effect on machine words")

// NewAssembler returns a translator from text to words. The error says which flag is wrong.
func NewAssembler(f *Flags) (*Translator, error) {
	if f.MCPU == "" {
		return nil, ErrNoProcessor
	}
	options, before := asm.Options{RDNA: f.Syntax == RDNA, Open: f.open}, *f
	before.MCPU, options.NoXNACK = strings.CutSuffix(f.MCPU, ":xnack-")
	if options.RDNA {
		before.Syntax = asm.LLVM.String()
		if _, err := r600.ParseFamily(f.MCPU); err == nil {
			return nil, errOneSyntax
		}
	}
	for _, text := range f.Symbols {
		name, value, _ := strings.Cut(text, "=")
		v, err := strconv.ParseInt(value, 0, 64)
		if err != nil || name == "" {
			return nil, fmt.Errorf("--defsym: %q is not NAME=VALUE with an integer, as in N=0x10", text)
		}
		if options.Symbols == nil {
			options.Symbols = map[string]int64{}
		}
		options.Symbols[name] = v
	}
	program := func(t gcn.Target, s asm.Syntax, src string) (*asm.Program, error) {
		o := options
		o.Syntax = s
		return asm.AssembleWith(t, src, &o)
	}
	return (&Translator{
		whole: func(t gcn.Target, s asm.Syntax, src string) (string, error) { return assemble(program(t, s, src)) },
		line:  func(t gcn.Target, s asm.Syntax, src string) (string, error) { return assembleLine(program(t, s, src)) },
	}).configure(&before, AssembleBefore)
}

// open returns the text of a file named by .include: at its own path, or in the first directory of Include that
// contains it.
func (f *Flags) open(name string) (string, error) {
	var missing error
	for _, dir := range append([]string{""}, f.Include...) {
		text, err := files.Dir(dir).ReadFile(name, asm.MaxSize)
		if err == nil {
			return files.String(text), nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
		if missing == nil {
			missing = fmt.Errorf("%w; give the folder that has it with -I", err)
		}
	}
	return "", missing
}

// NewDisassembler returns a translator from words, or files of compiled code, to text. The error says which flag is
// wrong.
func NewDisassembler(f *Flags) (*Translator, error) {
	if f.MCPU == "" && f.Batch {
		return nil, ErrNoProcessor
	}
	return (&Translator{whole: Disassemble, line: DisassembleLine, reads: true}).configure(f, DisassembleBefore)
}

// configure applies flags. before translates a program for chips older than GCN.
func (x *Translator) configure(f *Flags, before func(f r600.Family, src string) (string, error)) (*Translator, error) {
	var err error
	if x.syntax, err = parseSyntax(f.Syntax); err != nil {
		return nil, err
	}
	x.object = ObjectText{x.syntax, f.Lines, f.Labels, f.Addresses}
	if f.Batch && x.ofFiles() {
		return nil, ErrWords
	}
	if x.given = f.MCPU != ""; !x.given {
		return x, nil
	}
	x.target, err = chip.ParseTarget(f.MCPU)
	if family, no := r600.ParseFamily(f.MCPU); no == nil && err != nil {
		x.whole, x.line = Before(family, before)
		x.reads, err = false, nil
	}
	return x, err
}

// ofFiles reports whether a flag is set that only matters for files of compiled code.
func (x *Translator) ofFiles() bool { return x.object != ObjectText{Syntax: x.syntax} }

// Whole translates the contents of a file. name is used in errors. The error is [ErrNoProcessor] if neither flags nor
// the file name a processor, and [ErrWords] if flags do not fit the kind of file.
func (x *Translator) Whole(name string, src []byte) (text string, err error) {
	switch {
	case x.reads && codeobj.IsObject(src):
		var from gcn.Target
		if x.given {
			if src, err = codeobj.Unbundle(src, x.target.String()); err != nil {
				return "", Located(name, err)
			}
		}
		if from, text, err = x.object.Disassemble(src); err == nil && x.given && from != x.target {
			err = fmt.Errorf("it is for %v, but --mcpu is %v", from, x.target)
		}
	case !x.given:
		return "", ErrNoProcessor
	case x.ofFiles():
		return "", ErrWords
	default:
		text, err = x.whole(x.target, x.syntax, files.String(src))
	}
	if err != nil {
		return "", Located(name, err)
	}
	return text, nil
}

// Batch translates each line of in separately, and counts the lines in done.
func (x *Translator) Batch(in io.Reader, out io.Writer, done *atomic.Int64) error {
	return Batch(in, out, func(line string) (string, error) { return x.line(x.target, x.syntax, line) }, done)
}

// parseSyntax returns the dialect called name.
func parseSyntax(name string) (asm.Syntax, error) {
	for _, s := range []asm.Syntax{asm.LLVM, asm.CLRX} {
		if s.String() == name {
			return s, nil
		}
	}
	return 0, fmt.Errorf("unknown syntax %q; known are llvm and clrx", name)
}
