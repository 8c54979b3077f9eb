package chip

import (
	"slices"
	"strings"

	"github.com/gcnsim/gcnsim/internal/tool/enum"
)

// Board is a product: the parts of a chip that it has, their speed, and its memory (rule CY9). A processor with
// integrated graphics counts as a board.
type Board struct {
	Name               string // name for users: lower case, words joined by dashes
	Title              string // name under which it is sold
	Chip               string
	CUs, ShaderEngines int
	ClockMHz           int // the highest clock in the product data, which may not be sustained under load
	L2Bytes            int
	L2Channels         int // number of channels, each with 64 bytes per clock
	DoubleRate         int // clocks of a double-precision product: 8, 16, 32 or 64
	Memory             Memory
}

// Memory describes the memory of a board.
type Memory struct {
	Kind MemoryKind
	Bits int // width of the bus in bits
	Mbit int // Mbit/s per pin
}

// GBs returns the peak bandwidth in GB/s, rounded.
func (m Memory) GBs() int { return (m.Bits*m.Mbit + 4000) / 8000 }

// MemoryKind is a memory standard.
type MemoryKind uint8

// The kinds.
const (
	GDDR5 MemoryKind = iota
	HBM
	HBM2
	DDR3
	DDR4
	NumMemoryKinds = iota
)

var memoryKindNames = [NumMemoryKinds]string{GDDR5: "GDDR5", HBM: "HBM", HBM2: "HBM2", DDR3: "DDR3", DDR4: "DDR4"}

var _ = enum.Full[MemoryKind](memoryKindNames[:])

// String returns the name of the standard.
func (k MemoryKind) String() string {
	return enum.Name(memoryKindNames[:], k)
}

