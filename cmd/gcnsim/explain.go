package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gcnsim/gcnsim/cmd/internal/cli"
	"github.com/gcnsim/gcnsim/cmd/internal/listing"
	"github.com/gcnsim/gcnsim/cmd/internal/raster"
	"github.com/gcnsim/gcnsim/gcn/asm"
	"github.com/gcnsim/gcnsim/gcn/chip"
	"github.com/gcnsim/gcnsim/internal/draw"
	"github.com/gcnsim/gcnsim/internal/tool/files"
	"github.com/gcnsim/gcnsim/internal/tool/svg"
	"github.com/gcnsim/gcnsim/r600"
	"github.com/gcnsim/gcnsim/sim/explain"
)

func explainCommand() *cobra.Command {
	var mcpu, at, file string
	var drawn bool
	cmd := &cobra.Command{
		Use:   "explain inst|vsharp|tsharp|ssharp [WORD...|FILE.o]",
		Short: "Show the fields of an instruction or a descriptor and what they mean",
		Example: `  gcnsim explain --mcpu=fiji inst e0501000 80000100
  gcnsim explain inst kernel.o --at=vadd+0x10
  gcnsim explain --mcpu=fiji vsharp 00010000 00040000 00000100 00027fac`,
		Args: cli.Arguments(1, -1, "what to explain: inst, vsharp, tsharp or ssharp, and its words"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if !slices.Contains(explain.Kinds(), args[0]) {
				return fmt.Errorf("explain: unknown kind %q; known are inst, vsharp, tsharp, ssharp", args[0])
			}
			if len(args) == 2 && args[0] == "inst" {
				if isFile, err := listing.NamesFile(args[1], mcpu != ""); err != nil {
					return cli.Wrong(err)
				} else if isFile && drawn {
					return errors.New("--draw: it draws words; gcnsim run --draw draws the instruction of a kernel that runs")
				} else if isFile {
					return explainObject(cmd, args[1], at)
				}
			}
			if drawn {
				if err := raster.Suits(cmd.OutOrStdout(), file); err != nil {
					return fmt.Errorf("--draw: %w", err)
				}
			}
			switch {
			case at != "":
				return errors.New("--at chooses an instruction of an ELF file; give one instead of words, without --mcpu")
			case mcpu == "":
				return errors.New(`required flag(s) "mcpu" not set: an ELF file says its processor, words do not`)
			}
			if family, err := r600.ParseFamily(mcpu); err == nil {
				if drawn {
					return fmt.Errorf("--draw: %v is a family before GCN, of which there is no picture", family)
				}
				return explainBefore(cmd, family, args)
			}
			target, err := chip.ParseTarget(mcpu)
			if err != nil {
				return err
			}
			words, err := explainWords(cmd, args[1:])
			if err != nil {
				return cli.Wrong(err)
			}
			x, err := explain.Words(args[0], target, words)
			if err != nil {
				return cli.Wrong(err)
			}
			if _, err = io.WriteString(cmd.OutOrStdout(), x.String()); err != nil || !drawn {
				return err
			}
			picture, err := explainPicture(cmd, args[0], mcpu, words)
			if err != nil {
				return cli.Wrong(err)
			}
			return cli.Wrong(raster.Beside(cmd.OutOrStdout(), file, picture))
		},
	}
	cli.MCPUFlag(cmd, &mcpu, cli.MCPUUsage)
	cmd.Flags().BoolVar(&drawn, "draw", false, "draw, too, what words do: an instruction on the wave of gcnsim draw, a V#, "+
		"a T# or an S#; below the text on a terminal")
	cmd.Flags().StringVar(&file, "picture", "", "the SVG or PNG `FILE` of --draw")
	cli.Needs(cmd, "picture", "draw")
	cli.Writes(cmd, "picture")
	cmd.ValidArgsFunction = cobra.FixedCompletions(explain.Kinds(), cobra.ShellCompDirectiveNoFileComp)
	cmd.Flags().StringVar(&at, "at", "", "of an ELF file: the instruction at an `ADDRESS`, or at a symbol, as in "+
		"vadd+0x10")
	cmd.AddCommand(explainRuleCommand(), explainBlockCommand())
	return cmd
}

// explainPicture draws what words do.
func explainPicture(cmd *cobra.Command, kind, mcpu string, words []uint32) (*svg.Canvas, error) {
	d := drawing{mcpu: mcpu}
	if name := map[string]string{"vsharp": "swizzle", "tsharp": "tiles", "ssharp": "filter"}[kind]; name != "" {
		return d.descriptors(cmd, name, words)
	}
	target, err := chip.ParseTarget(mcpu)
	if err != nil {
		return nil, err
	}
	in, err := target.Decode(words)
	if err != nil {
		return nil, err
	}
	return draw.Of(draw.Program(cmd.Context(), target, asm.Format(in, asm.LLVM)), &draw.Only{})
}

// explainBefore explains a program for a chip before GCN.
func explainBefore(cmd *cobra.Command, family r600.Family, args []string) error {
	if args[0] != "inst" {
		return cli.Wrong(fmt.Errorf("%v, a family before GCN, has no %s: resources are numbers in its instructions", family,
			args[0]))
	}
	words, err := explainWords(cmd, args[1:])
	if err != nil {
		return cli.Wrong(err)
	}
	text, err := r600.Explain(family, words)
	if err != nil {
		return cli.Wrong(err)
	}
	_, err = io.WriteString(cmd.OutOrStdout(), text)
	return err
}

// explainObject explains the instructions of an ELF file, which says its processor.
func explainObject(cmd *cobra.Command, name, at string) error {
	src, name, err := cli.ReadAll(cmd, []string{name}, cli.MaxInputBytes)
	if err != nil {
		return err
	}
	text, err := listing.Explain(src, at)
	if err != nil {
		return cli.Wrong(listing.Located(name, err))
	}
	_, err = io.WriteString(cmd.OutOrStdout(), text)
	return err
}

// explainWords reads the machine words of args, or of standard input when there are none.
func explainWords(cmd *cobra.Command, args []string) ([]uint32, error) {
	src, name := strings.Join(args, " "), "<arguments>"
	if src == "" || src == "-" {
		all, in, err := cli.ReadAll(cmd, nil, cli.MaxTextBytes)
		if err != nil {
			return nil, err
		}
		src, name = files.String(all), in
	}
	words, _, err := listing.Words(src, 1)
	if err != nil {
		return nil, listing.Located(name, err)
	}
	return words, nil
}

func supportCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "support",
		Short: "Print which instructions decode and execute on which generation, as Markdown",
		Args:  cli.Arguments(0, 0, "none"),
		RunE:  func(cmd *cobra.Command, _ []string) error { return explain.WriteSupport(cmd.OutOrStdout()) },
	}
}
