package asm

import (
	"fmt"
	"strings"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/tool/abi"
)

// directive executes a directive. name is its name, which begins at byte at. c reads the rest of the line.
type directive func(a *assembler, name string, c *cursor, at int) *Error

// directives work only in sections that are loaded. The directives in anywhere work in all sections.
var directives, anywhere map[string]directive

func init() { // the functions read the maps, so that an initializer would be a cycle
	directives = map[string]directive{
		".byte": data(1), ".short": data(2), ".2byte": data(2), ".value": data(2), ".hword": data(2), ".dc.b": data(1),
		".dc.w": data(2),
		".long": data(4), ".int": data(4), ".4byte": data(4), ".word": data(4), ".dc.l": data(4),
		".quad": data(8), ".8byte": data(8), ".octa": values(octa),
		".float": values(float), ".single": values(float), ".double": values(float),
		".ascii": values(text), ".asciz": values(text), ".string": values(text),
		".uleb128": values(leb128), ".sleb128": values(leb128),
		".p2align": (*assembler).alignTo, ".align": (*assembler).alignTo, ".balign": (*assembler).alignTo,
		".p2alignw": (*assembler).alignTo, ".p2alignl": (*assembler).alignTo, ".balignw": (*assembler).alignTo,
		".balignl": (*assembler).alignTo,
		".fill":    filler(padFill), ".space": filler(padFill), ".skip": filler(padFill), ".zero": filler(padFill),
		".org":               filler(padOrg),
		".amd_kernel_code_t": (*assembler).beginCodeT,
	}
	anywhere = map[string]directive{
		".set": (*assembler).set, ".equ": (*assembler).set, ".equiv": (*assembler).set,
		".section": (*assembler).switchSection, ".pushsection": (*assembler).switchSection,
		".popsection": (*assembler).popSection,
		".previous":   (*assembler).switchBack, ".text": (*assembler).switchTo, ".data": (*assembler).switchTo,
		".bss": (*assembler).switchTo, ".rodata": (*assembler).switchTo,
		".macro": (*assembler).defineMacro, ".exitm": (*assembler).exitMacro, ".purgem": (*assembler).purgeMacro,
		".rept": (*assembler).repeat, ".rep": (*assembler).repeat, ".irp": (*assembler).repeatWith,
		".irpc":  (*assembler).repeatWith,
		".error": (*assembler).userError, ".err": (*assembler).userError, ".abort": (*assembler).userError,
		".end":           func(a *assembler, _ string, _ *cursor, _ int) *Error { a.reader.ended = true; return nil },
		".amdgcn_target": (*assembler).checkTarget, ".amd_amdgpu_isa": (*assembler).checkTarget,
		".hsa_code_object_isa": (*assembler).checkVersion,
		".amdhsa_kernel":       (*assembler).beginKernel, ".amdgpu_lds": (*assembler).declareLDS,
		".amdgpu_hsa_kernel": (*assembler).declareKernel, ".amdhsa_code_object_version": (*assembler).codeObjectVersion,
		".globl": (*assembler).declare, ".global": (*assembler).declare, ".weak": (*assembler).declare,
		".hidden":    (*assembler).declare,
		".protected": (*assembler).declare, ".internal": (*assembler).declare, ".local": (*assembler).declare,
		".no_dead_strip": (*assembler).declare,
		".altmacro":      (*assembler).switchMacros, ".noaltmacro": (*assembler).switchMacros,
		".include": (*assembler).include,
	}
	for name := range metadataEnds {
		anywhere[name] = (*assembler).beginMetadata
	}
	for _, name := range [...]string{".else", ".endif"} {
		anywhere[name] = (*assembler).condition
	}
	for name := range ifs {
		anywhere[strings.Replace(name, "if", "elseif", 1)] = (*assembler).condition
		anywhere[name] = (*assembler).condition
	}
}

// quiet has the directives about symbols, files or debugging, which add
// nothing to a section.
var quiet = map[string]bool{
	".type": true, ".size": true, ".ident": true, ".file": true, ".loc": true, ".addrsig": true, ".addrsig_sym": true,
	".print": true, ".warning": true, ".hsa_code_object_version": true,
	".cfi_sections": true, ".cfi_startproc": true, ".cfi_endproc": true,
}

// directive executes the directive called name.
func (a *assembler) directive(name string, c *cursor, at int) *Error {
	lower := strings.ToLower(name)
	if is, err := a.clrxDirective(lower, c, at); is {
		return err
	}
	if d := anywhere[lower]; d != nil {
		return d(a, lower, c, at)
	}
	d := directives[lower]
	switch {
	case quiet[lower], d != nil && a.elsewhere():
		return nil
	case d != nil:
		return d(a, lower, c, at)
	case a.elsewhere():
		return nil
	case lower == ".incbin":
		return a.fail(at, name+" would read another file, which this assembler does not; write its bytes as .byte", nil)
	}
	return a.fail(at, "unknown directive "+name, nil)
}

// set executes .set NAME, EXPRESSION.
func (a *assembler) set(name string, c *cursor, _ int) *Error {
	at := c.begin()
	symbol := c.wordOrQuoted()
	if symbol == "" {
		return a.fail(at, "expected a symbol, found "+c.found(), nil)
	}
	if err := c.expect(","); err != nil {
		return a.located(err)
	}
	return a.assign(symbol, c, at, name == ".equiv")
}