// boards are the boards. The first one with a chip represents the chip. Sources: AMD's product pages and data sheets.
// The number of L2 channels comes from the tables of the amdgpu kernel driver; for Polaris two for each 32 bits of
// memory are assumed, for APUs one for each pipe of GB_ADDR_CONFIG. The peaks of Vega boards are those at their boost
// clocks.
var boards = []Board{
	{"hd7970", "Radeon HD 7970", "tahiti", 32, 2, 925, 768 << 10, 12, 16, Memory{GDDR5, 384, 5500}},
	{"hd7970-ghz", "Radeon HD 7970 GHz Edition", "tahiti", 32, 2, 1050, 768 << 10, 12, 16, Memory{GDDR5, 384, 6000}},
	{"hd7950", "Radeon HD 7950", "tahiti", 28, 2, 800, 768 << 10, 12, 16, Memory{GDDR5, 384, 5000}},
	{"r9-280x", "Radeon R9 280X", "tahiti", 32, 2, 1000, 768 << 10, 12, 16, Memory{GDDR5, 384, 6000}},
	{"r9-280", "Radeon R9 280", "tahiti", 28, 2, 933, 768 << 10, 12, 16, Memory{GDDR5, 384, 5000}},
	{"firepro-w9000", "FirePro W9000", "tahiti", 32, 2, 975, 768 << 10, 12, 16, Memory{GDDR5, 384, 5500}},
	{"hd7870", "Radeon HD 7870", "pitcairn", 20, 2, 1000, 512 << 10, 8, 64, Memory{GDDR5, 256, 4800}},
	{"hd7850", "Radeon HD 7850", "pitcairn", 16, 2, 860, 512 << 10, 8, 64, Memory{GDDR5, 256, 4800}},
	{"r9-270x", "Radeon R9 270X", "pitcairn", 20, 2, 1050, 512 << 10, 8, 64, Memory{GDDR5, 256, 5600}},
	{"r9-270", "Radeon R9 270", "pitcairn", 20, 2, 925, 512 << 10, 8, 64, Memory{GDDR5, 256, 5600}},
	{"r7-370", "Radeon R7 370", "pitcairn", 16, 2, 975, 512 << 10, 8, 64, Memory{GDDR5, 256, 5600}},
	{"hd7770", "Radeon HD 7770", "verde", 10, 1, 1000, 256 << 10, 4, 64, Memory{GDDR5, 128, 4500}},
	{"hd7750", "Radeon HD 7750", "verde", 8, 1, 800, 256 << 10, 4, 64, Memory{GDDR5, 128, 4500}},
	{"r7-250x", "Radeon R7 250X", "verde", 10, 1, 1000, 256 << 10, 4, 64, Memory{GDDR5, 128, 4500}},
	{"r7-250", "Radeon R7 250", "oland", 6, 1, 1050, 256 << 10, 4, 64, Memory{GDDR5, 128, 4600}},
	{"r7-240", "Radeon R7 240", "oland", 5, 1, 780, 256 << 10, 4, 64, Memory{DDR3, 128, 1800}},
	{"hd7790", "Radeon HD 7790", "bonaire", 14, 2, 1000, 512 << 10, 4, 64, Memory{GDDR5, 128, 6000}},
	{"r7-260x", "Radeon R7 260X", "bonaire", 14, 2, 1100, 512 << 10, 4, 64, Memory{GDDR5, 128, 6500}},
	{"r7-260", "Radeon R7 260", "bonaire", 12, 2, 1000, 512 << 10, 4, 64, Memory{GDDR5, 128, 6000}},
	{"r7-360", "Radeon R7 360", "bonaire", 12, 2, 1050, 512 << 10, 4, 64, Memory{GDDR5, 128, 6500}},
	{"a10-7850k", "A10-7850K", "kaveri", 8, 1, 720, 512 << 10, 4, 64, Memory{DDR3, 128, 2133}},
	{"r9-290x", "Radeon R9 290X", "hawaii", 44, 4, 1000, 1 << 20, 16, 32, Memory{GDDR5, 512, 5000}},
	{"r9-290", "Radeon R9 290", "hawaii", 40, 4, 947, 1 << 20, 16, 32, Memory{GDDR5, 512, 5000}},
	{"r9-390x", "Radeon R9 390X", "hawaii", 44, 4, 1050, 1 << 20, 16, 32, Memory{GDDR5, 512, 6000}},
	{"r9-390", "Radeon R9 390", "hawaii", 40, 4, 1000, 1 << 20, 16, 32, Memory{GDDR5, 512, 6000}},
	{"firepro-w9100", "FirePro W9100", "hawaii", 44, 4, 930, 1 << 20, 16, 8, Memory{GDDR5, 512, 5000}},
	{"firepro-w8100", "FirePro W8100", "hawaii", 40, 4, 824, 1 << 20, 16, 8, Memory{GDDR5, 512, 5000}},
	{"firepro-s9150", "FirePro S9150", "hawaii", 44, 4, 900, 1 << 20, 16, 8, Memory{GDDR5, 512, 5000}},
	{"r9-285", "Radeon R9 285", "tonga", 28, 4, 918, 512 << 10, 8, 64, Memory{GDDR5, 256, 5500}},
	{"r9-380", "Radeon R9 380", "tonga", 28, 4, 970, 512 << 10, 8, 64, Memory{GDDR5, 256, 5700}},
	{"r9-380x", "Radeon R9 380X", "tonga", 32, 4, 970, 512 << 10, 8, 64, Memory{GDDR5, 256, 5700}},
	{"firepro-w7100", "FirePro W7100", "tonga", 28, 4, 920, 512 << 10, 8, 64, Memory{GDDR5, 256, 5000}},
	{"fury-x", "Radeon R9 Fury X", "fiji", 64, 4, 1050, 2 << 20, 16, 64, Memory{HBM, 4096, 1000}},
	{"fury", "Radeon R9 Fury", "fiji", 56, 4, 1000, 2 << 20, 16, 64, Memory{HBM, 4096, 1000}},
	{"r9-nano", "Radeon R9 Nano", "fiji", 64, 4, 1000, 2 << 20, 16, 64, Memory{HBM, 4096, 1000}},
	{"mi8", "Instinct MI8", "fiji", 64, 4, 1000, 2 << 20, 16, 64, Memory{HBM, 4096, 1000}},
	{"rx480", "Radeon RX 480", "polaris10", 36, 4, 1266, 2 << 20, 16, 64, Memory{GDDR5, 256, 8000}},
	{"rx470", "Radeon RX 470", "polaris10", 32, 4, 1206, 2 << 20, 16, 64, Memory{GDDR5, 256, 6600}},
	{"rx570", "Radeon RX 570", "polaris10", 32, 4, 1244, 2 << 20, 16, 64, Memory{GDDR5, 256, 7000}},
	{"rx580", "Radeon RX 580", "polaris10", 36, 4, 1340, 2 << 20, 16, 64, Memory{GDDR5, 256, 8000}},
	{"rx590", "Radeon RX 590", "polaris10", 36, 4, 1545, 2 << 20, 16, 64, Memory{GDDR5, 256, 8000}},
	{"wx7100", "Radeon Pro WX 7100", "polaris10", 36, 4, 1243, 2 << 20, 16, 64, Memory{GDDR5, 256, 7000}},
	{"rx460", "Radeon RX 460", "polaris11", 14, 2, 1200, 1 << 20, 8, 64, Memory{GDDR5, 128, 7000}},
	{"rx560", "Radeon RX 560", "polaris11", 16, 2, 1275, 1 << 20, 8, 64, Memory{GDDR5, 128, 7000}},
	{"rx550", "Radeon RX 550", "polaris12", 8, 2, 1183, 512 << 10, 8, 64, Memory{GDDR5, 128, 7000}},
	{"vega-64", "Radeon RX Vega 64", "vega10", 64, 4, 1546, 4 << 20, 16, 64, Memory{HBM2, 2048, 1890}},
	{"vega-56", "Radeon RX Vega 56", "vega10", 56, 4, 1471, 4 << 20, 16, 64, Memory{HBM2, 2048, 1600}},
	{"vega-fe", "Radeon Vega Frontier Edition", "vega10", 64, 4, 1600, 4 << 20, 16, 64, Memory{HBM2, 2048, 1890}},
	{"mi25", "Instinct MI25", "vega10", 64, 4, 1500, 4 << 20, 16, 64, Memory{HBM2, 2048, 1890}},
	{"mi50", "Instinct MI50", "vega20", 60, 4, 1725, 4 << 20, 16, 8, Memory{HBM2, 4096, 2000}},
	{"mi60", "Instinct MI60", "vega20", 64, 4, 1800, 4 << 20, 16, 8, Memory{HBM2, 4096, 2000}},
	{"radeon-vii", "Radeon VII", "vega20", 60, 4, 1750, 4 << 20, 16, 16, Memory{HBM2, 4096, 2000}},
	{"radeon-pro-vii", "Radeon Pro VII", "vega20", 60, 4, 1700, 4 << 20, 16, 8, Memory{HBM2, 4096, 2000}},
	{"ryzen-5-2400g", "Ryzen 5 2400G", "raven", 11, 1, 1250, 1 << 20, 4, 64, Memory{DDR4, 128, 2933}},
	{"ryzen-7-4700g", "Ryzen 7 4700G", "renoir", 8, 1, 2100, 1 << 20, 4, 64, Memory{DDR4, 128, 3200}},
}

// Boards returns a copy of the list of boards.
func Boards() []Board { return slices.Clone(boards) }

// boardNames maps the normalized names and titles of boards to their indexes.
var boardNames = func() map[string]int {
	names := map[string]int{}
	for n, b := range boards {
		names[plain(b.Name)], names[plain(b.Title)] = n, n
		if _, ok := names[b.Chip]; !ok {
			names[b.Chip] = n
		}
	}
	return names
}()

// LookupBoard returns the board with a name or title, or the board that represents a chip with that name; nil if
// there is none. It ignores case, spaces, dashes, underscores and the word Radeon.
func LookupBoard(name string) *Board {
	n, ok := boardNames[plain(name)]
	if !ok {
		return nil
	}
	b := boards[n]
	return &b
}

var separators = strings.NewReplacer(" ", "", "-", "", "_", "")

// plain returns a name in the normalized form for comparisons.
func plain(name string) string {
	return strings.TrimPrefix(separators.Replace(strings.ToLower(name)), "radeon")
}
