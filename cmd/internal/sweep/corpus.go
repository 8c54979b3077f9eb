package sweep

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/v1"

	"github.com/gcnsim/gcnsim/internal/tool/files"
	"github.com/gcnsim/gcnsim/internal/tool/jsonout"
)

const (
	maxLine  = 64 << 20 // greatest length of a corpus line in bytes
	maxCases = 1 << 25
)

// Limits are limits of one case; 0 means the sweep's limit.
type Limits struct {
	Instructions uint64  `json:"instructions,omitempty"` // a wave
	Seconds      float64 `json:"seconds,omitempty"`
	Megabytes    uint64  `json:"megabytes,omitempty"` // memory of the worker process
}

// The greatest possible [Limits].
const (
	MaxSeconds   = 1e9 // a [time.Duration] overflows at 9.2e9
	MaxMegabytes = 1 << 43
)

// entry is a parsed line of a corpus.
type entry struct {
	ID       string          `json:"id"`
	Dispatch json.RawMessage `json:"dispatch"` // a specification, or the name of its file
	Exec     json.RawMessage `json:"exec"`
	Diff     *pair           `json:"diff"`
	Limit    Limits          `json:"limit"`

	// These lists are multiplied. Their values replace those of the specification.
	MCPU   []json.RawMessage `json:"mcpu"`
	Chip   []json.RawMessage `json:"chip"`
	Rules  []json.RawMessage `json:"rules"`
	Check  []json.RawMessage `json:"check"`
	Timing []json.RawMessage `json:"timing"`
	// number of seeds for random data: 0 to Seeds-1 is added to the specification's seeds
	Seeds uint32 `json:"seeds"`

	file   string
	number int    // line number, from 1
	kind   string // dispatch, exec or diff; "" if the line is malformed
	broken string // error of the line or of its specification
	spec   json.RawMessage
	dir    string // directory of spec's files
}

// pair is two code objects, which replace the one of a specification in turn.
type pair struct {
	Spec json.RawMessage `json:"spec"` // a dispatch specification, or the name of its file
	A    string          `json:"a"`
	B    string          `json:"b"`
}

// list is one of a line's lists: a key of specifications, and its values.
type list struct {
	key    string
	values []json.RawMessage
}

func (e *entry) lists() []list {
	return []list{{"mcpu", e.MCPU}, {"chip", e.Chip}, {"rules", e.Rules}, {"check", e.Check}, {"timing", e.Timing}}
}

// Corpus is the set of cases in some files.
type Corpus struct {
	Malformed []string // malformed lines, as FILE:LINE: message
	Cases     int

	lines  []*entry
	digest [sha256.Size]byte // hash of all lines and their specifications, independent of their order
}

// Digest identifies the set of cases.
func (c *Corpus) Digest() string { return fmt.Sprintf("%x", c.digest[:16]) }

// reader reads a corpus.
type reader struct {
	*Corpus
	ids   map[string]*entry
	specs map[string]json.RawMessage // by file name
}

// Open reads the files of a corpus. A malformed line becomes a case whose result is its error. It is an error if a
// file has no case, or if two cases have the same id; that error names both lines.
func Open(names ...string) (*Corpus, error) {
	r := &reader{Corpus: &Corpus{}, ids: map[string]*entry{}, specs: map[string]json.RawMessage{}}
	for _, name := range names {
		name, err := filepath.Abs(name)
		if err != nil {
			return nil, err
		}
		lines, malformed := len(r.lines), len(r.Malformed)
		if err := r.file(name); err != nil {
			return nil, err
		}
		if bad := r.Malformed[malformed:]; len(bad) > 0 && len(bad) == len(r.lines)-lines {
			return nil, fmt.Errorf(`%s; no line of it is a case: a line is {"id":"NAME","dispatch":"SPECIFICATION.json"} `+
				"or the like", bad[0])
		}
	}
	if r.Cases == 0 {
		return nil, fmt.Errorf("%s: there are no cases", strings.Join(names, ", "))
	}
	return r.Corpus, nil
}

// file reads the cases of a file.
func (r *reader) file(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	number := 0
	return files.Lines(f, maxLine, "{", func(text []byte, err error) error {
		number++
		if err == nil && len(bytes.TrimSpace(text)) > 0 {
			err = r.line(name, number, bytes.TrimSpace(text))
		}
		if err != nil {
			return fmt.Errorf("%s:%d: %w", name, number, err)
		}
		return nil
	})
}

