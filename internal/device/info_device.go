package device

import (
	"cmp"
	"encoding/binary"
	"syscall"

	"github.com/gcnsim/gcnsim/internal/isa/chip"
)

// Properties of the device that are the same for all chips, or that no driver uses.
const (
	memoryMHz  = 1000 // memory clock that is reported
	typicalMHz = 1000 // engine clock of chips for which the project has no product data

	// counterKHz is the frequency of the timestamp counter: 27 MHz.
	counterKHz = 27000

	// GPU addresses start here. All lie in the low half of the 48-bit space, so that an address is the same in
	// descriptors, registers and packets.
	vaStart = 0x200000
	vaEnd   = 1 << 47
)

func (d *Device) engineMHz() uint32 { return uint32(cmp.Or(boardOf(d.chip).ClockMHz, typicalMHz)) }

// deviceInfo is drm_amdgpu_info_device.
type deviceInfo struct {
	DeviceID, ChipRev, ExternalRev, PCIRev uint32
	Family, Engines, Arrays, CounterKHz    uint32
	EngineKHz, MemoryKHz                   uint64
	CUs, AlwaysOn                          uint32
	CUBitmap                               [4][4]uint32
	RBMask, RBs, Contexts, _               uint32
	Flags, VAStart, VAEnd                  uint64
	VAAlign, PTEFragment, GARTPage, CERAM  uint32
	VRAMType, VRAMBits, VCE, OffchipLDS    uint32
	NGGAddresses                           [4]uint64
	NGGSizes                               [4]uint32
	WaveSize, VGPRs, CUsPerArray, TCCs     uint32
	GSTableDepth, GSPrimDepth, GSWaves, _  uint32
	AlwaysOnBitmap                         [4][4]uint32
	HighVAStart, HighVAEnd                 uint64
	TileSteering, _                        uint32
	TCCDisabled                            uint64
}

func (f *File) deviceInfo([4]uint32) deviceInfo {
	const (
		fusion = 1 // AMDGPU_IDS_FLAGS_FUSION
		hbm    = 6 // AMDGPU_VRAM_TYPE_HBM
	)
	c := f.dev.chip
	id := c.Identity
	info := deviceInfo{
		DeviceID: uint32(id.PCI), ExternalRev: id.Revision, PCIRev: uint32(id.PCIRev),
		Family: id.Family, Engines: uint32(id.SEs), Arrays: uint32(id.SHs), CounterKHz: counterKHz,
		EngineKHz: uint64(f.dev.engineMHz()) * 1000, MemoryKHz: memoryMHz * 1000,
		CUs:    uint32(id.SEs * id.SHs * id.CUs),
		RBMask: 1<<id.RBs - 1, RBs: uint32(id.RBs), Contexts: 8,
		VAStart: vaStart, VAEnd: vaEnd, VAAlign: pageBytes, PTEFragment: 2 << 20, GARTPage: pageBytes, CERAM: 32 << 10,
		VRAMType: hbm, VRAMBits: 2048, WaveSize: 64, VGPRs: 256, CUsPerArray: uint32(id.CUs),
		TCCs:         uint32(cmp.Or(boardOf(c).L2Channels, 16)),
		GSTableDepth: 32, GSPrimDepth: 1792, GSWaves: 32,
	}
	if id.APU {
		info.Flags = fusion
	}
	for se := range id.SEs {
		for sh := range id.SHs {
			info.CUBitmap[se][sh] = 1<<id.CUs - 1
		}
	}
	info.AlwaysOnBitmap = info.CUBitmap
	return info
}

// registers returns the registers that drivers read, by dword offset. The tiling registers have the values with which
// the simulator tiles. The registers of disabled units are 0, because no unit is disabled.
func registers(t *chip.Tiling) map[uint32]uint32 {
	const (
		mcArbRAMCfg        = 0x9d8
		ccRBBackendDisable = 0x263d
		gbAddrConfig       = 0x263e
		gbTileMode0        = 0x2644
		gbMacroTileMode0   = 0x2664
		paRasterConfig     = 0xa0d4
		paRasterConfig1    = 0xa0d5
	)
	regs := map[uint32]uint32{gbAddrConfig: t.AddrConfig}
	if t.Modes == nil {
		return regs
	}
	for _, r := range []uint32{ccRBBackendDisable, paRasterConfig, paRasterConfig1} {
		regs[r] = 0
	}
	regs[mcArbRAMCfg] = 2 // NOOFBANK: 16 banks, one rank
	for i, v := range t.Modes {
		regs[gbTileMode0+uint32(i)] = v
	}
	if t.MacroModes != nil {
		for i, v := range t.MacroModes {
			regs[gbMacroTileMode0+uint32(i)] = v
		}
	}
	return regs
}

// maxRegisters is how many registers one query may read.
const maxRegisters = 128

func (f *File) readRegisters(arg [4]uint32) ([]byte, syscall.Errno) {
	offset, count := arg[0], arg[1]
	if count > maxRegisters {
		return nil, syscall.EINVAL
	}
	b := make([]byte, 0, 4*count)
	for i := range count {
		v, ok := f.dev.registers[offset+i]
		if !ok {
			f.logf("READ_MMR_REG of register 0x%x, which is not known: EFAULT", offset+i)
			return nil, syscall.EFAULT
		}
		b = binary.LittleEndian.AppendUint32(b, v)
	}
	return b, 0
}

// boardOf returns the board that represents a chip, or the zero value if no board is known.
func boardOf(c chip.Chip) (b chip.Board) {
	if known := chip.LookupBoard(c.Name); known != nil {
		b = *known
	}
	return b
}
