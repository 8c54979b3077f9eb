// Package request turns the files and flags of commands into requests: a dispatch that a command line describes, a
// specification with its files, two of these to compare or to reduce, and the requests of exec, one a line.
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

// Command is a dispatch that a command line describes.
type Command struct {
	Kernel    string   // "" means the only kernel
	Grid      []string // work-items; nil means one work-group
	Workgroup []string // nil means the size that the kernel requires, or 64 work-items
	// Args are the arguments. Each is a JSON object as in a specification, or KEY=VALUE: u32, f32, u64, local and hex
	// with a value, buffer=BYTES, buffer=@FILE, random=BYTES, or random=BYTES:TYPE.
	Args []string
}

// LimitFlag is the name of the flag for the greatest number of instructions of a wave.
const LimitFlag = "max-instructions"

// FlagError says that a flag of the command line is wrong or has no effect.
type FlagError struct {
	Flag string // its name
	Err  error  // the error, with advice
}

// Error returns the flag's name and the error.
func (e *FlagError) Error() string { return fmt.Sprintf("--%s: %v", e.Flag, e.Err) }

// Unwrap returns the error without the name.
func (e *FlagError) Unwrap() error { return e.Err }

// ErrUnchecked says that a flag for checks has no effect.
var ErrUnchecked = errors.New("nothing is checked, so it has no effect; give --check, or check in the file")

// Flag returns the name of a flag that is set, or "".
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

// Given reports whether any flag is set.
func (c *Command) Given() bool { return c.Flag() != "" }

// Request returns the dispatch of a kernel in an object, the content of file. Buffers and images are dumped as hex.
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

// Hint returns the settings that the flags give the launches of every kernel. Files are relative to the working
// directory.
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

// kernel returns the kernel that the flags name. The error comes from [codeobj.Object.Kernel].
func (c *Command) kernel(o *codeobj.Object) (*codeobj.Kernel, error) {
	if c.Kernel == "" && len(o.Kernels) == 1 {
		return &o.Kernels[0], nil
	}
	return o.Kernel(c.Kernel)
}

// extents parses --workgroup and --grid.
func (c *Command) extents(group, grid *[3]uint32) error {
	if err := verdict.ParseExtent(group, c.Workgroup); err != nil {
		return &FlagError{"workgroup", err}
	}
	if err := verdict.ParseExtent(grid, c.Grid); err != nil {
		return &FlagError{"grid", err}
	}
	return nil
}

// parseArg parses one value of --arg.
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

// Typed formats the elements of data. Their type is that of the argument's metadata, or dwords in hex digits if the
// metadata has no type.
func Typed(typeName string, data []byte) []string {
	as, _ := element.Named(typeName) // U32 if the type has no name
	return as.Format(data)
}
