package device

import (
	"fmt"
	"strings"

	"github.com/gcnsim/gcnsim/internal/isa"
)

// topologyDir is the directory where /dev/kfd describes the machine's nodes.
const topologyDir = "/sys/devices/virtual/kfd/kfd/topology/"

// property is a line in a file of the topology.
type property struct {
	name  string
	value any
}

// lines formats properties like the kernel does.
func lines(list ...property) string {
	var b strings.Builder
	for _, p := range list {
		fmt.Fprintf(&b, "%s %v\n", p.name, p.value)
	}
	return b.String()
}

// Properties of the topology that are the same for all chips.
const (
	wavesPerSIMD   = 10
	simdsPerCU     = 4
	scratchSlots   = 32         // waves of a CU that have scratch memory
	firstSIMD      = 0x80001000 // simd_id_base
	firmware       = 730        // version; below 729 ROCr does additional work on GCN 1.2
	sdmaFirmware   = 430
	hostMemory     = 8 << 30
	hostMHz        = 2000 // clock of the CPU that is reported
	linkPCIe       = 2
	heapSystem     = 0
	heapPublic     = 1     // VRAM that the CPU can access
	watchPoints    = 0x280 // bits of capability for four watch points
	doorbellShift  = 12    // bit position in capability: the field is 0 on GCN 1.1, 1 on GCN 1.2, 2 on GCN 1.4
	vectorCacheKiB = 16
	gpuCacheType   = 9     // flags of a cache: data, of a GPU
	busLocation    = 0x400 // 04:00.0, the slot that PCI returns
	renderMinor    = 128
	computeQueues  = 24
	sdmaEngines    = 2
	gwsResources   = 64
)

// Topology returns the files of /dev/kfd's topology by path: a node for the CPU, one for the GPU and the link between
// them. It is nil if [Device.HasKFD] is false. Source: kfd_topology.c, and the code of libhsakmt and ROCr that reads
// the files.
func (d *Device) Topology() map[string]string {
	if !d.HasKFD() {
		return nil
	}
	link := func(from, to int) string {
		return lines(property{"type", linkPCIe}, property{"version_major", 0}, property{"version_minor", 0},
			property{"node_from", from},
			property{"node_to", to}, property{"weight", 20}, property{"min_latency", 0}, property{"max_latency", 0},
			property{"min_bandwidth", 0}, property{"max_bandwidth", 0}, property{"recommended_transfer_size", 0},
			property{"flags", 1})
	}
	bank := func(heap int, size uint64, bits, mhz int) string {
		return lines(property{"heap_type", heap}, property{"size_in_bytes", size}, property{"flags", 0},
			property{"width", bits},
			property{"mem_clk_max", mhz})
	}
	const cpu, gpu = topologyDir + "nodes/0/", topologyDir + "nodes/1/"
	return map[string]string{
		topologyDir + "generation_id": "2\n",
		topologyDir + "system_properties": lines(property{"platform_oem", 0}, property{"platform_id", 0},
			property{"platform_rev", 0}),
		cpu + "gpu_id":                 "0\n",
		cpu + "name":                   "\n",
		cpu + "properties":             d.cpuProperties(),
		cpu + "mem_banks/0/properties": bank(heapSystem, hostMemory, 64, 2133),
		cpu + "io_links/0/properties":  link(0, 1),
		gpu + "gpu_id":                 fmt.Sprintf("%d\n", gpuID),
		gpu + "name":                   d.chip.Name + "\n",
		gpu + "properties":             d.gpuProperties(),
		gpu + "mem_banks/0/properties": bank(heapPublic, d.vramBytes(), 2048, memoryMHz),
		gpu + "io_links/0/properties":  link(1, 0),
		gpu + "caches/0/properties": lines(property{"processor_id_low", uint32(firstSIMD)}, property{"level", 1},
			property{"size", vectorCacheKiB},
			property{"cache_line_size", 64}, property{"cache_lines_per_tag", 1}, property{"association", 4},
			property{"latency", 0},
			property{"type", gpuCacheType}, property{"sibling_map", 1}),
	}
}

// nodeNames are the properties of every node, in the kernel's order. A property that a node does not set is 0.
var nodeNames = []string{
	"cpu_cores_count", "simd_count", "mem_banks_count", "caches_count", "io_links_count", "p2p_links_count",
	"cpu_core_id_base",
	"simd_id_base", "max_waves_per_simd", "lds_size_in_kb", "gds_size_in_kb", "num_gws", "wave_front_size", "array_count",
	"simd_arrays_per_engine", "cu_per_simd_array", "simd_per_cu", "max_slots_scratch_cu", "gfx_target_version",
	"vendor_id",
	"device_id", "location_id", "domain", "drm_render_minor", "hive_id", "num_sdma_engines", "num_sdma_xgmi_engines",
	"num_sdma_queues_per_engine", "num_cp_queues", "max_engine_clk_fcompute", "local_mem_size", "fw_version", "capability",
	"debug_prop", "sdma_fw_version", "unique_id", "max_engine_clk_ccompute",
}

// node formats the properties of a node.
func node(values map[string]uint64) string {
	list := make([]property, len(nodeNames))
	for i, name := range nodeNames {
		list[i] = property{name, values[name]}
	}
	return lines(list...)
}

func (d *Device) cpuProperties() string {
	return node(map[string]uint64{
		"cpu_cores_count": 1, "mem_banks_count": 1, "io_links_count": 1, "max_engine_clk_ccompute": hostMHz,
	})
}

// gpuProperties describes the GPU. An APU is also a node without CPU cores, because otherwise libhsakmt would use the
// path of IOMMUv2.
func (d *Device) gpuProperties() string {
	id, t := d.chip.Identity, isa.TraitsOf(d.chip.Target)
	cus := uint64(id.SEs * id.SHs * id.CUs)
	version := uint64(t.Version[0]*10000 + t.Version[1]*100 + t.Version[2])
	doorbell := uint64(t.Version[0] - 7)
	gws := uint64(0)
	if d.hasGWS() {
		gws = gwsResources
	}
	return node(map[string]uint64{
		"simd_count": simdsPerCU * cus, "mem_banks_count": 1, "caches_count": 1, "io_links_count": 1,
		"simd_id_base":       firstSIMD,
		"max_waves_per_simd": wavesPerSIMD, "lds_size_in_kb": 64, "wave_front_size": 64,
		"num_gws":                gws,
		"array_count":            uint64(id.SEs * id.SHs),
		"simd_arrays_per_engine": uint64(id.SHs), "cu_per_simd_array": uint64(id.CUs), "simd_per_cu": simdsPerCU,
		"max_slots_scratch_cu": scratchSlots, "gfx_target_version": version, "vendor_id": pciVendor,
		"device_id":   uint64(id.PCI),
		"location_id": busLocation, "drm_render_minor": renderMinor, "num_sdma_engines": sdmaEngines,
		"num_sdma_queues_per_engine": 2,
		"num_cp_queues":              computeQueues, "max_engine_clk_fcompute": uint64(d.engineMHz()), "fw_version": firmware,
		"capability": watchPoints | doorbell<<doorbellShift, "sdma_fw_version": sdmaFirmware,
		"max_engine_clk_ccompute": hostMHz,
	})
}

// hasGWS reports whether user-mode queues may use global wave sync. The kernel driver offers it from GCN 1.4 on.
// Source: kfd_gws_init.
func (d *Device) hasGWS() bool { return isa.TraitsOf(d.chip.Target).Apertures }
