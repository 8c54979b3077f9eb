package device

// PCI is the identity of a device in sysfs.
type PCI struct {
	Driver         string // name of the kernel driver
	Vendor, Device uint16
	Revision       uint8
	Slot           string // such as 0000:04:00.0
}

// pciVendor is the PCI vendor number of AMD.
const pciVendor = 0x1002

// PCI returns the device's PCI identity.
func (d *Device) PCI() PCI {
	return PCI{Driver: driverName, Vendor: pciVendor, Device: d.chip.Identity.PCI, Revision: d.chip.Identity.PCIRev,
		Slot: "0000:04:00.0"}
}
