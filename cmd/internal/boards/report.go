package boards

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/gcnsim/gcnsim/internal/tool/files"
	"github.com/gcnsim/gcnsim/internal/tool/svg"
)

// Lines describes how accurate the predictions for some boards are, with one line for each class and board. It is nil
// if there are no figures.
func Lines(names []string) (all []string) {
	for _, name := range names {
		for _, class := range Classes {
			some := slices.DeleteFunc(Compared(), func(f Figure) bool { return f.Board != name || f.Class() != class })
			if s := Summarize(some); s.N > 0 {
				all = append(all, fmt.Sprintf("%-15s %-18s figures %2d, off by %4.1f %% in the median, %4.1f %% at most", name,
					class, s.N, 100*s.Median, 100*s.Worst))
			}
		}
	}
	return all
}

// Report returns the tables of docs/TIMING.md in Markdown: by class, by board, and figure
// by figure.
func Report(all []Figure) string {
	var b strings.Builder
	summary := func(name string, some []Figure) {
		s := Summarize(some)
		fmt.Fprintf(&b, "| %s | %d | %.1f %% | %.1f %% | %.0f %% |\n", name, s.N, 100*s.Median, 100*s.Worst, 100*s.Within)
	}
	b.WriteString("| class or board | figures | median error | worst | within 15 % |\n|---|---|---|---|---|\n")
	for _, class := range Classes {
		summary(class, slices.DeleteFunc(slices.Clone(all), func(f Figure) bool { return f.Class() != class }))
	}
	for _, name := range boardsOf(all) {
		summary("`"+name+"`", slices.DeleteFunc(slices.Clone(all), func(f Figure) bool { return f.Board != name }))
	}
	for _, set := range sets {
		summary(set.name, slices.DeleteFunc(slices.Clone(all), func(f Figure) bool { return !set.has(&f) }))
	}
	summary("**all**", all)
	bands, held := Bands(all)
	b.WriteString("\n| what keeps the run | figures | 85 of 100 within |\n|---|---|---|\n")
	for _, x := range bands {
		fmt.Fprintf(&b, "| %s | %d | %d %% |\n", x.Class, x.Figures, x.Percent)
	}
	fmt.Fprintf(&b, "\nMade without its benchmark, a band holds for %.0f of 100 figures.\n", 100*held)
	b.WriteString("\n| figure | board, MHz | kernel | kept by | measured | predicted | unit | error " +
		"|\n|---|---|---|---|---|---|---|---|\n")
	for i := range all {
		f := &all[i]
		fmt.Fprintf(&b, "| %s | `%s`, %d | %s | %s | %s | %s | %s | %+.1f %% |\n", f.ID, f.Board, f.MHz, f.Kernel, f.Kept,
			short(f.Measured), short(f.Predicted), f.Unit, 100*f.Error())
	}
	return b.String()
}

// sets are the sets of figures in the order in which they were added, by the first letter of their ids. Some of the
// first two were used for fitting the model; the third never was.
var sets = []struct {
	name string
	has  func(f *Figure) bool
}{
	{"first set", func(f *Figure) bool { return f.ID[0] == 's' }},
	{"second set", func(f *Figure) bool { return f.ID[0] == 'b' }},
	{"third set", func(f *Figure) bool { return f.ID[0] == 'c' }},
	{"third set, mixbench left out", func(f *Figure) bool { return f.ID[0] == 'c' && f.Benchmark != "mixbench-ro" }},
}

// short formats a number with three to five digits.
func short(v float64) string {
	if v >= 1000 {
		return fmt.Sprintf("%.0f", v)
	}
	return fmt.Sprintf("%.1f", v)
}

// boardsOf returns the boards of figures, in order.
func boardsOf(all []Figure) (names []string) {
	for i := range all {
		if !slices.Contains(names, all[i].Board) {
			names = append(names, all[i].Board)
		}
	}
	return names
}

// Sizes of the plot, in pixels.
const (
	plotLeft, plotRight, plotTop = 250.0, 40.0, 112.0
	plotWidth, plotRow, dotSize  = 900.0, 20.0, 5.0
	plotRange                    = 0.60 // the greatest error in the plot
)

