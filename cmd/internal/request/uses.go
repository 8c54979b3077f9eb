package request

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/gcnsim/gcnsim/internal/tool/files"
	"github.com/gcnsim/gcnsim/sim/spec"
)

// Claim adds the files of a specification to u. The error comes from [files.Uses.Writes]. It is allowed to dump an
// argument to the file that it was read from.
func Claim(req *spec.Dispatch, u *files.Uses, dir files.Dir) error {
	if err := claimReads(req, u, dir); err != nil {
		return err
	}
	for i, d := range req.Dump {
		if d.File == "" {
			continue
		}
		if err := u.Writes(dir.Path(d.File), fmt.Sprintf("dump[%d].file", i)); err != nil {
			return err
		}
	}
	return nil
}

// claimReads adds the files that the specification reads.
func claimReads(req *spec.Dispatch, u *files.Uses, dir files.Dir) error {
	read := func(name, by string, in ...any) error {
		if name == "" {
			return nil
		}
		return u.Reads(dir.Path(name), fmt.Sprintf(by, in...))
	}
	if err := read(req.Name, "code_object"); err != nil {
		return err
	}
	if h := req.TrapHandler; h != nil {
		if err := read(h.File, "trap_handler.file"); err != nil {
			return err
		}
	}
	for i, a := range req.Args {
		name := fileOf(&a)
		dumped := func(d spec.Dump) bool { return int(d.Arg) == i && d.File == name } // dumped to the same file
		if slices.ContainsFunc(req.Dump, dumped) {
			continue
		}
		if err := read(name, "args[%d]", i); err != nil {
			return err
		}
	}
	for i, e := range req.Expect {
		if err := read(e.File, "expect[%d].file", i); err != nil {
			return err
		}
	}
	return nil
}

// fileOf returns the name of the file from which an argument is read, or "".
func fileOf(a *spec.Arg) string {
	name := ""
	if a.Buffer != nil {
		name = a.Buffer.File
	}
	if a.Image != nil {
		name = cmp.Or(name, a.Image.File)
	}
	return name
}
