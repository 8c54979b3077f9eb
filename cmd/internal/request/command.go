// Package request reads files and flags of commands: the dispatch that a command line describes, a specification
// with the files beside it, two of them to compare or to reduce, and requests of exec, one a line.
package request

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/v1"

	"github.com/gcnsim/gcnsim/internal/sim/codeobj"
	"github.com/gcnsim/gcnsim/internal/sim/element"
	"github.com/gcnsim/gcnsim/internal/tool/files"
	"github.com/gcnsim/gcnsim/internal/tool/literal"
	"github.com/gcnsim/gcnsim/internal/verdict"
	"github.com/gcnsim/gcnsim/sim/spec"
)

// Command is a dispatch as a command line describes it.
type Command struct {
	Kernel    string   // "" is the only one
	Grid      []string // work-items; nil is one work-group
	Workgroup []string // nil is what the kernel requires, or 64 work-items
	// Args are the arguments: an object as in a specification, or KEY=VALUE: u32, f32, u64, local
	// and hex with a value, buffer=BYTES, buffer=@FILE, random=BYTES and random=BYTES:TYPE.
	Args []string
}

// LimitFlag is the flag of commands that says how many instructions a wave may execute.
const LimitFlag = "max-instructions"

// FlagError says that a flag of the command line is wrong, or has no effect on what runs.
type FlagError struct {
	Flag string // its name
	Err  error  // what is wrong and what to do
}

// Error names the flag.
func (e *FlagError) Error() string { return fmt.Sprintf("--%s: %v", e.Flag, e.Err) }

// Unwrap returns what is wrong.
func (e *FlagError) Unwrap() error { return e.Err }

// ErrUnchecked says that a flag about checks has no effect.
var ErrUnchecked = errors.New("nothing is checked, so it has no effect; give --check, or check in the file")

// Flag returns a flag that the command line gives, "" if it says nothing.
func (c *Command) Flag() string {
	switch {
	case c.Kernel != "":
		return "kernel"
	case c.Grid != nil:
		return "grid"
	case c.Workgroup != nil:
		return "workgroup"
	case c.Args != nil:
		return "arg"
	}
	return ""
}

// Given reports whether the command line says anything.
func (c *Command) Given() bool { return c.Flag() != "" }

// Request returns the dispatch of a kernel of an object, which is the contents of the file of
// that name. Buffers and images are dumped as hex.
func (c *Command) Request(o *codeobj.Object, file string) (*spec.Dispatch, error) {
	k, err := c.kernel(o)
	if err != nil {
		return nil, err
	}
	req := &spec.Dispatch{Name: file, Kernel: k.Name}
	if err := c.extents(&req.Group, &req.Grid); err != nil {
		return nil, err
	}
	if c.Workgroup == nil {
		req.Group = spec.DefaultGroup(k)
	}
	if c.Grid == nil {
		req.Grid = req.Group
	}
	for i, text := range c.Args {
		arg, err := parseArg(text)
		if err != nil {
			return nil, &FlagError{"arg", fmt.Errorf("number %d: %w", i, err)}
		}
		if arg.Buffer != nil || arg.Image != nil {
			req.Dump = append(req.Dump, spec.Dump{Arg: uint32(i), Hex: true})
		}
		req.Args = append(req.Args, *arg)
	}
	return req, nil
}

// Hint returns what the command line says of the launches of every kernel. Files are relative to the
// working directory.
func (c *Command) Hint() (*verdict.Hint, error) {
	h := &verdict.Hint{Args: map[string]spec.Arg{}}
	if c.Workgroup != nil {
		h.Group = [3]uint32{1, 1, 1}
	}
	if c.Grid != nil {
		h.Grid = [3]uint32{1, 1, 1}
	}
	if err := c.extents(&h.Group, &h.Grid); err != nil {
		return nil, err
	}
	for i, text := range c.Args {
		arg, err := parseArg(text)
		if err == nil {
			h.Args[strconv.Itoa(i)], err = arg.Read(files.Dir(""))
		}
		if err != nil {
			return nil, &FlagError{"arg", fmt.Errorf("number %d: %w", i, err)}
		}
	}
	return h, nil
}

// kernel returns the one that the command line names. The error is that of
// [codeobj.Object.Kernel].
func (c *Command) kernel(o *codeobj.Object) (*codeobj.Kernel, error) {
	if c.Kernel == "" && len(o.Kernels) == 1 {
		return &o.Kernels[0], nil
	}
	return o.Kernel(c.Kernel)
}

// extents reads --workgroup and --grid.
func (c *Command) extents(group, grid *[3]uint32) error {
	if err := verdict.ParseExtent(group, c.Workgroup); err != nil {
		return &FlagError{"workgroup", err}
	}
	if err := verdict.ParseExtent(grid, c.Grid); err != nil {
		return &FlagError{"grid", err}
	}
	return nil
}

// parseArg reads an argument of a command line.
func parseArg(text string) (*spec.Arg, error) {
	if strings.HasPrefix(text, "{") {
		return spec.ParseArg([]byte(text))
	}
	key, value, _ := strings.Cut(text, "=")
	var member any = value
	switch file, isFile := strings.CutPrefix(value, "@"); key {
	case "u32", "u64", "f32", "local", "hex":
	case "buffer":
		member = map[string]any{"size": value}
		if isFile {
			member = map[string]any{"file": file}
		}
	case "random":
		size, as, typed := strings.Cut(value, ":")
		buffer := map[string]any{"size": size, "random": 1}
		if typed {
			buffer["as"] = as
		}
		key, member = "buffer", buffer
	default:
		return nil, fmt.Errorf("%s is not an argument; write u32=5, f32=1.5, u64=5, local=1024, hex=0011, buffer=BYTES, "+
			"buffer=@FILE, random=BYTES:f32, "+
			`or an object as in a specification: {"image":{"format":"R32_FLOAT","size":[64,64]}}`, literal.Quoted(text))
	}
	object, err := json.Marshal(map[string]any{key: member})
	if err != nil {
		return nil, err
	}
	arg, err := spec.ParseArg(object)
	if e, ok := errors.AsType[*spec.RequestError](err); ok {
		err = fmt.Errorf("%s: %s", literal.Quoted(text), e.What)
	}
	return arg, err
}

// Typed returns the elements of data as a person reads them: of the type that the metadata of an
// argument names, dwords in hex digits if it names none.
func Typed(typeName string, data []byte) []string {
	as, _ := element.Named(typeName) // U32 for a type without a name
	return as.Format(data)
}
