// Measure executes the kernels of package boards and prints the time model's predictions beside the measured figures.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/gcnsim/gcnsim/cmd/internal/boards"
	"github.com/gcnsim/gcnsim/cmd/internal/boards/run"
	"github.com/gcnsim/gcnsim/internal/sim/timing"
	"github.com/gcnsim/gcnsim/internal/tool/files"
)

func main() {
	only := flag.String("only", "", "only figures whose id, board, kernel or class contains this")
	set := flag.String("set", "", "change parameters of the time model, as in RowCycle=48,NoCache=true")
	write := flag.Bool("write", false, "write predicted.tsv, docs/TIMING.md and docs/timing.svg, from the root of "+
		"the module; figures that -only leaves out keep their predictions")
	file := flag.String("figures", "", "compare the figures of this file, as examples/probe writes it, with the time "+
		"model")
	fits := flag.Bool("fit", false, "fit the parameters without one board at a time, and predict that board; with "+
		"-write also into docs/TIMING.md")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := measure(ctx, os.Stdout, *only, *set, *file, *write, *fits)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func measure(ctx context.Context, w io.Writer, only, set, file string, write, fits bool) error {
	change, err := changes(set)
	if err != nil {
		return err
	}
	if fits {
		return fitAll(ctx, w, write)
	}
	known, err := figures(file)
	if err != nil {
		return err
	}
	var all []boards.Figure
	var at []int // indices in known
	for i, f := range known {
		if f.Comparable() && strings.Contains(strings.Join([]string{f.ID, f.Board, f.Kernel, f.Class()}, " "), only) {
			all, at = append(all, f), append(at, i)
		}
	}
	notes, err := predict(ctx, all, change)
	if err != nil {
		return err
	}
	for i := range all {
		f := &all[i]
		known[at[i]] = *f
		fmt.Fprintf(w, "%-5s %-15s %-16s %9.2f %9.2f %-7s %+6.1f %%  %s\n", f.ID, f.Board, f.Kernel, f.Measured,
			f.Predicted, f.Unit, 100*f.Error(), notes[i])
	}
	s := boards.Summarize(all)
	fmt.Fprintf(w, "%d figures: median error %.1f %%, worst %.1f %%, %.0f %% within 15 %%\n", s.N, 100*s.Median,
		100*s.Worst, 100*s.Within)
	if !write || file != "" {
		return nil
	}
	all = slices.DeleteFunc(known, func(f boards.Figure) bool { return !f.Comparable() })
	var text strings.Builder
	text.WriteString("id\tpredicted\tkept by\n")
	for i := range all {
		fmt.Fprintf(&text, "%s\t%.2f\t%s\n", all[i].ID, all[i].Predicted, all[i].Kept)
	}
	if err := files.Write("cmd/internal/boards/predicted.tsv", []byte(text.String())); err != nil {
		return err
	}
	if err := files.Write("docs/timing.svg", []byte(boards.Plot(all))); err != nil {
		return err
	}
	return boards.Replace("docs/TIMING.md", "figures", boards.Report(all))
}

// figures reads figures from a file, or from the built-in table if file is "".
func figures(file string) ([]boards.Figure, error) {
	if file == "" {
		return boards.Figures(), nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return boards.ParseFigures(string(text))
}

// changes parses the flag -set.
func changes(set string) (func(*timing.Params), error) {
	values := map[string]int64{}
	for part := range strings.SplitSeq(set, ",") {
		name, text, ok := strings.Cut(part, "=")
		if !ok {
			continue
		}
		value, err := strconv.ParseInt(strings.NewReplacer("true", "1", "false", "0").Replace(text), 10, 64)
		if err != nil {
			return nil, err
		}
		if err := new(timing.Params).Set(name, value); err != nil {
			return nil, err
		}
		values[name] = value
	}
	return func(p *timing.Params) {
		for name, value := range values {
			_ = p.Set(name, value) // the value was accepted above
		}
	}, nil
}

// predict sets the predictions of figures and returns explanations: why memory is slower than its peak, or what
// instructions wait for.
func predict(ctx context.Context, all []boards.Figure, change func(*timing.Params)) ([]string, error) {
	notes := make([]string, len(all))
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i := range all {
		g.Go(func() error {
			v, res, err := run.Predict(ctx, &all[i], change)
			if err != nil {
				return fmt.Errorf("%s: %w", all[i].ID, err)
			}
			all[i].Predicted = math.Round(100*v) / 100 // predicted.tsv has this precision
			all[i].Kept = res.Band().Class
			notes[i] = explain(&all[i], res)
			return nil
		})
	}
	return notes, g.Wait()
}

// explain selects the metrics that explain a figure.
func explain(f *boards.Figure, res *timing.Result) string {
	names := []string{"DRAMEfficiency", "DRAMRowMiss", "L2CacheHit", "L2ChannelWait", "MemUnitBusy"}
	if f.Class() == boards.Arithmetic {
		names = []string{"VALUBusy"}
	}
	var all []string
	for _, m := range res.Metrics {
		for _, name := range names {
			if m.Name == name {
				all = append(all, fmt.Sprintf("%s %.1f", name, m.Value))
			}
		}
	}
	return f.Kept + ": " + strings.Join(all, ", ")
}
