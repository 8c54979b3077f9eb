package registers

import "github.com/gcnsim/gcnsim/internal/isa"

// Unread returns the fields that have bits which are set although in does not read them,
// see [isa.Inst.Reads], and such bits that belong to no field.
func Unread(in *isa.Inst) (fields []isa.Field, reserved uint64) {
	unread := in.Words &^ in.Reads()
	if in.Size == 4 {
		unread &= 1<<32 - 1
	}
	reserved = unread
	for f := isa.Field(0); f < isa.NumFields && unread != 0; f++ {
		if (f == isa.OFFSET0 || f == isa.OFFSET1) && in.Enc == isa.DS && !in.Row().Has(isa.Two) {
			continue // bits of OFFSET
		}
		shift, width := isa.FieldBits(in.Target.Gen(), in.Enc, f)
		if b := (uint64(1)<<width - 1) << shift; unread&b != 0 {
			fields = append(fields, f)
			reserved &^= b
		}
	}
	return fields, reserved
}
