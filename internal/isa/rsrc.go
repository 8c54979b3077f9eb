package isa

import "fmt"

// RSRC holds the registers COMPUTE_PGM_RSRC1 to 3, which describe the registers and LDS that a wave starts with (rule
// ST14).
type RSRC [3]uint32

// MaxUserSGPRs is the largest number of user SGPRs (rule ST12).
const MaxUserSGPRs = 16

// Resources holds the decoded fields of COMPUTE_PGM_RSRC1 to 3; [RSRC.Fields] returns it.
type Resources struct {
	VGPRs int // number of VGPRs of a wave
	// SGPRs is the number of SGPRs of a wave, including VCC and similar. The field is in units of 8 on all generations;
	// GCN 1.2 and later allocate 16 at a time.
	SGPRs     int
	UserSGPRs int // USER_SGPR: number of user SGPRs, from s0 on
	// System tells, by SystemGroupX and the constants after it, whether the wave has the register.
	System      [NumSystemSGPRs]bool
	WorkItemIDs int    // number of work-item ids in v0 to v2; 4 is undefined
	LDSBytes    int    // bytes of LDS per work-group
	Mode        uint32 // MODE at the start of a wave (rule ST5), the same on all processors
}

// The system SGPRs of a wave, one register each, in this order after the user SGPRs.
const (
	SystemGroupX = iota // x of the work-group id
	SystemGroupY
	SystemGroupZ
	SystemGroupInfo     // TG_SIZE
	SystemScratchOffset // scratch offset of the wave in bytes
	NumSystemSGPRs
)

// Fields decodes r for processor t.
func (r RSRC) Fields(t Target) Resources {
	const step = 8 // AMDGPUUsage, "GRANULATED_WAVEFRONT_SGPR_COUNT"
	traits := TraitsOf(t)
	sgprs, granule := int(r[0]>>6&0xf+1)*step, traits.SGPRGranule
	mode := r[0] >> 12 & 0xff   // FLOAT_MODE: FP_ROUND, FP_DENORM
	mode |= r[0] >> 21 & 1 << 8 // DX10_CLAMP
	mode |= r[0] >> 23 & 1 << 9 // IEEE_MODE
	set := func(bit int) bool { return r[1]>>bit&1 != 0 }
	return Resources{
		VGPRs: int(r[0]&0x3f+1) * traits.VGPRGranule, SGPRs: (sgprs + granule - 1) / granule * granule,
		UserSGPRs: int(r[1] >> 1 & 0x1f), System: [...]bool{set(7), set(8), set(9), set(10), set(0)},
		WorkItemIDs: int(r[1]>>11&3) + 1, LDSBytes: int(r[1]>>15&0x1ff) * traits.LDSGranule, Mode: mode | r[1]>>24&0x7f<<12,
	}
}

// WithLDS returns r with LDS of at least size bytes. It panics if a work-group cannot have that many.
func WithLDS(r RSRC, t Target, size int) RSRC {
	if most := TraitsOf(t).MaxLDS; size < 0 || size > most {
		panic(fmt.Sprintf("gcn: a work-group of %v has 0 to %d bytes of LDS, not %d", t, most, size))
	}
	granule := TraitsOf(t).LDSGranule
	r[1] = r[1]&^(0x1ff<<15) | uint32((size+granule-1)/granule)<<15
	return r
}
