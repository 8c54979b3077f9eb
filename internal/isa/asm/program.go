package asm

import (
	"encoding/binary"
	"sort"
	"strconv"
	"strings"

	"github.com/gcnsim/gcnsim/gcn"
)

// Line maps an offset of the code to a line of the source.
type Line struct {
	Offset int // bytes from the first word
	Line   int // from 1
}

// Program is an assembled text. The code comes first, then the data. All offsets count bytes from the
// first word. Code and data refer to each other by offsets of this layout, so that the program may be
// loaded at any address.
type Program struct {
	Words    []uint32       // the code: .text, followed by other sections with instructions
	Lines    []Line         // one for each instruction or directive that adds to the code, in ascending order of Offset
	Labels   map[string]int // byte offset of each label of the code
	Sections []Section      // the data, in ascending order of Offset
	Relocs   []int          // byte offsets of quad words of data to which a loader must add the address of the first word
	Kernels  []Kernel       // in the order of the text
	LDS      []LDSVariable  // in ascending order of Offset
	Metadata string         // YAML about the kernels, unchanged from the text
}

// Section is a piece of data that a program needs in memory.
type Section struct {
	Name   string
	Offset int            // bytes from the first word of the program
	Align  int            // bytes
	Data   []byte         // contents
	Write  bool           // the program may write it
	Labels map[string]int // byte offset of each label, from the first word of the program
}

// LDSVariable is a variable in LDS that .amdgpu_lds declares.
type LDSVariable struct {
	Name         string
	Offset, Size int // bytes
}

// MaxSize is the limit of the bytes of code and data of a program.
const MaxSize = 16 << 20

// Assemble translates a whole program: instructions, labels, expressions, macros, and the
// directives that compilers write around code. The error is an *[Error]. Programs, and the
// text of their macros, must not be larger than [MaxSize].
func Assemble(t gcn.Target, src string, s Syntax) (*Program, error) {
	return AssembleWith(t, src, &Options{Syntax: s})
}

// Options are options of [AssembleWith].
type Options struct {
	Syntax Syntax
	// RDNA also accepts mnemonics of RDNA, and of LLVM 22 for RDNA, in LLVM syntax. Each is assembled as the instruction
	// of the target with the same effect. It is an error if there is none.
	RDNA bool
	// NoXNACK says that XNACK is off on the processor, as .amdgcn_target says with :xnack-.
	NoXNACK bool
	// Symbols are symbols that are defined before the text is read, as by .set.
	Symbols map[string]int64
	// Open returns the text of a file that .include names. If it is nil, .include is an error, because this package
	// reads no files.
	Open func(name string) (string, error)
}

// AssembleWith is [Assemble] with options.
func AssembleWith(t gcn.Target, src string, o *Options) (*Program, error) {
	a := newAssembler(t, o.Syntax)
	a.rdna, a.openFile, a.xnackOff = o.RDNA, o.Open, o.NoXNACK
	for name, v := range o.Symbols {
		s := a.lookup(name, 0)
		s.kind, s.val = variable, value{i: v}
	}
	return a.assemble(src)
}

// assembler assembles a program.
type assembler struct {
	syntax   Syntax
	rdna     bool                              // mnemonics of RDNA are accepted, too
	openFile func(name string) (string, error) // reads the files of .include; may be nil
	target   gcn.Target

	sections      []*section
	named         map[string]*section
	sec, previous *section
	stack         []*section // sections saved by .pushsection
	size          int64      // bytes of all sections
	symbols       map[string]*symbol
	counted       map[string]int // number of labels with each number
	fixups        []fixup
	lines         []lineMark
	relocs        []int64
	got           *section
	slots         map[*symbol]*symbol // GOT entry of each symbol
	vgprs, sgprs  registerCount
	pass          uint32

	line   int // current line of the file
	reader reader

	format string              // kind of a CLRX file: .amdcl2, .amd, .gallium, .rocm; "" means only code
	scope  string              // CLRX: the current kernel, .inner, or "" for the file
	left   map[string]*section // the section in which each scope was left, nil without a format

	block    *block // nil outside of blocks
	kernels  []*kernel
	declared string // kernel declared by .amdgpu_hsa_kernel
	xnackOff bool   // set by .amdgcn_target
	metadata []string
	lds      []LDSVariable
}

// lineMark records that a line of the file adds to the code at a place.
type lineMark struct {
	place amount
	line  int
}

func newAssembler(t gcn.Target, s Syntax) *assembler {
	a := &assembler{syntax: s, target: t, symbols: map[string]*symbol{}, named: map[string]*section{}}
	a.sec = a.section(".text", "")
	return a
}

// assemble translates src.
func (a *assembler) assemble(src string) (*Program, error) {
	if err := a.whole(src); err != nil {
		return nil, err
	}
	return a.program(), nil
}

// whole reads src and then computes the values that depend on later text.
func (a *assembler) whole(src string) *Error {
	if err := a.file(src); err != nil {
		return err
	}
	if err := a.layOut(); err != nil {
		return err
	}
	if err := a.patch(); err != nil {
		return err
	}
	return a.finishKernels()
}

// program returns the assembled program.
func (a *assembler) program() *Program {
	p := &Program{Labels: map[string]int{}, Kernels: a.published(), LDS: a.lds, Metadata: strings.Join(a.metadata, "")}
	var code []byte
	for _, s := range a.sections {
		switch {
		case s.kind == codeSection:
			for gap := s.addr - int64(len(code)); gap > 0; gap = s.addr - int64(len(code)) {
				code = (&padding{elem: a.nop(), nops: true}).append(code, gap)
			}
			code = append(code, s.bytes()...)
		case s.kind == dataSection && s.size > 0:
			p.Sections = append(p.Sections, Section{Name: s.name, Offset: int(s.addr), Align: int(s.align), Data: s.bytes(),
				Write: s.write, Labels: map[string]int{}})
		}
	}
	for len(code)%4 != 0 {
		code = append(code, 0)
	}
	p.Words = make([]uint32, len(code)/4)
	for i := range p.Words {
		p.Words[i] = binary.LittleEndian.Uint32(code[4*i:])
	}
	place := evaluator{when: final}
	for _, s := range a.symbols {
		if s.kind != label || s.name[0] == '"' {
			continue
		}
		labels, at := p.Labels, int(place.placed(s.place).n)
		if sec := s.place.from.sec; sec.kind == dataSection {
			i := sort.Search(len(p.Sections), func(i int) bool { return p.Sections[i].Offset > int(sec.addr) }) - 1
			if i < 0 || p.Sections[i].Name != sec.name {
				continue // an empty section
			}
			labels = p.Sections[i].Labels
		}
		labels[s.name] = at
	}
	for _, l := range a.lines {
		p.Lines = append(p.Lines, Line{int(place.placed(l.place).n), l.line})
	}
	sort.SliceStable(p.Lines, func(i, j int) bool { return p.Lines[i].Offset < p.Lines[j].Offset })
	for _, r := range a.relocs {
		p.Relocs = append(p.Relocs, int(r))
	}
	sort.Ints(p.Relocs)
	return p
}

// tooLarge returns the text of the error that what exceeds the limit.
func tooLarge(what string, limit int) string {
	return what + " is larger than " + strconv.Itoa(limit>>20) + " MiB"
}
