package r600

import (
	"fmt"

	"github.com/gcnsim/gcnsim/internal/near"
)

// Family is a set of chips that have the same words.
type Family uint8

// The families. The numbers index tables.
const (
	R600 Family = iota
	R700
	Evergreen
	Cayman
	families = iota
)

var familyNames = [families]string{"r600", "r700", "evergreen", "cayman"}

// String returns the name that [ParseFamily] takes.
func (f Family) String() string { return familyNames[f] }

// chips are the processors of each family under the names that LLVM and drivers use.
var chips = [families][]string{
	R600:      {"r600", "r630", "rs780", "rs880", "rv610", "rv620", "rv630", "rv635", "rv670"},
	R700:      {"r700", "rv710", "rv730", "rv740", "rv770"},
	Evergreen: {"evergreen", "cedar", "redwood", "juniper", "cypress", "hemlock", "palm", "sumo", "sumo2", "barts", "turks", "caicos"},
	Cayman:    {"cayman", "aruba"},
}

// UnknownChipError says that no family has a chip of that name.
type UnknownChipError struct {
	Name string
	Near string // what may have been meant, "" if nothing is near
}

// Error names the chip.
func (e *UnknownChipError) Error() string {
	if e.Near != "" {
		return fmt.Sprintf("unknown chip %q; did you mean %s?", e.Name, e.Near)
	}
	return fmt.Sprintf("unknown chip %q; give one of R600 to Cayman, as in rv770", e.Name)
}

// ParseFamily returns the family of a chip, as in rv770 or redwood. The error is an
// *[UnknownChipError].
func ParseFamily(name string) (Family, error) {
	nearest := near.To(name)
	for f, names := range chips {
		for _, chip := range names {
			if chip == name {
				return Family(f), nil
			}
			nearest.Try(chip)
		}
	}
	return 0, &UnknownChipError{Name: name, Near: nearest.Name()}
}

// Chips returns the names that [ParseFamily] takes.
func Chips() []string {
	var all []string
	for _, names := range chips {
		all = append(all, names...)
	}
	return all
}
