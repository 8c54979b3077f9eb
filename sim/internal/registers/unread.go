package registers

import "github.com/gcnsim/gcnsim/gcn"

// Unread returns the fields that have bits which are set although in does not read them,
// see [gcn.Inst.Reads], and such bits that belong to no field.
func Unread(in *gcn.Inst) (fields []gcn.Field, reserved uint64) {
	unread := in.Words &^ in.Reads()
	if in.Size == 4 {
		unread &= 1<<32 - 1
	}
	reserved = unread
	for f := gcn.Field(0); f < gcn.NumFields && unread != 0; f++ {
		if (f == gcn.OFFSET0 || f == gcn.OFFSET1) && in.Enc == gcn.DS && !in.Row().Has(gcn.Two) {
			continue // bits of OFFSET
		}
		shift, width := in.Target.Gen().FieldBits(in.Enc, f)
		if b := (uint64(1)<<width - 1) << shift; unread&b != 0 {
			fields = append(fields, f)
			reserved &^= b
		}
	}
	return fields, reserved
}
