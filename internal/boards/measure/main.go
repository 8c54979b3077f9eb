// Measure runs the kernels of package boards and prints what the model predicts against
// what boards measured.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/gcnsim/gcnsim/internal/boards"
	"github.com/gcnsim/gcnsim/sim/timing"
)

func main() {
	only := flag.String("only", "", "only figures whose line contains this")
	set := flag.String("set", "", "parameters, as in RowCycle=48,DRAMQueue=32")
	flag.Parse()
	all := boards.Figures()
	type result struct{ text string }
	out := make([]string, len(all))
	var wg sync.WaitGroup
	slots := make(chan bool, 2)
	var mu sync.Mutex
	var errs []float64
	for i := range all {
		f := &all[i]
		line := fmt.Sprintf("%s %s %s", f.ID, f.Board, f.Kernel)
		if !f.Comparable() || !strings.Contains(line+" "+f.Class(), *only) {
			continue
		}
		wg.Add(1)
		slots <- true
		go func() {
			defer func() { <-slots; wg.Done() }()
			start := time.Now()
			v, res, err := f.Predict(context.Background(), func(p *timing.Params) {
				for _, kv := range strings.Split(*set, ",") {
					if k, v, ok := strings.Cut(kv, "="); ok {
						var n int64
						fmt.Sscan(v, &n)
						if err := p.Set(k, n); err != nil {
							fmt.Fprintln(os.Stderr, err)
							os.Exit(1)
						}
					}
				}
			})
			if err != nil {
				out[i] = line + ": " + err.Error()
				return
			}
			f.Predicted = v
			mu.Lock()
			errs = append(errs, f.Error())
			mu.Unlock()
			extra := ""
			extra = fmt.Sprintf("lines a row %.2f", float64(res.DRAM.Reads+res.DRAM.Writes)/float64(res.DRAM.Rows))
			out[i] = fmt.Sprintf("%-28s %-18s %10.2f %10.2f %6.1f%% %s %.1fs", line, f.Class(), f.Measured, v, 100*f.Error(), extra, time.Since(start).Seconds())
		}()
	}
	wg.Wait()
	for _, s := range out {
		if s != "" {
			fmt.Println(s)
		}
	}
	_ = errs
}
