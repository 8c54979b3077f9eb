package r600

import (
	"fmt"
	"strings"

	"github.com/gcnsim/gcnsim/internal/isa/chip"
	"github.com/gcnsim/gcnsim/internal/tool/enum"
	"github.com/gcnsim/gcnsim/internal/tool/near"
)

// Family is a set of chips with the same instruction encoding.
type Family uint8

// The families. The numbers index tables.
const (
	R600 Family = iota
	R700
	families = iota
)

var familyNames = [families]string{"r600", "r700"}

var _ = enum.Full[Family](familyNames[:])

// String returns the name, which [ParseFamily] accepts.
func (f Family) String() string { return enum.Name(familyNames[:], f) }

// ParseFamily returns the family of a chip, such as rv770 or RV610. The error is an *[Error] of kind [UnknownChip].
func ParseFamily(name string) (Family, error) {
	nearest := near.To(name)
	for f, names := range chip.BeforeGCN {
		for _, one := range names {
			if one == strings.ToLower(name) {
				return Family(f), nil
			}
			nearest.Try(one)
		}
	}
	advice := "give one of R600 or R700, as in rv770"
	if meant := nearest.Name(); meant != "" {
		advice = "did you mean " + meant + "?"
	}
	return 0, &Error{Kind: UnknownChip, What: fmt.Sprintf("unknown chip %q; %s", name, advice)}
}
