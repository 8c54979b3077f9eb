// Peers compares the processor time of nine OpenCL kernels on the virtual Radeon with the time that programs take which
// run OpenCL on the processor too: pocl, Mesa's llvmpipe and oclgrind. One host program starts the kernels everywhere.
// A launch costs what a run of many launches takes longer than a run of one, divided by their number: the start of the
// program and the compilation of the kernel are in both. The least of three counts, on one core.
package main

import (
	"errors"
	"flag"
	"fmt"
	"log"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

var kernels = []string{"vadd", "saxpy", "matmul", "histogram", "reduce", "mandelbrot", "bitonic", "filter", "nbody"}

// peer is an implementation that runs the host program.
type peer struct {
	name    string
	icd     string // the library of the driver, if its name is not enough
	env     []string
	command []string
	needs   string // the packages of Debian
	slow    bool   // a launch is long: the difference of a run with one launch and a run without is measured
}

func main() {
	if err := compare(); err != nil {
		log.Fatal(err)
	}
}

// compare measures and prints.
func compare() error {
	chip := flag.String("chip", "fiji", "the chip of the virtual Radeon")
	only := flag.String("kernels", strings.Join(kernels, ","), "the kernels to run")
	chosen := flag.String("peers", "pocl,llvmpipe,oclgrind", "what gcnsim is compared with; oclgrind takes minutes")
	flag.Parse()
	dir, err := os.MkdirTemp("", "peers")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	host, gcnsim := filepath.Join(dir, "host"), filepath.Join(dir, "gcnsim")
	if err := errors.Join(run("cc", "-O1", "-o", host, ".ci/peers/opencl/host.c", "-lOpenCL"),
		run("go", "build", "-o", gcnsim, "./cmd/gcnsim")); err != nil {
		return err
	}
	peers := []peer{
		{name: "gcnsim", icd: "libMesaOpenCL.so.1", command: []string{gcnsim, "gpu", "--chip=" + *chip, "--"},
			needs: "mesa-opencl-icd"},
		{name: "pocl", icd: "libpocl.so.2.10.0", env: []string{"POCL_MAX_PTHREAD_COUNT=1", "POCL_CACHE_DIR=" + dir},
			needs: "libpocl2"},
		{name: "llvmpipe", icd: "libRusticlOpenCL.so.1", env: []string{"RUSTICL_ENABLE=llvmpipe", "LP_NUM_THREADS=1"},
			needs: "mesa-opencl-icd"},
		{name: "oclgrind", command: []string{"oclgrind"}, needs: "oclgrind", slow: true},
	}
	peers = slices.DeleteFunc(peers, func(p peer) bool {
		return p.name != "gcnsim" && !slices.Contains(strings.Split(*chosen, ","), p.name)
	})
	times, sums := map[string]map[string]time.Duration{}, map[string]float64{}
	for _, p := range peers {
		times[p.name] = map[string]time.Duration{}
		for kernel := range strings.SplitSeq(*only, ",") {
			t, sum, err := p.measure(dir, host, kernel)
			if err != nil {
				fmt.Fprintf(os.Stderr, "%s does not run %s; it takes Debian's %s: %v\n", p.name, kernel, p.needs, err)
				continue
			}
			times[p.name][kernel] = t
			if want, ok := sums[kernel]; ok && math.Abs(sum-want) > 1e-3*math.Abs(want) { // some fuse products and sums
				return fmt.Errorf("%s: the result of %s adds up to %v, and elsewhere to %v", kernel, p.name, sum, want)
			}
			sums[kernel] = sum
		}
	}
	printTable(peers, strings.Split(*only, ","), times)
	return nil
}

// run runs a command; the error has what it printed.
func run(name string, args ...string) error {
	if out, err := exec.Command(name, args...).CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", name, err, out)
	}
	return nil
}

// measure returns the processor time of a launch, and what the result of one launch adds up to.
func (p *peer) measure(dir, host, kernel string) (best time.Duration, sum float64, err error) {
	first, sum, err := p.launch(dir, host, kernel, 1) // it compiles the kernel where compilations are kept
	if err != nil {
		return 0, 0, err
	}
	if p.slow {
		none, _, err := p.launch(dir, host, kernel, 0)
		return first - none, sum, err
	}
	best = math.MaxInt64
	for tries, launches := 0, 2; tries < 3; {
		one, _, err := p.launch(dir, host, kernel, 1)
		if err != nil {
			return 0, 0, err
		}
		many, _, err := p.launch(dir, host, kernel, launches)
		if err != nil {
			return 0, 0, err
		}
		if many-one < time.Second {
			launches *= 4
			continue
		}
		best = min(best, (many-one)/time.Duration(launches-1))
		tries++
	}
	return best, sum, nil
}

// launch runs the host program, and returns the processor time of all of it and what the result adds up to.
func (p *peer) launch(dir, host, kernel string, launches int) (used time.Duration, sum float64, err error) {
	args := slices.Concat(p.command, []string{host, ".ci/peers/opencl/kernels.cl", kernel, strconv.Itoa(launches)})
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Env = append(os.Environ(), "GOMAXPROCS=1")
	if p.icd != "" {
		icd := filepath.Join(dir, p.name+".icd")
		if err := os.WriteFile(icd, []byte(p.icd+"\n"), 0o600); err != nil {
			return 0, 0, err
		}
		cmd.Env = append(cmd.Env, "OCL_ICD_VENDORS="+icd)
	}
	cmd.Env = append(cmd.Env, p.env...)
	out, err := cmd.Output()
	if err != nil {
		return 0, 0, err
	}
	sum, err = strconv.ParseFloat(strings.TrimSpace(string(out)), 64)
	return cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), sum, err
}

// printTable prints the times of a launch, and of how many launches of a peer gcnsim takes the time.
func printTable(peers []peer, kernels []string, times map[string]map[string]time.Duration) {
	head, line := "| kernel |", "|---|"
	for _, p := range peers {
		head, line = head+" "+p.name+" |", line+"---|"
	}
	fmt.Printf("%s\n%s\n", head, line)
	product, count := map[string]float64{}, map[string]float64{}
	for _, kernel := range kernels {
		var row strings.Builder
		row.WriteString("| " + kernel + " |")
		own := times[peers[0].name][kernel]
		for i, p := range peers {
			t := times[p.name][kernel]
			switch {
			case t == 0:
				row.WriteString(" |")
				continue
			case i == 0 || own == 0:
				fmt.Fprintf(&row, " %.3g ms |", t.Seconds()*1e3)
				continue
			}
			ratio := own.Seconds() / t.Seconds()
			fmt.Fprintf(&row, " %.3g ms, %.2g |", t.Seconds()*1e3, ratio)
			product[p.name] += math.Log(ratio)
			count[p.name]++
		}
		fmt.Println(row.String())
	}
	var row strings.Builder
	row.WriteString("| geometric mean |")
	for _, p := range peers {
		if count[p.name] > 0 {
			fmt.Fprintf(&row, " %.2g", math.Exp(product[p.name]/count[p.name]))
		}
		row.WriteString(" |")
	}
	fmt.Println(row.String())
}
