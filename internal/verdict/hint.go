package verdict

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/gcnsim/gcnsim/internal/sim/codeobj"
	"github.com/gcnsim/gcnsim/internal/sim/element"
	"github.com/gcnsim/gcnsim/internal/tool/literal"
	"github.com/gcnsim/gcnsim/sim/spec"
)

// Hint has facts about the launches of a kernel that its metadata do not contain. The zero value has no
// facts.
type Hint struct {
	Kernel string // "" means all kernels
	Grid   [3]uint32
	Group  [3]uint32           // the work-group
	Args   map[string]spec.Arg // key: the name of the argument, or its number, for example "0"
	// Tolerance is the tolerance of floats. Only ULP, Absolute and Relative are used.
	Tolerance spec.Expect
}

// arg returns argument n, if the hint has it.
func (h *Hint) arg(a *codeobj.Arg, n int) (spec.Arg, bool) {
	if arg, given := h.Args[a.Name]; given && a.Name != "" {
		return arg, true
	}
	arg, given := h.Args[strconv.Itoa(n)]
	return arg, given
}

// overrule replaces facts of h by the facts of more.
func (h *Hint) overrule(more *Hint) {
	if more.Grid != [3]uint32{} {
		h.Grid = more.Grid
	}
	if more.Group != [3]uint32{} {
		h.Group = more.Group
	}
	maps.Copy(h.Args, more.Args)
	if tolerant(&more.Tolerance) {
		h.Tolerance = more.Tolerance
	}
}

// tolerant reports whether e lets floats differ.
func tolerant(e *spec.Expect) bool { return element.Tolerates(e.ULP, e.Absolute, e.Relative) }

// hintMark begins a hint in a comment of the source.
const hintMark = "GCNSIM:"

// ParseHints returns the hints about kernels in comments of a source. A hint looks like this:
//
//	// GCNSIM: kernel=saxpy grid=1024 workgroup=64 n=u32:1000 x=f32[1000] y=f32[1000]:out ulp=2
//
// An argument is a number (u32:7, f32:1.5), an array of random data (x=f32[1000], or x=u32[64]:0..9 for numbers from
// 0 to 9), an array of zeros (y=f32[1000]:out), or dynamic LDS (local:1024). The error names the line.
func ParseHints(source []byte) (all []Hint, err error) {
	lines := bufio.NewScanner(bytes.NewReader(source))
	lines.Buffer(nil, len(source)+1)
	for n := 1; lines.Scan(); n++ {
		before, text, found := strings.Cut(lines.Text(), hintMark)
		if !found || !strings.HasSuffix(strings.TrimRight(before, " \t"), "//") && strings.Trim(before, " \t;#*/@") != "" {
			continue
		}
		h, err := parseHint(strings.TrimSuffix(strings.TrimSpace(text), "*/"))
		if err != nil {
			return nil, fmt.Errorf("line %d: %s %w", n, hintMark, err)
		}
		all = append(all, *h)
	}
	return all, nil
}

// parseHint parses the words of a hint.
func parseHint(text string) (*Hint, error) {
	h := &Hint{Args: map[string]spec.Arg{}}
	for i, word := range strings.Fields(text) {
		key, value, ok := strings.Cut(word, "=")
		if !ok || key == "" || value == "" {
			return nil, fmt.Errorf("%s is not NAME=VALUE, as in grid=1024 or n=u32:1000", literal.Quoted(word))
		}
		var err error
		switch key {
		case "kernel":
			h.Kernel = value
		case "grid":
			h.Grid = [3]uint32{1, 1, 1}
			err = ParseExtent(&h.Grid, strings.Split(value, ","))
		case "workgroup":
			h.Group = [3]uint32{1, 1, 1}
			err = ParseExtent(&h.Group, strings.Split(value, ","))
		case "ulp":
			var n uint64
			if n, err = strconv.ParseUint(value, 0, 64); err != nil {
				err = fmt.Errorf("%s is not a number of floats", literal.Quoted(value))
			}
			h.Tolerance.ULP = &n
		case "absolute":
			h.Tolerance.Absolute = spec.Number(value)
		case "relative":
			h.Tolerance.Relative = spec.Number(value)
		default:
			if _, twice := h.Args[key]; twice {
				return nil, fmt.Errorf("%s is given twice", key)
			}
			h.Args[key], err = parseHintArg(value, i)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", key, err)
		}
	}
	return h, nil
}

