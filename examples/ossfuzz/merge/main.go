// Command merge adds inputs from Go's fuzz cache on this machine to the seeds of fuzz targets. It adds inputs that
// reach code which no smaller input reaches.
//
//	go run ./examples/ossfuzz/merge [-most N] [PACKAGE...]
package main

import (
	"bufio"
	"cmp"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

func main() {
	most := flag.Int("most", 200, "how many inputs of a target are tried, the smallest first; each costs a run of "+
		"its test")
	flag.Parse()
	patterns := flag.Args()
	if len(patterns) == 0 {
		patterns = []string{"./..."}
	}
	out, err := output(".", "go", append([]string{"list", "-f", "{{.ImportPath}} {{.Dir}}"}, patterns...)...)
	if err != nil {
		log.Fatal(err)
	}
	for line := range strings.Lines(out) {
		pkg, dir, _ := strings.Cut(strings.TrimSpace(line), " ")
		if err := mergePackage(pkg, dir, *most); err != nil {
			log.Fatalf("%s: %v", pkg, err)
		}
	}
}

// output runs a program in a directory and returns its output.
func output(dir, program string, args ...string) (string, error) {
	cmd := exec.Command(program, args...)
	cmd.Dir = dir
	out, err := cmd.Output()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		err = fmt.Errorf("%s %s: %w\n%s", program, strings.Join(args, " "), err, exit.Stderr)
	}
	return string(out), err
}

// mergePackage merges the targets of a package.
func mergePackage(pkg, dir string, most int) error {
	out, err := output(dir, "go", "test", "-vet=off", "-list", "^Fuzz", ".")
	if err != nil {
		return err
	}
	var targets []string
	for line := range strings.Lines(out) {
		if name := strings.TrimSpace(line); strings.HasPrefix(name, "Fuzz") {
			targets = append(targets, name)
		}
	}
	if len(targets) == 0 {
		return nil
	}
	temp, err := os.MkdirTemp("", "merge")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	t := target{pkg: pkg, dir: dir, test: filepath.Join(temp, "test"), profile: filepath.Join(temp, "profile")}
	if _, err := output(dir, "go", "test", "-c", "-covermode=set", "-coverpkg=./...,"+pkg, "-o", t.test,
		"."); err != nil {
		return err
	}
	for _, t.name = range targets {
		if err := t.merge(most); err != nil {
			return fmt.Errorf("%s: %w", t.name, err)
		}
	}
	return nil
}

// target is a fuzz target.
type target struct {
	pkg, dir, name string
	test, profile  string // the test program, and the file for its coverage
}

// input is a file in the fuzz cache.
type input struct {
	path string
	size int64
}

// cached returns the inputs in the cache, the smallest first.
func (t *target) cached() (all []input, err error) {
	cache, err := output(".", "go", "env", "GOCACHE")
	if err != nil {
		return nil, err
	}
	err = filepath.WalkDir(filepath.Join(strings.TrimSpace(cache), "fuzz", filepath.FromSlash(t.pkg), t.name),
		func(path string, d fs.DirEntry, err error) error {
			if errors.Is(err, fs.ErrNotExist) {
				return nil // the cache is empty
			} else if err != nil || d.IsDir() {
				return err
			}
			info, err := d.Info()
			if err == nil {
				all = append(all, input{path, info.Size()})
			}
			return err
		})
	slices.SortFunc(all, func(a, b input) int {
		return cmp.Or(cmp.Compare(a.size, b.size), cmp.Compare(a.path, b.path))
	})
	return all, err
}

// merge keeps inputs that reach code which neither seeds nor inputs kept before reach.
func (t *target) merge(most int) error {
	inputs, err := t.cached()
	if err != nil || len(inputs) == 0 {
		return err
	}
	seen := map[string]bool{}
	if _, err := t.reaches("", seen); err != nil {
		return err
	}
	folder := filepath.Join(t.dir, "testdata", "fuzz", t.name)
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	kept := 0
	for _, in := range inputs[:min(most, len(inputs))] {
		data, err := os.ReadFile(in.path)
		if err != nil {
			return err
		}
		name := fmt.Sprintf("%x", sha256.Sum256(data))[:16] // the name that go test would use
		path := filepath.Join(folder, name)
		if _, err := os.Stat(path); err == nil {
			continue // it is already a seed
		}
		if err := os.WriteFile(path, data, 0o666); err != nil {
			return err
		}
		more, err := t.reaches(name, seen)
		if err != nil {
			return fmt.Errorf("%s fails; mend what it shows first: %w", path, err)
		}
		if more {
			kept++
		} else if err := os.Remove(path); err != nil {
			return err
		}
	}
	_ = os.Remove(folder) // succeeds if it is empty
	fmt.Printf("%s %s: %d of %d inputs kept\n", t.pkg, t.name, kept, len(inputs))
	return nil
}

// reaches adds the code that an input reaches to seen, and reports whether any of it is new. An empty name means all
// seeds.
func (t *target) reaches(name string, seen map[string]bool) (more bool, err error) {
	run := "^" + t.name + "$"
	if name != "" {
		run += "/^" + name + "$"
	}
	if _, err := output(t.dir, t.test, "-test.run="+run, "-test.coverprofile="+t.profile); err != nil {
		return false, err
	}
	f, err := os.Open(t.profile)
	if err != nil {
		return false, err
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		if block, ok := strings.CutSuffix(s.Text(), " 1"); ok && !seen[block] {
			seen[block], more = true, true
		}
	}
	return more, nil
}
