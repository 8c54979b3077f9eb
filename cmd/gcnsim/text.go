package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"sync/atomic"

	"github.com/spf13/cobra"

	"github.com/gcnsim/gcnsim/cmd/internal/cli"
	"github.com/gcnsim/gcnsim/cmd/internal/listing"
	"github.com/gcnsim/gcnsim/internal/isa/asm"
)

// textCommand turns cmd into asm or dis. begin creates its translator.
func textCommand(cmd *cobra.Command, f *listing.Flags,
	begin func(*listing.Flags) (*listing.Translator, error), syntaxes ...string) *cobra.Command {
	cmd.Args = cli.Arguments(0, 1, "at most one FILE")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		x, err := begin(f)
		switch {
		case err != nil:
			return err
		case f.Batch:
			return batch(cmd, args, x)
		}
		src, name, err := cli.ReadAll(cmd, args, cli.MaxTextBytes)
		if _, _, no := listing.Words(strings.Join(args, ""), listing.Digits); errors.Is(err, fs.ErrNotExist) && no == nil {
			return cli.Wrong(fmt.Errorf("%w; machine words are read from a file or a pipe: echo %s | gcnsim %s --mcpu=fiji",
				err, args[0], cmd.Name()))
		}
		if err != nil {
			return err
		}
		text, err := x.Whole(name, src)
		switch {
		case errors.Is(err, listing.ErrNoProcessor), errors.Is(err, listing.ErrWords):
			return err
		case err != nil:
			return cli.Wrong(err)
		}
		_, err = io.WriteString(cmd.OutOrStdout(), text)
		return err
	}
	cli.MCPUFlag(cmd, &f.MCPU, cli.MCPUUsage)
	f.Syntax = asm.LLVM.String()
	cli.ChoiceFlag(cmd, &f.Syntax, "syntax", strings.Join(syntaxes, " or "), syntaxes)
	cmd.Flags().BoolVar(&f.Batch, "batch", false, "each line stands alone and gives one line")
	return cmd
}

// batch translates each line separately.
func batch(cmd *cobra.Command, args []string, x *listing.Translator) error {
	in, _, err := cli.Open(cmd, args)
	if err != nil {
		return err
	}
	defer in.Close()
	var lines atomic.Int64
	cli.Leaves(cmd, func() string { return fmt.Sprintf("%d lines were translated", lines.Load()) })
	return cli.Wrong(x.Batch(in, cmd.OutOrStdout(), &lines))
}

func asmCommand() *cobra.Command {
	var f listing.Flags
	cmd := textCommand(&cobra.Command{
		Use:   "asm [FILE]",
		Short: "Assemble text to machine words",
		Example: `  echo 'buffer_load_dword v1, v0, s[0:3], 0 offen' | gcnsim asm --mcpu=fiji
  gcnsim asm --mcpu=gcn1.2 --syntax=clrx kernel.s
  gcnsim asm --mcpu=gfx900 -I include --defsym WIDTH=64 kernel.s`,
	}, &f, listing.NewAssembler, asm.LLVM.String(), asm.CLRX.String(), listing.RDNA)
	cmd.Flags().StringArrayVarP(&f.Include, "include", "I", nil, "look in `DIR` for files that .include names; may be repeated")
	cmd.Flags().StringArrayVar(&f.Symbols, "defsym", nil, "define a symbol as an integer, `NAME=VALUE`; may be repeated")
	return cmd
}

func disCommand() *cobra.Command {
	var f listing.Flags
	cmd := textCommand(&cobra.Command{
		Use:   "dis [FILE]",
		Short: "Disassemble machine words, or the code of an ELF file, to text",
		Example: `  echo e0501000 80000100 | gcnsim dis --mcpu=fiji
  gcnsim dis -l --labels kernel.o`,
	}, &f, listing.NewDisassembler, asm.LLVM.String(), asm.CLRX.String())
	cmd.Flags().BoolVarP(&f.Lines, "lines", "l", false, "of an ELF file: source lines, also if it is not linked")
	cmd.Flags().BoolVar(&f.Addresses, "addresses", false,
		"of an ELF file: the address of each instruction, as findings and explain inst have it")
	cmd.Flags().BoolVar(&f.Labels, "labels", false, "of an ELF file: branches name labels")
	return cmd
}
