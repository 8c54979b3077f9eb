package r600

import (
	"fmt"

	"github.com/gcnsim/gcnsim/internal/enum"
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

var _ = enum.Full[Family](familyNames[:])

// String returns the name that [ParseFamily] takes.
func (f Family) String() string { return enum.Name(familyNames[:], f) }

// chips are the processors of each family under the names that LLVM and drivers use.
var chips = [families][]string{
	R600:      {"r600", "r630", "rs780", "rs880", "rv610", "rv620", "rv630", "rv635", "rv670"},
	R700:      {"r700", "rv710", "rv730", "rv740", "rv770"},
	Evergreen: {"evergreen", "cedar", "redwood", "juniper", "cypress", "hemlock", "palm", "sumo", "sumo2", "barts", "turks", "caicos"},
	Cayman:    {"cayman", "aruba"},
}

var _ = enum.Full[Family](chips[:])

// ParseFamily returns the family of a chip, as in rv770 or redwood. The error is an *[Error]
// of kind [UnknownChip].
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
	advice := "give one of R600 to Cayman, as in rv770"
	if meant := nearest.Name(); meant != "" {
		advice = "did you mean " + meant + "?"
	}
	return 0, &Error{Kind: UnknownChip, What: fmt.Sprintf("unknown chip %q; %s", name, advice)}
}
