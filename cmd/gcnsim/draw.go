package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gcnsim/gcnsim/cmd/internal/cli"
	"github.com/gcnsim/gcnsim/cmd/internal/raster"
	"github.com/gcnsim/gcnsim/cmd/internal/request"
	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/gcn/tile"
	"github.com/gcnsim/gcnsim/internal/draw"
	"github.com/gcnsim/gcnsim/internal/isa/chip"
	"github.com/gcnsim/gcnsim/internal/tool/files"
	"github.com/gcnsim/gcnsim/internal/tool/svg"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/sim/spec"
)

// drawing has the flags and arguments of the command draw.
type drawing struct {
	mcpu, spec, pc, out string
}

// pictureNames returns the names of all pictures.
func pictureNames() []string {
	names := append(draw.Names(), draw.DescriptorNames()...)
	slices.Sort(names)
	return names
}

func drawCommand() *cobra.Command {
	var d drawing
	cmd := &cobra.Command{
		Use:   "draw lds|lines|exec|swizzle|tiles|filter|formats [TEXT...|WORD...]",
		Short: "Draw what instructions and descriptors of one's own do, as SVG or PNG",
		Long: `Draw what instructions and descriptors of one's own do, as SVG or PNG.

Of instructions lds draws which bank of the LDS serves which lanes in which clock, lines which lanes touch which cache
lines, and exec which lanes EXEC leaves on. TEXT are instructions, an argument or a line each. They run on one wave: v0
holds the number of the lane, M0 is all ones, s[0:3] are a V# of 64 KiB of memory, s[4:5] and v[2:3] its address, other
registers are 0. With --spec they are those of a dispatch, with --pc one of them.

Of descriptors swizzle draws where V# lay the records of 64 lanes, tiles in which order T# lay texels, filter what S#
make of four texels and five levels, formats which bits of an element of a V# or a T# are which component. WORD are
their words in hex.`,
		Example: `  gcnsim draw lds --mcpu=fiji 'v_lshlrev_b32 v0, 3, v0' 'ds_read_b32 v1, v0' --out=banks.svg
  gcnsim draw lines --mcpu=fiji 'v_lshlrev_b32 v0, 4, v0' 'buffer_load_dword v1, v0, s[0:3], 0 offen'
  gcnsim draw swizzle --mcpu=fiji 00010000 80100000 00000040 002a7fac --out=swizzle.png`,
		Args: cli.Arguments(1, -1, "what to draw, and instructions, an argument each, or words"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if !slices.Contains(pictureNames(), args[0]) {
				return fmt.Errorf("draw: unknown picture %q; known are %s", args[0], strings.Join(pictureNames(), ", "))
			}
			if err := raster.Named(d.out); err != nil {
				return fmt.Errorf("draw: --out=%s: %w", d.out, err)
			}
			picture, err := d.picture(cmd, args[0], args[1:])
			if err != nil {
				return err
			}
			return cli.Wrong(raster.Write(cmd.OutOrStdout(), d.out, picture))
		},
	}
	cli.MCPUFlag(cmd, &d.mcpu, cli.MCPUUsage)
	cmd.Flags().StringVar(&d.out, "out", "", "the SVG or PNG `FILE`; without it SVG on standard output")
	cmd.Flags().StringVar(&d.spec, "spec", "", "the instructions of the dispatch of this `FILE`, in place of a text")
	cmd.Flags().StringVar(&d.pc, "pc", "", "the instruction at a `PC` alone, as dis prints it, the first four times it executes")
	cli.Needs(cmd, "pc", "spec")
	cli.Reads(cmd, "spec")
	cli.Writes(cmd, "out")
	cmd.ValidArgsFunction = cobra.FixedCompletions(pictureNames(), cobra.ShellCompDirectiveNoFileComp)
	return cmd
}

// picture draws the picture for the command's arguments.
func (d *drawing) picture(cmd *cobra.Command, name string, args []string) (*svg.Canvas, error) {
	ofRun := draw.New(name)
	switch {
	case ofRun != nil && d.spec != "":
		run, err := d.dispatch(cmd, args)
		if err != nil {
			return nil, err
		}
		if d.pc != "" {
			pc, err := draw.ParsePC(d.pc)
			if err != nil {
				return nil, fmt.Errorf("--pc: %w", err)
			}
			ofRun = &draw.Only{PC: pc, Picture: ofRun}
		}
		c, err := draw.Of(run, ofRun)
		return c, cli.Wrong(err)
	case d.spec != "":
		return nil, fmt.Errorf("draw %s: --spec is of no use to it; known are %s", name,
			strings.Join(draw.Names(), ", "))
	case d.mcpu == "":
		return nil, errors.New(`required flag(s) "mcpu" not set: instructions and words do not say their processor`)
	case ofRun != nil && len(args) == 0:
		return nil, fmt.Errorf("draw %s: give instructions, an argument each, or --spec", name)
	}
	target, err := chip.ParseTarget(d.mcpu)
	if err != nil {
		return nil, err
	}
	if ofRun != nil {
		c, err := draw.Of(draw.Program(cmd.Context(), target, strings.Join(args, "\n")), ofRun)
		return c, cli.Wrong(err)
	}
	words, err := explainWords(cmd, args)
	if err != nil {
		return nil, cli.Wrong(err)
	}
	c, err := d.descriptors(cmd, name, target, words)
	return c, cli.Wrong(err)
}

// descriptors draws the descriptors in words.
func (d *drawing) descriptors(cmd *cobra.Command, name string, target gcn.Target, words []uint32) (*svg.Canvas, error) {
	return draw.Descriptors(cmd.Context(), name, &draw.Chip{Target: target, Tiling: func() (*tile.Registers, error) {
		if regs, _, err := spec.Chip(d.mcpu, target); err == nil {
			return regs, nil
		}
		return tile.ForTarget(target)
	}}, words)
}

// dispatch returns the execution of a specification, without writing its dumps.
func (d *drawing) dispatch(cmd *cobra.Command, args []string) (draw.Run, error) {
	if len(args) > 0 || d.mcpu != "" {
		return nil, errors.New("draw: --spec says what runs, and where: give no instructions and no --mcpu beside it")
	}
	text, name, err := cli.ReadAll(cmd, []string{d.spec}, cli.MaxInputBytes)
	if err != nil {
		return nil, err
	}
	return func(see func(*sim.Event)) error {
		req, err := spec.ParseDispatch(text)
		if err != nil {
			return request.Located(name, err)
		}
		req.Dump = nil
		_, err = req.Run(cmd.Context(), &spec.Options{Files: files.Dir(filepath.Dir(name)),
			Watch: func(*spec.Run) []sim.Watcher { return []sim.Watcher{sim.Observer(see)} }})
		return err
	}, nil
}
