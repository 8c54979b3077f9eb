package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gcnsim/gcnsim/cmd/internal/cli"
	"github.com/gcnsim/gcnsim/cmd/internal/listing"
	"github.com/gcnsim/gcnsim/internal/explain"
	"github.com/gcnsim/gcnsim/internal/isa/chip"
	"github.com/gcnsim/gcnsim/internal/r600"
	"github.com/gcnsim/gcnsim/internal/tool/files"
)

// words explains words.
func (x *explaining) words(cmd *cobra.Command, kind string, args []string) error {
	switch {
	case x.at != "":
		return errors.New("--at chooses an instruction of an ELF file; give one instead of words, without --mcpu")
	case x.mcpu == "":
		return errors.New(`required flag(s) "mcpu" not set: an ELF file says its processor, words do not`)
	}
	if family, err := r600.ParseFamily(x.mcpu); err == nil {
		return explainBefore(cmd, family, kind, args)
	}
	target, err := chip.ParseTarget(x.mcpu)
	if err != nil {
		return err
	}
	words, err := explainWords(cmd, args)
	if err != nil {
		return cli.Wrong(err)
	}
	text, err := explain.Words(kind, target, words)
	if err != nil {
		return cli.Wrong(err)
	}
	_, err = io.WriteString(cmd.OutOrStdout(), text.String())
	return err
}

// explainBefore explains a program for a chip older than GCN.
func explainBefore(cmd *cobra.Command, family r600.Family, kind string, args []string) error {
	if kind != "inst" {
		return cli.Wrong(fmt.Errorf("%v, a family before GCN, has no %s: resources are numbers in its instructions", family,
			kind))
	}
	words, err := explainWords(cmd, args)
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

// explainWords reads machine words from args. Without args, or with "-", it reads them from standard input.
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