// declare executes .globl and similar directives. It only checks the names.
func (a *assembler) declare(name string, c *cursor, _ int) *Error {
	for !c.end() {
		if c.wordOrQuoted() == "" {
			return a.fail(c.at, "expected a symbol, found "+c.found(), nil)
		}
		if c.end() {
			break
		}
		if err := c.expect(","); err != nil {
			return a.located(err)
		}
	}
	return nil
}

// userError executes .error TEXT, .err and .abort.
func (a *assembler) userError(name string, c *cursor, at int) *Error {
	what := name
	if name == ".error" && !c.end() {
		text, err := c.str()
		if err != nil {
			return a.located(err)
		}
		what = text
	}
	return a.fail(at, what, nil)
}

// sectionName parses the name of a section, in quotes or up to a comma or space.
func (c *cursor) sectionName() (string, *syntaxError) {
	if c.peek() == '"' {
		return c.str()
	}
	start := c.at
	for c.at < len(c.s) && !strings.ContainsRune(", \t\r", rune(c.s[c.at])) {
		c.at++
	}
	if c.at == start {
		return "", c.errorf(c.at, "expected the name of a section, found %s", c.found())
	}
	return c.s[start:c.at], nil
}

// switchSection executes .section NAME, "FLAGS", @TYPE and .pushsection.
func (a *assembler) switchSection(name string, c *cursor, _ int) *Error {
	section, err := c.sectionName()
	flags := ""
	if err == nil && c.accept(",") && c.peek() == '"' {
		flags, err = c.str()
	}
	if err != nil {
		return a.located(err)
	}
	if name == ".pushsection" {
		if len(a.stack) == maxConditions {
			return a.fail(c.at, "sections are nested too deeply", nil)
		}
		a.stack = append(a.stack, a.sec)
	}
	a.enter(a.section(section, flags))
	return nil
}

func (a *assembler) enter(s *section) { a.previous, a.sec = a.sec, s }

// switchTo executes .text and similar directives.
func (a *assembler) switchTo(name string, _ *cursor, _ int) *Error {
	if name == ".text" {
		name = a.code()
	}
	a.enter(a.section(name, ""))
	return nil
}

// switchBack executes .previous.
func (a *assembler) switchBack(_ string, _ *cursor, at int) *Error {
	if a.previous == nil {
		return a.fail(at, ".previous, and there is no section before this one", nil)
	}
	a.enter(a.previous)
	return nil
}

func (a *assembler) popSection(_ string, _ *cursor, at int) *Error {
	n := len(a.stack)
	if n == 0 {
		return a.fail(at, ".popsection without .pushsection", nil)
	}
	a.enter(a.stack[n-1])
	a.stack = a.stack[:n-1]
	return nil
}

// checkTarget checks that .amdgcn_target "amdgcn-amd-amdhsa--gfx900:xnack+" names the target.
func (a *assembler) checkTarget(name string, c *cursor, at int) *Error {
	id, err := c.str()
	if err == nil {
		err = c.finish()
	}
	if err != nil {
		return a.located(err)
	}
	start := strings.LastIndex(id, "-gfx")
	if start < 0 {
		start = strings.LastIndexByte(id, '-')
	}
	cpu, features := id[start+1:], ""
	if i := strings.IndexAny(cpu, ":+-"); i >= 0 { // versions 2 and 3 have no colon before features
		cpu, features = cpu[:i], cpu[i:]
	}
	if digits, ok := strings.CutPrefix(cpu, "gfx90"); ok && len(digits) == 1 && name == ".amd_amdgpu_isa" { // version 2
		t, on, ok := abi.TargetByVersion([3]int{9, 0, int(digits[0] - '0')})
		if ok {
			return a.matchTarget(name, t, cpu, !on, at)
		}
	}
	t, wrong := gcn.ParseTarget(cpu)
	if wrong != nil {
		return a.fail(at, name+": "+wrong.Error(), wrong)
	}
	return a.matchTarget(name, t, cpu, strings.Contains(features, "xnack-") || strings.Contains(features, "-xnack"), at)
}

// checkVersion checks that .hsa_code_object_isa MAJOR, MINOR, STEPPING, "AMD", "AMDGPU" names the
// target.
func (a *assembler) checkVersion(name string, c *cursor, at int) *Error {
	if c.end() {
		return nil
	}
	var v [3]int
	for i := range v {
		n, err := c.integer("version", 0, 255)
		if err == nil && i < 2 {
			err = c.expect(",")
		}
		if err != nil {
			return a.located(err)
		}
		v[i] = int(n)
	}
	t, on, ok := abi.TargetByVersion(v)
	cpu := fmt.Sprintf("%d.%d.%d", v[0], v[1], v[2])
	if !ok {
		return a.fail(at, name+": unknown processor "+cpu, nil)
	}
	return a.matchTarget(name, t, cpu, !on, at)
}

// matchTarget checks that target t, which a directive names as cpu, is the target of the assembler.
func (a *assembler) matchTarget(name string, t gcn.Target, cpu string, xnackOff bool, at int) *Error {
	if t.Gen() != a.target.Gen() {
		return a.fail(at, name+" is "+cpu+", but the program is assembled for "+a.target.String(), nil)
	}
	a.xnackOff = xnackOff
	return nil
}