// line adds the cases of one line.
func (r *reader) line(file string, number int, text []byte) error {
	e, err := parse(text)
	if err != nil {
		e = &entry{ID: fmt.Sprintf("%s:%d", filepath.Base(file), number), broken: err.Error()}
		r.Malformed = append(r.Malformed, fmt.Sprintf("%s:%d: %v", file, number, err))
	}
	e.file, e.number = file, number
	if err == nil {
		if err := r.resolve(e); err != nil {
			e.broken = err.Error()
		}
	}
	if other := r.ids[e.ID]; other != nil {
		return fmt.Errorf("the id %q is that of %s:%d, too; ids must differ", e.ID, other.file, other.number)
	}
	r.ids[e.ID] = e
	r.lines = append(r.lines, e)
	sum := sha256.Sum256(slices.Concat(text, e.spec))
	for i := range r.digest {
		r.digest[i] ^= sum[i]
	}
	total := e.products()
	if total > maxCases-uint64(r.Cases) {
		return fmt.Errorf("with what its lists multiply to there are more than %d cases; give fewer", maxCases)
	}
	r.Cases += int(total)
	return nil
}

// parse parses one line.
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
	kinds := 0
	for kind, is := range map[string]bool{"dispatch": e.Dispatch != nil, "exec": e.Exec != nil, "diff": e.Diff != nil} {
		if is {
			kinds, e.kind = kinds+1, kind
		}
	}
	switch {
	case e.ID == "":
		return nil, errors.New("the case has no id")
	case kinds != 1:
		return nil, errors.New("give one of dispatch, exec and diff")
	case e.Diff != nil && (e.Diff.Spec == nil || e.Diff.A == "" || e.Diff.B == ""):
		return nil, errors.New("diff: give spec, a and b, two code objects")
	case e.Limit.Seconds < 0 || e.Limit.Seconds > MaxSeconds:
		return nil, fmt.Errorf("limit.seconds: give a number from 0 to %.0f", MaxSeconds)
	case e.Limit.Megabytes > MaxMegabytes:
		return nil, fmt.Errorf("limit.megabytes: give a number from 0 to %d", uint64(MaxMegabytes))
	}
	return e, e.distinct()
}

// distinct returns an error if two cases of the line could have the same id: if a list has a value twice, or if the
// id looks like an id with an appended value.
func (e *entry) distinct() error {
	if strings.Contains(e.ID, " seed=") {
		return fmt.Errorf("the id %q has %q in it, which seeds add to an id", e.ID, " seed=")
	}
	for _, l := range e.lists() {
		if added := " " + l.key + "="; strings.Contains(e.ID, added) {
			return fmt.Errorf("the id %q has %q in it, which a list adds to an id", e.ID, added)
		}
		seen := map[string]bool{}
		for _, v := range l.values {
			text := textOf(v)
			if seen[text] {
				return fmt.Errorf("%s: %q is there twice; give it once", l.key, text)
			}
			seen[text] = true
		}
	}
	return nil
}

// resolve reads the specification, and sets the directory of its files.
func (r *reader) resolve(e *entry) (err error) {
	e.dir = filepath.Dir(e.file)
	e.spec = e.Dispatch
	switch e.kind {
	case "exec":
		e.spec = e.Exec
	case "diff":
		e.spec = e.Diff.Spec
		for _, object := range []*string{&e.Diff.A, &e.Diff.B} {
			*object = files.Dir(e.dir).Path(*object)
		}
	}
	var name string
	if notName := json.Unmarshal(e.spec, &name); notName != nil {
		return nil //nolint:nilerr // the text is the specification itself
	}
	name = files.Dir(e.dir).Path(name)
	if r.specs[name] == nil {
		if r.specs[name], err = os.ReadFile(name); err != nil {
			return err
		}
	}
	e.spec, e.dir = r.specs[name], filepath.Dir(name)
	return nil
}

// Checked reports whether any case has checks. Checks of a diff do not count.
func (c *Corpus) Checked() bool {
	return slices.ContainsFunc(c.lines, func(e *entry) bool {
		var own struct {
			Check json.RawMessage `json:"check"`
		}
		lists := e.Check
		if len(lists) == 0 && json.Unmarshal(e.spec, &own) == nil { // errors appear in the case's result
			lists = []json.RawMessage{own.Check}
		}
		return e.kind != "diff" && slices.ContainsFunc(lists, func(kinds json.RawMessage) bool { return textOf(kinds) != "" })
	})
}

