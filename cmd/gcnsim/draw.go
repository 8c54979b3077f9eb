package main

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gcnsim/gcnsim/cmd/internal/cli"
	"github.com/gcnsim/gcnsim/gcn/chip"
	"github.com/gcnsim/gcnsim/internal/draw"
)

func drawCommand() *cobra.Command {
	var mcpu, out string
	cmd := &cobra.Command{
		Use:   "draw lds TEXT...",
		Short: "Draw what instructions of one's own do, as SVG",
		Long: `Draw what instructions of one's own do, as SVG. lds draws which bank of the LDS serves which lanes
in which clock.

TEXT are instructions, an argument or a line each. They run on one wave: v0 holds the number of the lane, M0 is all
ones, other registers are 0.`,
		Example: `  gcnsim draw lds --mcpu=fiji 'v_lshlrev_b32 v0, 3, v0' 'ds_read_b32 v1, v0' --out=banks.svg`,
		Args:    cli.Arguments(2, -1, "what to draw, lds, and instructions, an argument each"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if args[0] != "lds" {
				return fmt.Errorf("draw: unknown picture %q; known is lds", args[0])
			}
			if ext := filepath.Ext(out); ext != "" && !strings.EqualFold(ext, ".svg") {
				return fmt.Errorf("draw: --out=%s: pictures are SVG; give a name that ends in .svg", out)
			}
			target, err := chip.ParseTarget(mcpu)
			if err != nil {
				return err
			}
			picture, err := draw.LDS(cmd.Context(), target, strings.Join(args[1:], "\n"))
			switch {
			case err != nil:
				return cli.Wrong(err)
			case out != "":
				return cli.Wrong(picture.Save(out))
			}
			_, err = io.WriteString(cmd.OutOrStdout(), picture.String())
			return err
		},
	}
	cli.MCPUFlag(cmd, &mcpu, cli.MCPUUsage)
	_ = cmd.MarkFlagRequired("mcpu") // the flag is there
	cmd.Flags().StringVar(&out, "out", "", "the SVG `FILE`; without it standard output")
	cli.Writes(cmd, "out")
	cmd.ValidArgsFunction = cobra.FixedCompletions([]string{"lds"}, cobra.ShellCompDirectiveNoFileComp)
	return cmd
}
