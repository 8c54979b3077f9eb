package gcn

// RSRC are the registers COMPUTE_PGM_RSRC1 to 3: what a wave is given at its start (rule
// ST14).
type RSRC [3]uint32

// MaxUserSGPRs is how many user SGPRs there are (rule ST12).
const MaxUserSGPRs = 16

// VGPRs returns how many vector registers a wave is given.
func (r RSRC) VGPRs(t Target) int { return int(r[0]&0x3f+1) * t.Traits().VGPRGranule }

// SGPRs returns how many scalar registers a wave is given, VCC and its kin included. The
// field counts steps of 8 on all generations; GCN 1.2 and later allocate 16 at a time.
func (r RSRC) SGPRs(t Target) int {
	const step = 8 // AMDGPUUsage, "GRANULATED_WAVEFRONT_SGPR_COUNT"
	sgprs, granule := int(r[0]>>6&0xf+1)*step, t.Traits().SGPRGranule
	return (sgprs + granule - 1) / granule * granule
}

// Mode returns MODE as a wave has it at the start (rule ST5).
func (r RSRC) Mode() uint32 {
	mode := r[0] >> 12 & 0xff   // FLOAT_MODE: FP_ROUND, FP_DENORM
	mode |= r[0] >> 21 & 1 << 8 // DX10_CLAMP
	mode |= r[0] >> 23 & 1 << 9 // IEEE_MODE
	return mode | r[1]>>24&0x7f<<12
}

// UserSGPRs returns USER_SGPR: how many registers from s0 on are the user's.
func (r RSRC) UserSGPRs() int { return int(r[1] >> 1 & 0x1f) }

// WorkItemIDs returns how many of v0, v1 and v2 hold the number of the work-item; 4 is
// undefined.
func (r RSRC) WorkItemIDs() int { return int(r[1]>>11&3) + 1 }

// System returns which SGPRs follow those of the user.
func (r RSRC) System() SystemSGPRs { return SystemSGPRs(r[1]>>7&0xf | r[1]&1<<4) }

// LDSBytes returns the LDS of a work-group.
func (r RSRC) LDSBytes(t Target) int { return int(r[1]>>15&0x1ff) * t.Traits().LDSGranule }

// WithLDS returns r with LDS of at least size bytes, which a work-group can have.
func (r RSRC) WithLDS(t Target, size int) RSRC {
	granule := t.Traits().LDSGranule
	r[1] = r[1]&^(0x1ff<<15) | uint32((size+granule-1)/granule)<<15
	return r
}

// SystemSGPRs are the values that a wave finds in the registers after the user's, one
// register each, in this order.
type SystemSGPRs uint8

// The values.
const (
	SystemGroupX SystemSGPRs = 1 << iota // number of the work-group
	SystemGroupY
	SystemGroupZ
	SystemGroupInfo     // TG_SIZE
	SystemScratchOffset // of the wave, in bytes
)
