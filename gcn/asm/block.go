package asm

import (
	"fmt"
	"strings"
)

// block is a run of lines that a directive of its own ends.
type block struct {
	end       string
	line, col int
	raw       bool // lines are text, not statements
	read      func(c *cursor) *Error
	done      func() *Error
}

// beginBlock has read take the lines up to the directive called end, and then calls done.
func (a *assembler) beginBlock(end string, at int, read func(c *cursor) *Error, done func() *Error) *Error {
	a.block = &block{end: end, read: read, done: done}
	a.block.line, a.block.col = a.position(at)
	return nil
}

// blockLine reads a line of a block.
func (a *assembler) blockLine(c *cursor) *Error {
	b := a.block
	at := c.at
	if c.word() == b.end {
		a.block = nil
		if err := c.finish(); err != nil {
			return a.located(err)
		}
		return b.done()
	}
	if c.at = at; !b.raw && c.end() {
		return nil
	}
	return b.read(c)
}

// metadataEnds are the directives that end metadata.
var metadataEnds = map[string]string{
	".amdgpu_metadata": ".end_amdgpu_metadata", ".amd_amdgpu_hsa_metadata": ".end_amd_amdgpu_hsa_metadata", ".amd_amdgpu_pal_metadata": ".end_amd_amdgpu_pal_metadata",
	".amdgpu_pal_metadata": ".end_amdgpu_pal_metadata",
}

// beginMetadata obeys .amdgpu_metadata and its kin: what follows is kept as it is.
func (a *assembler) beginMetadata(name string, _ *cursor, at int) *Error {
	err := a.beginBlock(metadataEnds[name], at, func(c *cursor) *Error {
		a.metadata = append(a.metadata, strings.TrimRight(c.s, " \t\r")+"\n")
		return nil
	}, func() *Error { return nil })
	a.block.raw = true
	return err
}

// declareLDS obeys .amdgpu_lds NAME, SIZE, ALIGNMENT. Variables are placed in their order.
func (a *assembler) declareLDS(_ string, c *cursor, at int) *Error {
	name := c.wordOrQuoted()
	if name == "" {
		return a.fail(c.at, "expected a symbol, found "+c.found(), nil)
	}
	most := int64(a.target.Gen().Traits().MaxLDS)
	size, align := int64(0), int64(4)
	err := c.expect(",")
	if err == nil {
		size, err = c.integer("size", 0, most)
	}
	if err == nil && c.accept(",") {
		from := c.at
		align, err = c.integer("alignment", 1, 1<<30)
		if err == nil && align&(align-1) != 0 {
			err = c.errorf(from+1, "alignment is %d, must be a power of two", align)
		}
	}
	if err == nil {
		err = c.finish()
	}
	if err != nil {
		return a.located(err)
	}
	s := a.lookup(name, at)
	if s.kind != undefined {
		return a.fail(at, "symbol "+name+" is defined twice", nil)
	}
	offset := int64(0)
	if n := len(a.lds); n > 0 {
		offset = int64(a.lds[n-1].Offset + a.lds[n-1].Size)
	}
	offset += gap(offset, align, 0)
	if offset+size > most {
		return a.fail(at, fmt.Sprintf("all variables in LDS take %d bytes; a work-group has %d", offset+size, most), nil)
	}
	s.kind, s.place = ldsVariable, amount{n: offset}
	a.lds = append(a.lds, LDSVariable{name, int(offset), int(size)})
	return nil
}
