package sweep

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/v1"

	"github.com/gcnsim/gcnsim/internal/tool/files"
)

// chunks is how many parts the cases are dealt to by the hash of their ids.
const chunks = 4096

const (
	maxLine  = 64 << 20 // bytes of the longest line of a corpus
	maxCases = 1 << 25  // each takes 8 bytes while the sweep runs
)

// entry is a line of a corpus.
type entry struct {
	ID       string          `json:"id"`
	Dispatch json.RawMessage `json:"dispatch"` // a specification, or the name of its file
	Exec     json.RawMessage `json:"exec"`
	Diff     *pair           `json:"diff"`
	Limit    Limits          `json:"limit"`
	axes
}

// pair is two code objects that take the place of that of a specification.
type pair struct {
	Spec json.RawMessage `json:"spec"` // of dispatch, or the name of its file
	A    string          `json:"a"`
	B    string          `json:"b"`
}

// axes are the lists that multiply. What a list does not give, the specification says.
type axes struct {
	MCPU   []string   `json:"mcpu"`
	Chip   []string   `json:"chip"`
	Rules  []string   `json:"rules"`
	Check  [][]string `json:"check"`
	Timing []bool     `json:"timing"`
	Seeds  uint32     `json:"seeds"` // of random data: 0 to Seeds-1 are added to those of the specification
}

// Limits bound a case; 0 is the limit of the sweep.
type Limits struct {
	Instructions uint64  `json:"instructions,omitempty"` // a wave
	Seconds      float64 `json:"seconds,omitempty"`
	Megabytes    uint64  `json:"megabytes,omitempty"` // of the process that runs it
}

// The largest [Limits].
const (
	MaxSeconds   = 1e9 // a [time.Duration] ends at 9.2e9
	MaxMegabytes = 1 << 43
)

// sizes returns how many choices each axis has.
func (a *axes) sizes() [6]uint32 {
	n := [6]uint32{uint32(len(a.MCPU)), uint32(len(a.Chip)), uint32(len(a.Rules)), uint32(len(a.Check)),
		uint32(len(a.Timing)), a.Seeds}
	for i := range n {
		n[i] = max(n[i], 1)
	}
	return n
}

// Corpus is the cases of some files.
type Corpus struct {
	Malformed []string // lines that are no cases, as FILE:LINE: what

	lines  []line
	chunks [chunks][]ref
	cases  int
	digest [sha256.Size]byte // of all cases, in any order
}

// line is a line of a file.
type line struct {
	*entry
	file      string
	number    int   // from 1
	malformed *Case // the one case of a line that is no case says so
}

// ref is a case: a line, and which of its products.
type ref struct{ line, product uint32 }

// Cases returns how many cases there are.
func (c *Corpus) Cases() int { return c.cases }

// Digest names the set of cases.
func (c *Corpus) Digest() string { return fmt.Sprintf("%x", c.digest[:16]) }

// Open reads the files. A line that is no case becomes a case whose result says so; a file without any case is an
// error, and so are two cases with one id: that error names both lines.
func Open(names ...string) (*Corpus, error) {
	c := &Corpus{}
	seen := map[uint64]int{} // lines by the hash of their ids
	for _, name := range names {
		name, err := filepath.Abs(name)
		if err != nil {
			return nil, err
		}
		lines, malformed := len(c.lines), len(c.Malformed)
		if err := c.scan(name, seen); err != nil {
			return nil, err
		}
		if bad := c.Malformed[malformed:]; len(bad) > 0 && len(bad) == len(c.lines)-lines {
			return nil, fmt.Errorf("%s; no line of it is a case: gcnsim sweep init DIR prints a corpus of the "+
				"specifications and code objects of a directory", bad[0])
		}
	}
	if c.cases == 0 {
		return nil, fmt.Errorf("%s: there are no cases", strings.Join(names, ", "))
	}
	return c, nil
}

