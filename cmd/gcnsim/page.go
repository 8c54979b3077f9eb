package main

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gcnsim/gcnsim/cmd/internal/cli"
	"github.com/gcnsim/gcnsim/internal/sim/compare"
	"github.com/gcnsim/gcnsim/page"
)

func pageCommand() *cobra.Command {
	port := uint16(8000)
	var dir string
	cmd := &cobra.Command{
		Use:   "page",
		Short: "Serve the page on which one writes programs, runs them and steps through them",
		Long: `Serve the page on which one writes programs, runs them and steps through them, to browsers of this machine alone.

It prints the address on standard output, and on standard error a line for each run and for what goes wrong. Ctrl-C ends it, with exit status 130.`,
		Args: cli.Arguments(0, 0, "none"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			cli.Leaves(cmd, func() string { return "the page is not served any more" })
			return cli.Wrong(page.Serve(cmd.Context(), port, lessonsIn(dir), cmd.OutOrStdout(), cmd.ErrOrStderr()))
		},
	}
	cli.NumberFlag(cmd, &port, "port", 0, math.MaxUint16, "port of this machine; 0 takes a free one")
	lessonsFlag(cmd, &dir)
	return cmd
}

// lessonsFlag adds --lessons to cmd.
func lessonsFlag(cmd *cobra.Command, dir *string) {
	cmd.Flags().StringVar(dir, "lessons", "", "directory of lessons, a file NAME.md each (default: those of the page)")
}

// lessonsIn returns the directory as a file system, or nil if dir is "": the page's own lessons.
func lessonsIn(dir string) fs.FS {
	if dir == "" {
		return nil
	}
	return os.DirFS(dir)
}

func gradeCommand() *cobra.Command {
	var dir, form string
	cmd := &cobra.Command{
		Use:   "grade HANDIN...",
		Short: "Judge hand-in files of the page: which exercises they solve",
		Long: `Judge hand-in files of the page: which exercises they solve.

The programs of a hand-in run again, and are judged as the page judges them; what the file says of itself does not
count. Text lists each exercise, CSV and JUnit have a row or a test for each. The status is 1 if one is not solved.`,
		Example: `  gcnsim grade --format=csv handins/*.json > marks.csv
  gcnsim grade --lessons=course/ handin.json`,
		Args: cli.Arguments(1, -1, "hand-in files"),
		RunE: func(cmd *cobra.Command, args []string) error {
			var all []*cli.Result
			for _, name := range args {
				file, err := os.ReadFile(name)
				if err != nil {
					return cli.Wrong(err)
				}
				marks, err := page.Grade(cmd.Context(), lessonsIn(dir), file)
				if err != nil {
					return cli.Wrong(fmt.Errorf("%s: %w", name, err))
				}
				for i := range marks {
					all = append(all, resultOfMark(name, &marks[i], form == "csv"))
				}
			}
			if form == "csv" {
				form = "text"
				fmt.Fprintln(cmd.OutOrStdout(), "file,lesson,exercise,solved,says")
			}
			return cli.Results(cmd.OutOrStdout(), "gcnsim grade", "exercises", all, form)
		},
	}
	lessonsFlag(cmd, &dir)
	cli.ChoiceFlag(cmd, &form, "format", "text, csv or junit (default text)", []string{"text", "csv", "junit"})
	return cmd
}

// resultOfMark formats the mark of a file as a row of CSV (table) or as a line for people.
func resultOfMark(file string, m *page.Mark, table bool) *cli.Result {
	r := &cli.Result{Name: fmt.Sprintf("%s/%s/%d", file, m.Lesson, m.Exercise), Verdict: compare.Different}
	sign := "no "
	if m.Solved {
		r.Verdict, sign = compare.Same, "yes"
	}
	r.Text = func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "%s  %s  %s, exercise %d: %s\n", sign, file, m.Lesson, m.Exercise, m.Say)
		return err
	}
	if table {
		r.Text = func(w io.Writer) error {
			c := csv.NewWriter(w)
			err := c.Write([]string{file, m.Lesson, strconv.Itoa(m.Exercise), strings.TrimSpace(sign), m.Say})
			c.Flush()
			return errors.Join(err, c.Error())
		}
	}
	return r
}
