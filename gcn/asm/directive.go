package asm

import (
	"strings"

	"github.com/gcnsim/gcnsim/gcn"
)

// quiet are the directives that say something about symbols, files or debugging and
// put nothing into a section.
var quiet = map[string]bool{
	".globl": true, ".global": true, ".weak": true, ".hidden": true, ".protected": true, ".local": true, ".type": true,
	".size": true, ".ident": true, ".file": true, ".loc": true, ".addrsig": true, ".addrsig_sym": true, ".end": true,
	".hsa_code_object_version": true, ".hsa_code_object_isa": true, ".amdgpu_hsa_kernel": true, ".amdhsa_code_object_version": true,
	".rawcode": true, ".gpu": true, ".arch": true, // CLRX
	".cfi_sections": true, ".cfi_startproc": true, ".cfi_endproc": true,
}

// blocks are the directives whose lines, up to the closing one, describe a kernel.
var blocks = map[string]string{
	".amd_kernel_code_t": ".end_amd_kernel_code_t", ".amdhsa_kernel": ".end_amdhsa_kernel", ".amdgpu_metadata": ".end_amdgpu_metadata",
	".amd_amdgpu_hsa_metadata": ".end_amd_amdgpu_hsa_metadata", ".amd_amdgpu_pal_metadata": ".end_amd_amdgpu_pal_metadata",
}

// dataSizes are the directives that put integers into the code, with bytes of each.
var dataSizes = map[string]int{".long": 4, ".int": 4, ".word": 4, ".quad": 8}

// directive obeys the directive called name; c stands behind it.
func (a *assembler) directive(name string, c *cursor, at int) error {
	switch {
	case blocks[name] != "":
		a.until = blocks[name]
		return nil
	case name == ".text":
		a.elsewhere = false
		return nil
	case name == ".section":
		section := strings.Trim(c.word(), `"`)
		a.elsewhere = section != ".text" && !strings.HasPrefix(section, ".text.")
		return nil
	case name == ".data", name == ".bss", name == ".rodata":
		a.elsewhere = true
		return nil
	case quiet[name]:
		return nil
	case name == ".set", name == ".equ", name == ".equiv":
		symbol := c.word()
		if symbol == "" {
			return a.fail(c.at+1, "expected a symbol, found "+c.found(), nil)
		}
		if err := c.expect(","); err != nil {
			return err.at1(a.line)
		}
		return a.assign(symbol, c, at)
	case a.elsewhere:
		return nil
	case name == ".amdgcn_target":
		return a.checkTarget(c, at)
	case dataSizes[name] != 0:
		return a.data(c, dataSizes[name])
	case name == ".p2align", name == ".align", name == ".balign":
		return a.align(name, c)
	case name == ".fill", name == ".space", name == ".skip", name == ".zero":
		return a.fill(name, c)
	}
	return a.fail(at+1, "unknown directive "+name+"; code can have .long, .quad, .p2align, .fill, .set and what compilers write around it", nil)
}

// checkTarget compares .amdgcn_target "amdgcn-amd-amdhsa--gfx900" with the target.
func (a *assembler) checkTarget(c *cursor, at int) error {
	c.space()
	id := strings.Trim(c.s[c.at:], " \t\r\"")
	name := id[strings.LastIndexByte(id, '-')+1:]
	name, _, _ = strings.Cut(name, ":")
	name, _, _ = strings.Cut(name, "+")
	t, err := gcn.ParseTarget(name)
	if err != nil {
		return a.fail(at+1, ".amdgcn_target: "+err.Error(), err)
	}
	if t.Gen() != a.g {
		return a.fail(at+1, ".amdgcn_target is "+name+", but the program is assembled for "+a.target.String(), nil)
	}
	return nil
}

func (a *assembler) data(c *cursor, size int) error {
	a.prog.Lines = append(a.prog.Lines, Line{Offset: 4 * len(a.prog.Words), Line: a.line})
	c.syms = a.lookup
	for {
		c.space()
		at := c.at
		v, err := c.expr()
		switch {
		case err != nil:
			return err.at1(a.line)
		case v.isFloat:
			return a.fail(at+1, "data must be integers", nil)
		case size == 4 && (v.i < -1<<31 || v.i > 1<<32-1):
			return a.fail(at+1, "value does not fit 32 bits", nil)
		}
		if v.pending {
			a.fixups = append(a.fixups, fixup{text: c.s[at:], line: a.line, col: at, word: len(a.prog.Words), size: 1, data: size})
		}
		a.prog.Words = append(a.prog.Words, uint32(v.i))
		if size == 8 {
			a.prog.Words = append(a.prog.Words, uint32(v.i>>32))
		}
		if c.end() {
			return nil
		}
		if err := c.expect(","); err != nil {
			return err.at1(a.line)
		}
	}
}

// maxPad bounds what one directive can add, in bytes.
const maxPad = 1 << 20

// align pads with s_nop up to a multiple of a power of two.
func (a *assembler) align(name string, c *cursor) error {
	c.syms = a.lookup
	n, err := c.integer(name, 0, maxPad)
	if err != nil {
		return err.at1(a.line)
	}
	if name == ".p2align" {
		if n > 20 {
			return a.fail(c.at, ".p2align must be 0 to 20", nil)
		}
		n = 1 << n
	}
	if n <= 4 {
		return nil
	}
	if n&(n-1) != 0 {
		return a.fail(c.at, "alignment must be a power of two", nil)
	}
	nop, newErr := gcn.New(a.target, gcn.Lookup("s_nop", a.target)[0], gcn.Invalid)
	if newErr != nil {
		return a.fail(c.at, newErr.Error(), newErr)
	}
	for int64(4*len(a.prog.Words))%n != 0 {
		a.prog.Words = append(a.prog.Words, uint32(nop.Words))
	}
	return nil
}

// fill appends .fill COUNT, SIZE, VALUE or .space BYTES, VALUE.
func (a *assembler) fill(name string, c *cursor) error {
	c.syms = a.lookup
	var args [3]int64
	n := 0
	for ; n < len(args); n++ {
		v, err := c.integer(name, -1<<31, 1<<32-1)
		if err != nil {
			return err.at1(a.line)
		}
		args[n] = v
		if !c.accept(",") {
			n++
			break
		}
	}
	if !c.end() {
		return a.fail(c.at+1, "unexpected "+c.found(), nil)
	}
	count, size, word := args[0], int64(1), args[1]*0x01010101
	if name == ".fill" {
		word = args[2]
		if n > 1 {
			size = args[1]
		}
		if size != 4 && word != 0 {
			return a.fail(c.at, ".fill must have elements of 4 bytes", nil)
		}
	}
	if size < 0 || size > 8 || count < 0 || count > maxPad || count*size%4 != 0 {
		return a.fail(c.at, name+" must add whole words, at most 1 MiB", nil)
	}
	for range count * size / 4 {
		a.prog.Words = append(a.prog.Words, uint32(word))
	}
	return nil
}
