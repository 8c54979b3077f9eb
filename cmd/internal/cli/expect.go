package cli

import (
	"errors"
	"slices"

	"github.com/spf13/cobra"

	"github.com/gcnsim/gcnsim/internal/sim/compare"
	"github.com/gcnsim/gcnsim/internal/verdict"
)

// Differing ends a command like [ErrFailed], because programs differ. Kinds are the kinds of differences, as in JSON.
type Differing struct{ Kinds []string } // as JSON has them

func (Differing) Error() string { return ErrFailed.Error() }

// Unwrap returns [ErrFailed].
func (Differing) Unwrap() error { return ErrFailed }

// expectations are the possible values of --expect.
var expectations = []string{compare.Same.String(), compare.Different.String(), verdict.KindMemory,
	verdict.KindFault, verdict.KindFindings, compare.NoVerdict.String()}

// ExpectFlag adds --expect to a command that compares.
func ExpectFlag(cmd *cobra.Command, into *string) {
	ChoiceFlag(cmd, into, "expect", "end with status 0 for this verdict and with 1 for others: same, different (or of one "+
		"kind: memory, fault, findings), none", expectations)
}

// Expected returns how a comparison ends if --expect states the verdict want, or "" if it does not. ended is how it
// would end without the flag. Errors of usage and interrupts are returned unchanged.
func Expected(cmd *cobra.Command, want string, ended error) error {
	var different Differing
	var status Exited
	var input *inputError
	got := []string{compare.Same.String()}
	switch {
	case want == "" || cmd.Context().Err() != nil:
		return ended
	case errors.As(ended, &different):
		got = slices.Concat(different.Kinds, []string{compare.Different.String()})
	case errors.As(ended, &input):
		cmd.PrintErrln(input)
		got = []string{compare.NoVerdict.String()}
	case errors.As(ended, &status):
		got = []string{compare.NoVerdict.String()}
	case ended != nil:
		return ended
	}
	if slices.Contains(got, want) {
		return nil
	}
	return ErrFailed
}
