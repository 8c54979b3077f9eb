package device

// PCI is the identity of a device in sysfs.
type PCI struct {
	Driver         string // of the kernel
	Vendor, Device uint16
	Revision       uint8
	Slot           string // as in 0000:04:00.0
}

// pciVendor is AMD.
const pciVendor = 0x1002

// PCI returns the device's place on the bus.
func (d *Device) PCI() PCI {
	return PCI{Driver: driverName, Vendor: pciVendor, Device: d.chip.Identity.PCI, Revision: d.chip.Identity.PCIRev,
		Slot: "0000:04:00.0"}
}
