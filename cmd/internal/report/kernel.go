package report

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/gcnsim/gcnsim/cmd/internal/request"
	"github.com/gcnsim/gcnsim/internal/isa/asm"
	"github.com/gcnsim/gcnsim/internal/sim/codeobj"
	"github.com/gcnsim/gcnsim/internal/sim/timing"
	"github.com/gcnsim/gcnsim/internal/tool/files"
	"github.com/gcnsim/gcnsim/internal/tool/plural"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/sim/check"
	"github.com/gcnsim/gcnsim/sim/spec"
)

// object executes a kernel of a code object, or of a code object's text, or lists the kernels.
func (r *run) object(path string, data []byte) ([]check.Finding, error) {
	if !r.Command.Given() {
		return nil, r.contents(path, data)
	}
	data, err := codeobj.UnbundleKernel(data, r.MCPU, r.Command.Kernel)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	o, err := parse(path, data)
	if err != nil {
		return nil, err
	}
	req, err := r.Command.Request(o, path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if err := request.Claim(req, r.Uses, ""); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	watch := r.watcher()
	options, err := watch.options()
	if err != nil {
		return nil, err
	}
	options.Progress, options.Files = r.Progress, &beside{files.Dir(""), path, data}
	reply, err := request.RunRequest(r.ctx, req, options, r.Leaves)
	if err != nil {
		again := func(o *request.Options) {
			o.Files = options.Files
			_, _ = request.RunRequest(r.ctx, req, o, nil)
		}
		return nil, errors.Join(request.Located(path, err), r.ended(req.Kernel, watch, err, again))
	}
	k, err := o.Kernel(req.Kernel)
	if err != nil {
		return nil, err
	}
	return r.dispatched(path, watch, reply, k)
}

// parse parses a code object. The error begins with the name of the file.
func parse(path string, data []byte) (*codeobj.Object, error) {
	o, err := codeobj.Parse(data)
	if text, ok := errors.AsType[*asm.Error](err); ok {
		return nil, fmt.Errorf("%s:%w", path, text)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return o, nil
}

// contents lists the code objects and kernels in a file.
func (r *run) contents(path string, data []byte) error {
	all, err := codeobj.CodeObjects(data, r.MCPU)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if flag := r.ofRuns(); flag != "" {
		return &request.FlagError{Flag: flag, Err: errors.New("nothing runs, so it has no effect; choose a " +
			"kernel with --kernel, --grid or --arg, or give a specification")}
	}
	for i, m := range all {
		name := path
		if m.Name != "" {
			name = fmt.Sprintf("%s(%s)", path, m.Name)
		}
		o, err := parse(name, m.Data)
		if err != nil {
			return err
		}
		if err := r.choose(o.Target, &spec.Settings{}); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if i > 0 {
			fmt.Fprintln(r.out)
		}
		r.describe(name, path, o)
	}
	return nil
}

// beside is a file system: a directory, and one file that was already read.
type beside struct {
	spec.Files
	name string
	data []byte
}

// ReadFile implements [spec.Files].
func (b *beside) ReadFile(name string, limit int64) ([]byte, error) {
	if name == b.name {
		return b.data, nil
	}
	return b.Files.ReadFile(name, limit)
}

// describe lists the kernels of a code object, which need arguments.
func (r *run) describe(name, path string, o *codeobj.Object) {
	out := r.out
	fmt.Fprintf(out, "%s: code object v%d for %v\n", name, o.Version, o.Target)
	for _, k := range o.Kernels {
		fmt.Fprintf(out, "\nkernel %s: %d VGPRs, %d SGPRs, %d bytes of LDS, %d bytes of private memory a lane\n",
			k.Name, k.VGPRs, k.SGPRs, k.GroupBytes, k.PrivateBytes)
		for _, a := range k.Args {
			if a.Hidden {
				continue
			}
			fmt.Fprintf(out, "  %-16s %s, %d bytes at %d\n", strings.TrimSpace(a.TypeName+" "+a.Name), a.Kind, a.Size, a.Offset)
		}
	}
	fmt.Fprintln(out, "\nTo run a kernel give its arguments in a JSON file: gcnsim run SPEC.json")
	for _, k := range o.Kernels {
		fmt.Fprintf(out, "or here: gcnsim run --kernel=%s --grid=64", k.Name)
		for _, a := range k.Args {
			if example, ok := examples[a.Kind]; ok {
				fmt.Fprintf(out, " --arg=%s", example)
			} else if !a.Hidden {
				fmt.Fprintf(out, " --arg=hex=%s", strings.Repeat("00", int(min(a.Size, 64))))
			}
		}
		fmt.Fprintf(out, " %s\n", path)
	}
}

// examples are examples of arguments by kind. Arguments that are passed by value have the size that the kernel says.
var examples = map[codeobj.ArgKind]string{
	codeobj.GlobalBuffer: "random=4096", codeobj.DynamicSharedPointer: "local=1024", codeobj.Sampler: `'{"sampler":{}}'`,
	codeobj.Image: `'{"image":{"format":"R8G8B8A8_UNORM","size":[64,64],"random":1}}'`,
}

// dispatched prints the result of a dispatch. If k, its kernel, is not nil, it also prints the buffers.
func (r *run) dispatched(path string, watch *watcher, reply *spec.Reply,
	k *codeobj.Kernel) ([]check.Finding, error) {
	out := r.out
	fmt.Fprintf(out, "%s on %s: %s", reply.Kernel, reply.MCPU,
		plural.Of(int(reply.Result.Instructions), "instruction"))
	sep := " ("
	for class, n := range reply.Result.ByClass {
		if n > 0 {
			fmt.Fprintf(out, "%s%v %d", sep, sim.Class(class), n)
			sep = ", "
		}
	}
	fmt.Fprintln(out, ")")
	for _, d := range reply.Dump {
		if d.File != "" {
			fmt.Fprintf(out, "argument %d written to %s\n", d.Arg, d.File)
		}
	}
	if k != nil {
		writeBuffers(out, reply, k)
	}
	if err := watch.order(out); err != nil {
		return nil, err
	}
	if err := watch.stats(out, timing.ResultOf(reply.Took()), reply.Base); err != nil {
		return nil, err
	}
	r.sensitivity(out, reply.Result)
	if err := watch.fidelity(out, reply.Result.Result); err != nil {
		return nil, err
	}
	if err := r.judge(reply.Result); err != nil {
		return nil, err
	}
	took := timing.ResultOf(reply.Took())
	if err := watch.write(out, &outcome{reply.Kernel, reply.Result.Result, took, reply.Result, nil}); err != nil {
		return nil, err
	}
	if !reply.OK {
		return reply.Findings, fmt.Errorf("%s: %s", path, reply.Error.Message)
	}
	if o := watch.ordering; o != nil && o.Other > 0 {
		return reply.Findings, ErrAnswered
	}
	return reply.Findings, nil
}

// Limits of the part of a buffer that is printed: elements of a row, rows, and bytes.
const rowElements, shownRows, shownBytes = 8, 4, 256

// writeBuffers prints the first elements of a dispatch's buffers.
func writeBuffers(out io.Writer, reply *spec.Reply, k *codeobj.Kernel) {
	for _, d := range reply.Dump {
		a := &k.Args[d.Arg]
		data := d.Bytes()
		fmt.Fprintf(out, "\n%s, %d bytes:\n", strings.TrimSpace(fmt.Sprintf("argument %d %s %s", d.Arg, a.TypeName,
			a.Name)), len(data))
		elements := request.Typed(a.TypeName, data[:min(len(data), shownBytes)])
		for row := range slices.Chunk(elements[:min(len(elements), rowElements*shownRows)], rowElements) {
			fmt.Fprintf(out, "  %s\n", strings.Join(row, " "))
		}
		if len(elements) > rowElements*shownRows || len(data) > shownBytes {
			fmt.Fprintln(out, "  ...")
		}
	}
}