// scan reads the cases of a file.
func (c *Corpus) scan(name string, seen map[uint64]int) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	next := line{file: name}
	return files.Lines(f, maxLine, "{", func(text []byte, err error) error {
		next.number++
		if err == nil && len(bytes.TrimSpace(text)) > 0 {
			err = c.add(next, text, seen)
		}
		if err != nil {
			return fmt.Errorf("%s:%d: %w", name, next.number, err)
		}
		return nil
	})
}

// add adds the cases of a line.
func (c *Corpus) add(l line, text []byte, seen map[uint64]int) error {
	e, err := parse(text)
	if err != nil {
		e = &entry{ID: fmt.Sprintf("%s:%d", filepath.Base(l.file), l.number)}
		c.Malformed = append(c.Malformed, fmt.Sprintf("%s:%d: %v", l.file, l.number, err))
		l.malformed = &Case{ID: e.ID, Broken: err.Error(), Hash: sum64(string(text))}
	}
	l.entry = e
	index := len(c.lines)
	c.lines = append(c.lines, l)
	key := sum64(e.ID)
	if other, ok := seen[key]; ok {
		o := c.lines[other]
		return fmt.Errorf("the id %q is that of %s:%d, too; ids must differ", e.ID, o.file, o.number)
	}
	seen[key] = index
	sum := sha256.Sum256(bytes.TrimSpace(text))
	for i := range c.digest {
		c.digest[i] ^= sum[i]
	}
	total := uint64(1)
	for _, n := range e.sizes() {
		if total *= uint64(n); total > maxCases-uint64(c.cases) {
			return fmt.Errorf("with what its lists multiply to there are more than %d cases; give fewer", maxCases)
		}
	}
	for product := range uint32(total) {
		chunk := sum64(e.name(product)) % chunks
		c.chunks[chunk] = append(c.chunks[chunk], ref{uint32(index), product})
	}
	c.cases += int(total)
	return nil
}

