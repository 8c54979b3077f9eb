package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gcnsim/gcnsim/gcn/tile"
	"github.com/gcnsim/gcnsim/internal/gpu"
)

func gpuCommand() *cobra.Command {
	var o gpu.Options
	cmd := &cobra.Command{
		Use:   "gpu --chip=C [flags] -- PROGRAM [ARG...]",
		Short: "Run a Vulkan or OpenCL program with a virtual Radeon",
		Long: `Run a Vulkan or OpenCL program with a virtual Radeon.

The program is any that uses Mesa's drivers; it and all processes that it starts see one card, whose shaders run on the simulator. What it
prints is untouched. The exit status is the program's.`,
		Example: `  gcnsim gpu --chip=hawaii -- vulkaninfo --summary
  gcnsim gpu --chip=fiji -- clinfo`,
		Args: arguments(1, -1, "a program and its arguments, after --"),
		RunE: func(cmd *cobra.Command, args []string) error {
			endsItself(cmd)
			status, err := gpu.Run(cmd.Context(), &o, args, cmd.ErrOrStderr())
			switch {
			case err != nil:
				return wrong(fmt.Errorf("gcnsim gpu: %w", err))
			case status != exitOK:
				return exited(status)
			}
			return nil
		},
	}
	cmd.Flags().SetInterspersed(false) // what follows the program is its own
	cmd.Flags().StringVar(&o.Chip, "chip", "", "which card: "+strings.Join(tile.Chips(), ", "))
	completes(cmd, "chip", tile.Chips()...)
	_ = cmd.MarkFlagRequired("chip") // the flag is there
	cmd.Flags().StringVar(&o.Log, "log", "", "file of what the program asked the device and got no answer to")
	return cmd
}
