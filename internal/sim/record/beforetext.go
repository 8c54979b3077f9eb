package record

import (
	"fmt"
	"strings"

	"github.com/gcnsim/gcnsim/internal/r600"
)

// registerName returns the name of a component of a register.
func registerName(register uint32, elem int) string {
	return fmt.Sprintf("R%d.%c", register, "xyzw"[elem])
}

// fieldsOf reads fields of an instruction. Fields that it does not have are 0 and "".
type fieldsOf struct{ *r600.Inst }

func (f fieldsOf) bits(name string) uint32 { v, _, _ := f.Field(name); return v }
func (f fieldsOf) text(name string) string { _, t, _ := f.Field(name); return t }
func (f fieldsOf) has(name string) bool    { _, _, ok := f.Field(name); return ok }

// textBefore returns an instruction in the short form of the chips' documents. literals are the words after it.
func textBefore(in *r600.Inst, literals []uint32) string {
	f := fieldsOf{in}
	text := in.Name
	switch {
	case f.has("LAST"):
		text += f.alu(literals)
	case f.has("I_COUNT") && !f.has("POP_COUNT"), f.has("I_COUNT") && isFetch(in.Name):
		text += fmt.Sprintf(": ADDR(%s) CNT(%s)", f.text("ADDR"), f.text("I_COUNT"))
	case f.has("RW_GPR"):
		text += fmt.Sprintf(" %s, R%d.%s", f.place(), f.bits("RW_GPR"), f.selects("SRC_SEL_", "XYZW"))
	case f.has("BUFFER_ID"):
		text += fmt.Sprintf(" R%d.%s, R%d.%s, buffer %d %s", f.bits("DST_GPR"), f.selects("DST_SEL_", "XYZW"),
			f.bits("SRC_GPR"), f.selects("SRC_SEL_", "X"), f.bits("BUFFER_ID"), f.text("DATA_FORMAT"))
	case f.has("RESOURCE_ID"):
		text += fmt.Sprintf(" R%d.%s, R%d.%s, texture %d, sampler %d", f.bits("DST_GPR"), f.selects("DST_SEL_", "XYZW"),
			f.bits("SRC_GPR"), f.selects("SRC_SEL_", "XYZW"), f.bits("RESOURCE_ID"), f.bits("SAMPLER_ID"))
	case f.bits("ADDR") != 0 || f.bits("POP_COUNT") != 0:
		text += fmt.Sprintf(": ADDR(%s) POP(%s)", f.text("ADDR"), f.text("POP_COUNT"))
	}
	if f.bits("END_OF_PROGRAM") != 0 {
		text += " END"
	}
	return text
}

// isFetch reports whether a control flow instruction starts a clause of fetches.
func isFetch(name string) bool {
	return strings.HasPrefix(name, "TEX") || strings.HasPrefix(name, "VTX")
}

// selects returns the component selections in the fields with a prefix, one letter each.
func (f fieldsOf) selects(prefix, components string) string {
	var out strings.Builder
	for _, c := range components {
		out.WriteByte("xyzw01?_"[f.bits(prefix+string(c))&7])
	}
	return out.String()
}

// place returns the destination of an export as text.
func (f fieldsOf) place() string {
	kind := strings.TrimPrefix(f.text("TYPE"), "SQ_EXPORT_")
	return fmt.Sprintf("%s %s", kind, strings.TrimPrefix(strings.TrimPrefix(f.text("ARRAY_BASE"), "CF_PIXEL_"), "CF_"))
}

// alu returns the operands of an ALU instruction as text.
func (f fieldsOf) alu(literals []uint32) string {
	var list []string
	if mask, _, two := f.Field("WRITE_MASK"); two && mask == 0 {
		list = append(list, "_."+strings.ToLower(strings.TrimPrefix(f.text("DST_ELEM"), "ELEM_")))
	} else {
		list = append(list, registerName(f.bits("DST_GPR"), int(f.bits("DST_ELEM"))))
	}
	for i := range int(f.Sources()) {
		list = append(list, f.source(fmt.Sprintf("SRC%d_", i), literals))
	}
	return " " + strings.Join(list, ", ")
}

// source returns an operand as text.
func (f fieldsOf) source(prefix string, literals []uint32) string {
	sel, name := f.bits(prefix+"SEL"), strings.TrimPrefix(f.text(prefix+"SEL"), "ALU_SRC_")
	elem := int(f.bits(prefix + "ELEM"))
	text := name
	switch {
	case sel < 128: // registers and constants (rule FS9)
		text = registerName(sel, elem)
	case sel < 192:
		text = fmt.Sprintf("KC%d[%d].%c", (sel-128)/32, (sel-128)%32, "xyzw"[elem])
	case name == "LITERAL" && elem < len(literals):
		text = fmt.Sprintf("0x%x", literals[elem])
	case name == "PV":
		text += "." + string("xyzw"[elem])
	}
	if f.bits(prefix+"REL") != 0 {
		text += "[relative]"
	}
	if f.bits(prefix+"ABS") != 0 {
		text = "|" + text + "|"
	}
	if f.bits(prefix+"NEG") != 0 {
		text = "-" + text
	}
	return text
}
