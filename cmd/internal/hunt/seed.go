package hunt

import (
	"errors"
	"os"
	"strconv"
)

// SeedFlag is the flag for the seed of the first program, or for a directory of kernels.
type SeedFlag struct {
	*Hunt
	text string
}

// Set takes a number as the seed, and all else as a directory.
func (s *SeedFlag) Set(text string) error {
	s.text = text
	if n, err := strconv.ParseUint(text, 10, 63); err == nil {
		s.Seed, s.Seeded = n, true
		return nil
	}
	if is, err := os.Stat(text); err != nil || !is.IsDir() {
		return errors.New("give a number below 9223372036854775808, or a directory of kernels")
	}
	s.Kernels = text
	return nil
}

// String returns what was given last.
func (s *SeedFlag) String() string { return s.text }

// Type is the name of a value in help.
func (*SeedFlag) Type() string { return "N|DIR" }