// ParseExtent parses one to three numbers of work-items into e.
func ParseExtent(e *[3]uint32, words []string) error {
	if len(words) > len(e) {
		return fmt.Errorf("there are more than %d numbers", len(e))
	}
	for i, word := range words {
		n, err := strconv.ParseUint(word, 0, 32)
		if err != nil || n == 0 {
			return fmt.Errorf("%s is not a number of work-items; give up to three, as in 1024 or 64,32", literal.Quoted(word))
		}
		e[i] = uint32(n)
	}
	return nil
}

// maxHintBytes is the largest buffer, in bytes, that a hint may define.
const maxHintBytes = 1 << 30

// parseHintArg parses an argument of a hint. seed is the seed of random data.
func parseHintArg(text string, seed int) (arg spec.Arg, err error) {
	const forms = "write u32:1000, f32:1.5, local:1024, f32[1000], u32[64]:0..9 or f32[1000]:out"
	head, tail, _ := strings.Cut(text, ":")
	name, count, buffer := strings.Cut(head, "[")
	if head == "local" {
		n, err := strconv.ParseUint(tail, 0, 32)
		if err != nil {
			return arg, fmt.Errorf("%s is not a number of bytes", literal.Quoted(tail))
		}
		local := uint32(n)
		return spec.Arg{Local: &local}, nil
	}
	var as spec.Element
	if err := as.UnmarshalText([]byte(name)); err != nil {
		return arg, fmt.Errorf("%w; %s", err, forms)
	}
	t := element.Of(as)
	if !buffer {
		v, err := t.Parse(spec.Number(tail))
		if err != nil {
			return arg, err
		}
		value := make([]byte, t.Bytes)
		t.Put(value, v)
		return spec.Arg{Bytes: &value}, nil
	}
	count, closed := strings.CutSuffix(count, "]")
	n, err := strconv.ParseUint(count, 0, 32)
	if err != nil || !closed || n == 0 || n*uint64(t.Bytes) > maxHintBytes {
		return arg, errors.New("it is not a number of elements, as in [1000]; " + forms)
	}
	b := &spec.Buffer{Size: n * uint64(t.Bytes)}
	low, high, ranged := strings.Cut(tail, "..")
	switch {
	case tail == "out":
		return spec.Arg{Buffer: b}, nil
	case ranged:
		b.Random = &spec.Random{Seed: uint64(seed + 1), As: as, Min: spec.Number(low), Max: spec.Number(high)}
	case tail == "":
		b.Random = guessData(as, true, seed, 0, guessMax)
	default:
		return arg, fmt.Errorf("%s is not out, nor a range as in 0..9", literal.Quoted(tail))
	}
	return spec.Arg{Buffer: b}, b.Random.Fill(nil, 0, 0)
}

// unknownHint returns an error if a hint is about a kernel, or about an argument, that does not exist.
func unknownHint(hints []Hint, kernels []codeobj.Kernel) error {
	for i := range hints {
		h := &hints[i]
		about := slices.DeleteFunc(slices.Clone(kernels), func(k codeobj.Kernel) bool {
			return h.Kernel != "" && h.Kernel != k.Name
		})
		if len(about) == 0 {
			var names []string
			for k := range kernels {
				names = append(names, kernels[k].Name)
			}
			slices.Sort(names)
			return fmt.Errorf("a %s comment is about kernel %s; there is %s", hintMark, literal.Quoted(h.Kernel),
				nameList(slices.Compact(names)))
		}
		for _, name := range slices.Sorted(maps.Keys(h.Args)) {
			takes := func(k codeobj.Kernel) bool {
				args := codeobj.Explicit(&k)
				n, err := strconv.Atoi(name)
				return err == nil && n >= 0 && n < len(args) && strconv.Itoa(n) == name ||
					slices.ContainsFunc(args, func(a *codeobj.Arg) bool { return a.Name == name })
			}
			if !slices.ContainsFunc(about, takes) {
				return fmt.Errorf("a %s comment gives argument %s; %s takes %s", hintMark, literal.Quoted(name), about[0].Name,
					arguments(&about[0]))
			}
		}
	}
	return nil
}

// arguments lists the explicit arguments of a kernel as text: their names, or numbers for arguments without a name.
func arguments(k *codeobj.Kernel) string {
	var all []string
	for n, a := range codeobj.Explicit(k) {
		all = append(all, cmp.Or(a.Name, strconv.Itoa(n)))
	}
	if len(all) == 0 {
		return "none"
	}
	return strings.Join(all, ", ")
}