// Case is one case.
type Case struct {
	ID     string          `json:"id"`
	Kind   string          `json:"kind"` // dispatch, exec or diff
	Dir    string          `json:"dir"`  // directory of its files
	Spec   json.RawMessage `json:"spec"`
	Pair   []string        `json:"pair,omitempty"` // the code objects of a diff
	Limits Limits          `json:"limits"`
	broken string          // why it cannot execute
}

// choice is a case as a combination of a line's list values.
type choice struct {
	*entry
	id     string
	values map[string]json.RawMessage // values from the lists of the corpus
	seed   uint64                     // added to the seeds of random data
}

// all returns the cases of a shard.
func (c *Corpus) all(shard Shard) iter.Seq[choice] {
	return func(yield func(choice) bool) {
		for _, e := range c.lines {
			for product := range e.products() {
				if one := e.choose(product); shard.has(one.id) && !yield(one) {
					return
				}
			}
		}
	}
}

// products returns the number of cases of a line.
func (e *entry) products() uint64 {
	total := uint64(max(e.Seeds, 1))
	for _, l := range e.lists() {
		total = min(total, maxCases+1) * uint64(max(len(l.values), 1))
	}
	return total
}

// choose returns case number product of a line. Seeds vary fastest.
func (e *entry) choose(product uint64) choice {
	c := choice{entry: e, values: map[string]json.RawMessage{}}
	if e.Seeds > 0 {
		c.seed = product % uint64(e.Seeds)
		product /= uint64(e.Seeds)
		c.id = fmt.Sprintf(" seed=%d", c.seed)
	}
	for _, l := range slices.Backward(e.lists()) {
		if n := uint64(len(l.values)); n > 0 {
			value := l.values[product%n]
			product /= n
			c.values[l.key] = value
			c.id = " " + l.key + "=" + textOf(value) + c.id
		}
	}
	c.id = e.ID + c.id
	return c
}

// ready returns the case for a worker. Limits that the line does not set come from defaults.
func (e *choice) ready(defaults Limits) *Case {
	c := &Case{ID: e.id, Kind: e.kind, Dir: e.dir, broken: e.broken,
		Limits: Limits{cmp.Or(e.Limit.Instructions, defaults.Instructions), cmp.Or(e.Limit.Seconds, defaults.Seconds),
			cmp.Or(e.Limit.Megabytes, defaults.Megabytes)}}
	if e.Diff != nil {
		c.Pair = []string{e.Diff.A, e.Diff.B}
	}
	if c.broken != "" {
		return c
	}
	var spec map[string]json.RawMessage
	err := json.Unmarshal(e.spec, &spec)
	if err != nil {
		err = fmt.Errorf("the specification: %w", err)
	} else if e.Seeds > 0 {
		err = reseed(spec, e.seed)
	}
	if err != nil {
		c.broken = err.Error()
		return c
	}
	maps.Copy(spec, e.values)
	if most := c.Limits.Instructions; most > 0 && spec["max_instructions"] == nil {
		spec["max_instructions"] = fmt.Append(nil, most)
	}
	c.Spec = marshal(spec)
	return c
}

// marshal returns v as JSON. v has only types that JSON supports.
func marshal(v any) json.RawMessage {
	text, err := jsonout.Marshal(v)
	if err != nil {
		panic("sweep: " + err.Error())
	}
	return text
}

// reseed adds seed to the seeds of random data in the arguments.
func reseed(spec map[string]json.RawMessage, seed uint64) error {
	var args []map[string]json.RawMessage
	varied := false
	if json.Unmarshal(spec["args"], &args) != nil {
		args = nil
	}
	for _, a := range args {
		for key, raw := range a {
			var inner map[string]json.RawMessage
			if json.Unmarshal(raw, &inner) != nil || inner["random"] == nil {
				continue
			}
			n, err := strconv.ParseUint(textOf(inner["random"]), 0, 64)
			if err != nil {
				return fmt.Errorf("seeds: random: %w", err)
			}
			inner["random"] = fmt.Appendf(nil, `"0x%x"`, n+seed)
			a[key] = marshal(inner)
			varied = true
		}
	}
	if !varied {
		return errors.New("seeds: the specification has no random data to vary")
	}
	spec["args"] = marshal(args)
	return nil
}

func sum64(s string) uint64 {
	h := fnv.New64a()
	_, _ = io.WriteString(h, s)
	return h.Sum64()
}

// textOf formats a list value for ids.
func textOf(value json.RawMessage) string {
	var text string
	if json.Unmarshal(value, &text) == nil {
		return text
	}
	var kinds []string
	if json.Unmarshal(value, &kinds) == nil {
		return strings.Join(kinds, ",")
	}
	return string(value)
}
