package main

import (
	"errors"
	"fmt"
	"io"
	"sync/atomic"

	"github.com/spf13/cobra"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/gcn/asm"
	"github.com/gcnsim/gcnsim/internal/files"
	"github.com/gcnsim/gcnsim/internal/listing"
	"github.com/gcnsim/gcnsim/r600"
)

// textFlags are the flags of asm and dis.
type textFlags struct {
	mcpu, syntax string
	batch        bool
}

func (f *textFlags) add(cmd *cobra.Command) {
	mcpuFlag(cmd, &f.mcpu, mcpuUsage)
	cmd.Flags().StringVar(&f.syntax, "syntax", "llvm", "llvm or clrx")
	completes(cmd, "syntax", "llvm", "clrx")
	cmd.Flags().BoolVar(&f.batch, "batch", false, "each line stands alone and gives one line")
}

// errNoProcessor says that --mcpu is missing.
var errNoProcessor = errors.New(`required flag "mcpu" not set; give --mcpu=M, as in gfx803`)

// parse checks the flags; a wrong one is an error of the command line. given is false if
// the processor is not named.
func (f *textFlags) parse() (target gcn.Target, given bool, syntax asm.Syntax, err error) {
	if syntax, err = asm.ParseSyntax(f.syntax); err != nil {
		return 0, false, 0, err
	}
	if given = f.mcpu != ""; given {
		target, err = gcn.ParseTarget(f.mcpu)
	}
	return target, given, syntax, err
}

// translation is asm or dis.
type translation struct {
	whole func(t gcn.Target, s asm.Syntax, src string) (string, error) // a program
	line  func(t gcn.Target, s asm.Syntax, src string) (string, error)
	// object translates a file of compiled code, which names its processor, if not nil.
	object func(s asm.Syntax, src []byte) (gcn.Target, string, error)
	before func(f r600.Family, src string) (string, error) // a program of the chips before GCN
}

func (x *translation) run(cmd *cobra.Command, args []string, f *textFlags) error {
	target, given, syntax, err := f.parse()
	var unknown *gcn.UnknownTargetError
	if family, no := r600.ParseFamily(f.mcpu); no == nil && errors.As(err, &unknown) {
		whole, line := listing.Before(family, x.before)
		x, err = &translation{whole: whole, line: line}, nil
	}
	switch {
	case err != nil:
		return err
	case !given && (f.batch || x.object == nil):
		return errNoProcessor
	case f.batch:
		return x.batch(cmd, args, target, syntax)
	}
	src, name, err := readAll(cmd, args, maxTextBytes)
	if err != nil {
		return err
	}
	var text string
	switch {
	case x.object != nil && listing.IsObject(src):
		var from gcn.Target
		if from, text, err = x.object(syntax, src); err == nil && given && from != target {
			err = fmt.Errorf("it is for %v, but --mcpu is %v", from, target)
		}
	case !given:
		return errNoProcessor
	default:
		text, err = x.whole(target, syntax, files.String(src))
	}
	if err != nil {
		return wrong(listing.Located(name, err))
	}
	_, err = io.WriteString(cmd.OutOrStdout(), text)
	return err
}

// batch translates each line by itself.
func (x *translation) batch(cmd *cobra.Command, args []string, t gcn.Target, s asm.Syntax) error {
	in, _, err := open(cmd, args)
	if err != nil {
		return err
	}
	defer in.Close()
	var lines atomic.Int64
	leaves(cmd, func() string { return fmt.Sprintf("%d lines were translated", lines.Load()) })
	translate := func(line string) (string, error) { return x.line(t, s, line) }
	if err := listing.Batch(in, cmd.OutOrStdout(), translate, &lines); err != nil {
		return wrong(err)
	}
	return nil
}

func asmCommand() *cobra.Command {
	var flags textFlags
	x := &translation{whole: listing.Assemble, line: listing.AssembleLine, before: listing.AssembleBefore}
	cmd := &cobra.Command{
		Use:   "asm [FILE]",
		Short: "Assemble text to machine words",
		Example: `  echo 'buffer_load_dword v1, v0, s[0:3], 0 offen' | gcnsim asm --mcpu=fiji
  gcnsim asm --mcpu=gcn1.2 --syntax=clrx kernel.s`,
		Args: arguments(0, 1, "at most one FILE"),
		RunE: func(cmd *cobra.Command, args []string) error { return x.run(cmd, args, &flags) },
	}
	flags.add(cmd)
	return cmd
}

func disCommand() *cobra.Command {
	var flags textFlags
	x := &translation{whole: listing.Disassemble, line: listing.DisassembleLine, object: listing.DisassembleObject, before: listing.DisassembleBefore}
	cmd := &cobra.Command{
		Use:   "dis [FILE]",
		Short: "Disassemble machine words, or the code of an ELF file, to text",
		Example: `  echo e0501000 80000100 | gcnsim dis --mcpu=fiji
  gcnsim dis kernel.co`,
		Args: arguments(0, 1, "at most one FILE"),
		RunE: func(cmd *cobra.Command, args []string) error { return x.run(cmd, args, &flags) },
	}
	flags.add(cmd)
	return cmd
}