// parse reads a line.
func parse(line []byte) (*entry, error) {
	e := &entry{}
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	if err := d.Decode(e); err != nil {
		return nil, fmt.Errorf("this is no case: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("there is more than one value on the line")
	}
	switch {
	case e.ID == "":
		return nil, errors.New("the case has no id")
	case countOf(e.Dispatch != nil, e.Exec != nil, e.Diff != nil) != 1:
		return nil, errors.New("give one of dispatch, exec and diff")
	case e.Diff != nil && (e.Diff.Spec == nil || e.Diff.A == "" || e.Diff.B == ""):
		return nil, errors.New("diff: give spec, a and b, two code objects")
	case e.Limit.Seconds < 0 || e.Limit.Seconds > MaxSeconds:
		return nil, fmt.Errorf("limit.seconds: give a number from 0 to %.0f", MaxSeconds)
	case e.Limit.Megabytes > MaxMegabytes:
		return nil, fmt.Errorf("limit.megabytes: give a number from 0 to %d", uint64(MaxMegabytes))
	}
	return e, e.repeated()
}

// repeated is an error if a list has a value twice: two cases would have one id.
func (a *axes) repeated() error {
	var checks, timings []string
	for _, kinds := range a.Check {
		checks = append(checks, strings.Join(kinds, ","))
	}
	for _, timing := range a.Timing {
		timings = append(timings, fmt.Sprint(timing))
	}
	for _, list := range []struct {
		key    string
		values []string
	}{{"mcpu", a.MCPU}, {"chip", a.Chip}, {"rules", a.Rules}, {"check", checks}, {"timing", timings}} {
		seen := map[string]bool{}
		for _, v := range list.values {
			if seen[v] {
				return fmt.Errorf("%s: %q is there twice; give it once", list.key, v)
			}
			seen[v] = true
		}
	}
	return nil
}

func countOf(all ...bool) (n int) {
	for _, is := range all {
		if is {
			n++
		}
	}
	return n
}

func sum64(s string) uint64 {
	h := fnv.New64a()
	_, _ = io.WriteString(h, s)
	return h.Sum64()
}

// choose returns which value of each axis a product takes: seeds change fastest.
func (a *axes) choose(product uint32) (at [6]uint32) {
	sizes := a.sizes()
	for i := len(sizes) - 1; i >= 0; i-- {
		at[i] = product % sizes[i]
		product /= sizes[i]
	}
	return at
}

// choice is a choice from a list: the key of a specification, its value, and its text in an id.
type choice struct {
	key   string
	value any
	text  string
}

// choices returns what the lists choose for a product, except for the seed.
func (a *axes) choices(product uint32) (all []choice) {
	at := a.choose(product)
	names := func(key string, list []string, at uint32) {
		if len(list) > 0 {
			all = append(all, choice{key, list[at], list[at]})
		}
	}
	names("mcpu", a.MCPU, at[0])
	names("chip", a.Chip, at[1])
	names("rules", a.Rules, at[2])
	if len(a.Check) > 0 {
		kinds := a.Check[at[3]]
		all = append(all, choice{"check", append([]string{}, kinds...), strings.Join(kinds, ",")})
	}
	if len(a.Timing) > 0 {
		all = append(all, choice{"timing", a.Timing[at[4]], fmt.Sprint(a.Timing[at[4]])})
	}
	return all
}

// name returns the id of a product: the id of the line, followed by the values that its lists choose.
func (e *entry) name(product uint32) string {
	b := []byte(e.ID)
	add := func(key, value string) { b = append(append(append(append(b, ' '), key...), '='), value...) }
	for _, c := range e.choices(product) {
		add(c.key, c.text)
	}
	if e.Seeds > 0 {
		add("seed", fmt.Sprint(e.choose(product)[5]))
	}
	return string(b)
}

// Case is one case, ready to run.
type Case struct {
	ID     string          `json:"id"`
	Kind   string          `json:"kind"` // dispatch, exec or diff; "" if the line is malformed
	Dir    string          `json:"dir"`  // what files are relative to
	Spec   json.RawMessage `json:"spec"`
	Pair   []string        `json:"pair,omitempty"` // of diff: the code objects, as Dir's neighbours
	Limits Limits          `json:"limits"`
	Hash   uint64          `json:"hash"` // of all fields above except Dir: it ties a result to its case
	Broken string          `json:"broken,omitempty"`
}

// Chunk returns the cases of a chunk, sorted by id.
func (c *Corpus) chunk(n int, defaults Limits) ([]*Case, error) {
	all := make([]*Case, 0, len(c.chunks[n]))
	for _, r := range c.chunks[n] {
		one, err := c.at(r, defaults)
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	slices.SortFunc(all, func(a, b *Case) int { return cmp.Compare(a.ID, b.ID) })
	for i := 1; i < len(all); i++ {
		if id := all[i].ID; id == all[i-1].ID {
			return nil, fmt.Errorf("two cases have the id %q: one by what its lists choose; ids must differ", id)
		}
	}
	return all, nil
}

// Checked reports whether findings are looked for in any case. Those of a diff are not.
func (c *Corpus) Checked() bool {
	for _, e := range c.lines {
		if e.malformed != nil || e.Diff != nil {
			continue
		}
		lists := e.Check
		if len(lists) == 0 {
			var own struct {
				Check []string `json:"check"`
			}
			spec := e.Dispatch
			if spec == nil {
				spec = e.Exec
			}
			raw, _, err := fileOf(spec, filepath.Dir(e.file))
			if err != nil || json.Unmarshal(raw, &own) != nil {
				continue // the result says so
			}
			lists = [][]string{own.Check}
		}
		if slices.ContainsFunc(lists, func(kinds []string) bool { return len(kinds) > 0 }) {
			return true
		}
	}
	return false
}

// at returns a case.
func (c *Corpus) at(r ref, defaults Limits) (*Case, error) {
	e := c.lines[r.line]
	if e.malformed != nil {
		return e.malformed, nil
	}
	one := &Case{ID: e.name(r.product), Kind: "dispatch", Dir: filepath.Dir(e.file),
		Limits: Limits{cmp.Or(e.Limit.Instructions, defaults.Instructions), cmp.Or(e.Limit.Seconds, defaults.Seconds),
			cmp.Or(e.Limit.Megabytes, defaults.Megabytes)}}
	var err error
	spec := e.Dispatch
	switch {
	case e.Exec != nil:
		one.Kind, spec = "exec", e.Exec
	case e.Diff != nil:
		one.Kind, spec = "diff", e.Diff.Spec
		for _, object := range []string{e.Diff.A, e.Diff.B} {
			if !filepath.IsAbs(object) {
				object = filepath.Join(one.Dir, object)
			}
			one.Pair = append(one.Pair, object)
		}
	}
	if one.Spec, one.Dir, err = e.concrete(spec, one.Dir, one.Limits, r.product); err != nil {
		one.Broken, one.Spec = err.Error(), nil
	}
	text, err := json.Marshal(struct {
		Spec   json.RawMessage
		Limits Limits
		Pair   []string `json:",omitempty"`
	}{one.Spec, one.Limits, one.Pair})
	if err != nil {
		return nil, err
	}
	one.Hash = sum64(one.ID + string(text))
	return one, nil
}

// fileOf returns the specification that raw is or names, and what its files are relative to.
func fileOf(raw json.RawMessage, dir string) (json.RawMessage, string, error) {
	var name string
	if !bytes.HasPrefix(raw, []byte(`"`)) {
		return raw, dir, nil
	}
	if err := json.Unmarshal(raw, &name); err != nil {
		return nil, dir, err
	}
	if !filepath.IsAbs(name) {
		name = filepath.Join(dir, name)
	}
	text, err := os.ReadFile(name)
	return text, filepath.Dir(name), err
}

// concrete returns the specification with what a product of the lists chooses.
func (e *entry) concrete(raw json.RawMessage, dir string, limits Limits, product uint32) (json.RawMessage, string,
	error) {
	raw, dir, err := fileOf(raw, dir)
	if err != nil {
		return nil, dir, err
	}
	var spec map[string]json.RawMessage
	if err := json.Unmarshal(raw, &spec); err != nil {
		return nil, dir, fmt.Errorf("the specification: %w", err)
	}
	set := func(key string, value any) {
		text, _ := json.Marshal(value) // strings, numbers and lists of strings
		spec[key] = text
	}
	for _, c := range e.choices(product) {
		set(c.key, c.value)
	}
	if most := limits.Instructions; most > 0 && spec["max_instructions"] == nil {
		set("max_instructions", most)
	}
	if e.Seeds > 0 {
		if err := reseed(spec, uint64(e.choose(product)[5])); err != nil {
			return nil, dir, err
		}
	}
	text, err := json.Marshal(spec)
	return text, dir, err
}

// reseed adds seed to the seeds of random data among the arguments.
func reseed(spec map[string]json.RawMessage, seed uint64) error {
	var args []map[string]json.RawMessage
	if raw, ok := spec["args"]; !ok || json.Unmarshal(raw, &args) != nil {
		return errors.New("seeds: the specification has no random arguments to vary")
	}
	varied := false
	for _, a := range args {
		for key, raw := range a {
			var inner map[string]json.RawMessage
			if json.Unmarshal(raw, &inner) != nil || inner["random"] == nil {
				continue
			}
			n, err := number(inner["random"])
			if err != nil {
				return fmt.Errorf("seeds: random: %w", err)
			}
			inner["random"] = fmt.Appendf(nil, `"0x%x"`, n+seed)
			a[key], _ = json.Marshal(inner) // it was JSON
			varied = true
		}
	}
	if !varied {
		return errors.New("seeds: the specification has no random data to vary")
	}
	spec["args"], _ = json.Marshal(args) // they were JSON
	return nil
}

// number reads a number or a string that holds one.
func number(raw json.RawMessage) (n uint64, err error) {
	var text string
	if json.Unmarshal(raw, &text) != nil {
		text = string(raw)
	}
	_, err = fmt.Sscan(text, &n)
	return n, err
}

// hashText is how a hash is written.
func hashText(h uint64) string { return fmt.Sprintf("%016x", h) }
