package imgtest

import (
	"fmt"
	"strings"
)

// AddressVGPRs returns the number of address VGPRs of the instruction.
func (c *Call) AddressVGPRs() int {
	o, err := parse(c.Name)
	if err != nil {
		return 0
	}
	img := c.T.Fields(c.Target.Gen())
	_, n := c.parts(&o, &img)
	return n
}

// Registers in the instruction's text.
const (
	VDATA  = 0  // first data VGPR
	VADDR  = 64 // first address VGPR
	TSHARP = 8  // first SGPR of the T#
	SSHARP = 16 // first SGPR of the S#
)

// Asm returns the instruction in LLVM's syntax. Data starts at v0, addresses at v64, the T# at s8 and the S# at s16.
// LLVM writes eight SGPRs also with R128, and includes the status register of TFE but not the one of LWE.
func (c *Call) Asm() string {
	o, err := parse(c.Name)
	if err != nil {
		return c.Name
	}
	data := c.DataVGPRs()
	if c.TFE {
		data++
	}
	var text strings.Builder
	fmt.Fprintf(&text, "%s %s, %s, %s", c.Name, tuple("v", VDATA, data), tuple("v", VADDR, c.AddressVGPRs()),
		tuple("s", TSHARP, 8))
	if o.sampler() {
		text.WriteString(", " + tuple("s", SSHARP, 4))
	}
	fmt.Fprintf(&text, " dmask:0x%x", c.DMASK)
	for _, flag := range []struct {
		name string
		set  bool
	}{
		{"unorm", c.UNRM}, {"glc", c.GLC}, {"r128", c.R128}, {"a16", c.A16}, {"tfe", c.TFE}, {"lwe", c.LWE}, {"da", c.DA},
		{"d16", c.D16},
	} {
		if flag.set {
			text.WriteString(" " + flag.name)
		}
	}
	return text.String()
}

// tuple formats n registers from first on, such as "v[0:3]".
func tuple(file string, first, n int) string {
	if n == 1 {
		return fmt.Sprintf("%s%d", file, first)
	}
	return fmt.Sprintf("%s[%d:%d]", file, first, first+n-1)
}

// String describes the call for messages of tests.
func (c *Call) String() string {
	var b strings.Builder
	g := c.Target.Gen()
	fmt.Fprintf(&b, "%v: %s\nT# %08x %v\n%+v\n", c.Target, c.Asm(), [8]uint32(c.T), c.T, c.T.Fields(g))
	if o, err := parse(c.Name); err == nil && o.sampler() {
		fmt.Fprintf(&b, "S# %08x\n%+v\n", [4]uint32(c.S), c.S.Fields(g))
	}
	fmt.Fprintf(&b, "EXEC %016x, memory 0x%x, %d bytes", c.Exec, c.Mem.Base, len(c.Mem.Bytes))
	return b.String()
}
