package main

import (
	"errors"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gcnsim/gcnsim/cmd/internal/cli"
	"github.com/gcnsim/gcnsim/cmd/internal/listing"
)

func explainBlockCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "block FILE.o@ADDRESS|SYMBOL+OFFSET",
		Short:   "Show what machine code a block of instructions becomes",
		Example: "  gcnsim explain block kernel.o@vadd+0x40",
		Args:    cli.Arguments(1, 1, "an ELF file and a place in it, as in kernel.o@0x140"),
		RunE: func(cmd *cobra.Command, args []string) error {
			i := strings.LastIndexByte(args[0], '@')
			if i < 0 {
				return errors.New("explain block: give a place in the file, as in kernel.o@0x140 or kernel.o@vadd+0x40")
			}
			src, name, err := cli.ReadAll(cmd, []string{args[0][:i]}, cli.MaxInputBytes)
			if err != nil {
				return err
			}
			text, err := listing.Block(src, args[0][i+1:])
			if err != nil {
				return cli.Wrong(listing.Located(name, err))
			}
			_, err = io.WriteString(cmd.OutOrStdout(), text)
			return err
		},
	}
}