// color returns the color of a class. Classes that are far apart share colors, and rows also name the class.
func color(class string) string { return svg.Hues[slices.Index(Classes, class)%len(svg.Hues)] }

// Plot draws the errors: a row for each board and class, a dot for each figure.
func Plot(all []Figure) string {
	var rows []string
	dots := map[string][]Figure{}
	for _, class := range Classes {
		for _, name := range boardsOf(all) {
			key := class + "\t" + name
			for i := range all {
				if all[i].Class() == class && all[i].Board == name {
					dots[key] = append(dots[key], all[i])
				}
			}
			if dots[key] != nil {
				rows = append(rows, key)
			}
		}
	}
	height := plotTop + plotRow*float64(len(rows)) + 44
	c := svg.New(plotWidth, height, "Predicted against measured",
		"The error of the time model for each published figure, by class of figure and board; the darker lines are at 0 "+
			"and at 15 percent either way.")
	var legend []svg.Entry
	for _, class := range Classes {
		legend = append(legend, svg.Entry{Fill: color(class), Text: class})
	}
	c.Legend(8, c.Heading(8, "Predicted against measured",
		"One dot a figure; right of 0 the model is too optimistic (latencies: too slow). Dots "+
			"above one another have about the same error.")+4, plotWidth-16, svg.Style{}, legend...)
	bottom := height - 40
	x := func(e float64) float64 {
		return plotLeft + (plotWidth-plotLeft-plotRight)*(min(max(e, -plotRange), plotRange)+plotRange)/(2*plotRange)
	}
	for e := -60; e <= 60; e += 5 {
		at := x(float64(e) / 100)
		stroke := svg.Grid
		if e == 0 || e == 15 || e == -15 {
			stroke = svg.Soft
		}
		c.Line(at, plotTop, at, bottom, stroke)
		if e%30 == 0 || stroke == svg.Soft {
			c.Text(at, bottom+18, svg.Style{Fill: svg.Soft, Anchor: "middle"},
				strings.Replace(fmt.Sprintf("%+d %%", e), "+0", "0", 1))
		}
	}
	before := ""
	for i, key := range rows {
		class, name, _ := strings.Cut(key, "\t")
		y := plotTop + plotRow*(float64(i)+0.5)
		if class != before {
			c.Line(8, y-plotRow/2, plotWidth-plotRight, y-plotRow/2, svg.Grid)
			c.Text(8, y+4, svg.Style{Fill: svg.Soft}, class)
			before = class
		}
		c.Text(plotLeft-12, y+4, svg.Style{Anchor: "end"}, name)
		var taken [][2]float64
		for _, f := range dots[key] {
			at := free(taken, math.Round(x(f.Error())), y)
			taken = append(taken, at)
			c.Rect(at[0]-dotSize/2, at[1]-dotSize/2, dotSize, dotSize, color(class))
		}
	}
	return c.String()
}

// free returns a position for a dot near x, y that is not on another dot: there, above, below, or farther along.
func free(taken [][2]float64, x, y float64) [2]float64 {
	const step = dotSize + 1
	for ; ; x += step {
		for _, dy := range []float64{0, -step, step} {
			at := [2]float64{x, y + dy}
			if !slices.ContainsFunc(taken, func(o [2]float64) bool {
				return math.Abs(o[0]-at[0]) < step &&
					math.Abs(o[1]-at[1]) < step
			}) {
				return at
			}
		}
	}
}

// Replace replaces the text between the lines <!-- name --> and <!-- /name --> of a file.
func Replace(path, name, text string) error {
	old, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	head, rest, ok := strings.Cut(string(old), "<!-- "+name+" -->\n")
	_, tail, closed := strings.Cut(rest, "<!-- /"+name+" -->\n")
	if !ok || !closed {
		return fmt.Errorf("%s has no lines <!-- %s --> and <!-- /%s -->", path, name, name)
	}
	return files.Write(path, []byte(head+"<!-- "+name+" -->\n\n"+text+"\n<!-- /"+name+" -->\n"+tail))
}
