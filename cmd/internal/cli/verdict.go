package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gcnsim/gcnsim/cmd/internal/request"
	"github.com/gcnsim/gcnsim/internal/sim/codeobj"
	"github.com/gcnsim/gcnsim/internal/sim/compare"
	"github.com/gcnsim/gcnsim/internal/verdict"
)

// IsObject reports whether a file is a code object, a code object's text, or a bundle.
func IsObject(name string) bool {
	data, err := ReadFile(name)
	return err == nil && (codeobj.IsObject(data) || codeobj.IsAssembly(data))
}

// incomparable writes, in the given format, that programs cannot be compared. It returns the error with which the
// command ends. An interrupt or a wrong flag is returned without writing.
func incomparable(out io.Writer, names []string, failed error, form string) (err error) {
	usage := (*request.FlagError)(nil)
	switch {
	case errors.Is(failed, context.Canceled), errors.As(failed, &usage):
	case form == "json":
		err = verdict.WriteNoVerdict(out, failed)
	case form == "sarif":
		err = writeSARIF(out,
			[]*Result{{Name: "programs", Alerts: []Alert{{noVerdict, "error", failed.Error(), "", names[0]}}}})
	case form == "junit":
		all := []*Result{{Name: "programs", Text: func(w io.Writer) error {
			_, err := fmt.Fprintln(w, failed)
			return err
		}}}
		err = writeJUnit(out, diffSuite(names), strings.Join(names[1:], " "), all)
	default:
		_, err = fmt.Fprintln(out, "no verdict: the programs cannot be compared")
	}
	return Wrong(errors.Join(failed, err))
}

// Compare executes a comparison, unless failed, the error of preparing it, is not nil. It prints the result for
// people or as JSON. The error is [ErrFailed] if the programs differ, or an error of usage or of the input if they
// cannot be compared.
func Compare(cmd *cobra.Command, r *request.DiffRequest, failed error, asJSON bool) error {
	out := cmd.OutOrStdout()
	var res *verdict.Comparison
	if failed == nil {
		p := ProgressOf(cmd)
		r.Progress = p.Tell
		res, failed = r.Run(cmd.Context())
		p.End()
	}
	if failed != nil {
		return incomparable(out, nil, failed, map[bool]string{true: "json"}[asJSON])
	}
	write := res.Write
	if asJSON {
		write = func(w io.Writer) error { return res.WriteJSON(w) }
	}
	if err := write(out); err != nil {
		return Wrong(err)
	}
	switch v, _ := res.Verdict(); v {
	case compare.Different:
		return Differing{[]string{kindOf(&res.Result)}}
	case compare.NoVerdict:
		return Exited(ExitNoVerdict)
	}
	return nil
}
