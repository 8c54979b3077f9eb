package hunt

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/go-json-experiment/json/v1"

	"github.com/gcnsim/gcnsim/cmd/internal/hunt/source"
	"github.com/gcnsim/gcnsim/cmd/internal/shrink"
)

// Vulkan is the compiler command for shaders. glslang compiles GLSL to SPIR-V. The Vulkan driver, on the virtual
// card, compiles that to machine code, and the card saves the dispatch. A shader that faults is saved, too.
const Vulkan = "glslangValidator -V --quiet --target-env vulkan1.2 {in} -o {out}.spv && " +
	"{ MESA_SHADER_CACHE_DISABLE=1 {O} {gcnsim} gpu --chip={cpu} --save={out} -- {run} {out}.spv {input} >/dev/null; " +
	"status=$?; test -e {out}/" + savedFile + " || exit $status; }"

// Compilers are the levels of [Vulkan]: the two compilers in RADV.
var Compilers = []string{"RADV_DEBUG=", "RADV_DEBUG=llvm"}

// runnerFile is the name of the program that dispatches shaders, in a bug's directory.
const runnerFile = "vulkan.c"

// savedFile is the specification of a program's only dispatch. It is in the directory that a build has instead of an
// object.
const savedFile = "kernel1.json"

// buildRunner compiles the program that dispatches shaders, in a directory that the caller must remove.
func (h *Hunt) buildRunner(ctx context.Context) (dir string, err error) {
	if dir, err = os.MkdirTemp("", "gcnsim-hunt-"); err != nil {
		return "", err
	}
	h.runner = filepath.Join(dir, "vulkan")
	if err := os.WriteFile(filepath.Join(dir, runnerFile), []byte(source.Vulkan), 0o600); err != nil {
		return dir, err
	}
	said, err := shrink.Shell(ctx, runnerLine(h.Host, shrink.Quoted(filepath.Join(dir, runnerFile)),
		shrink.Quoted(h.runner)), h.CompileTime)
	if err != nil {
		err = fmt.Errorf("a program for Vulkan does not compile, which takes the headers and the loader "+
			"(libvulkan-dev): %w: %s", err, said)
	}
	return dir, err
}

// runnerLine returns the command that compiles the program that dispatches shaders.
func runnerLine(host, from, to string) string { return host + " -o " + to + " " + from + " -lvulkan" }

// savedDispatch reads the specification of a saved dispatch and adds the expectation want for its output. If no store
// of the dispatch was saved, for example after a fault, it adds no expectation.
func savedDispatch(dir string, want []byte) (keys, error) {
	text, err := os.ReadFile(filepath.Join(dir, savedFile))
	if err != nil {
		return nil, err
	}
	var all keys
	if err := json.Unmarshal(text, &all); err != nil {
		return nil, err
	}
	args, _ := all["args"].([]any)
	for i, arg := range args {
		a, _ := arg.(keys)
		b, _ := a["buffer"].(keys)
		if b["size"] == float64(source.OutputGLSL) {
			all["expect"] = []keys{{"arg": i, "as": "u64", "hex": hex.EncodeToString(want)}}
			return all, nil
		}
	}
	if all["expect"] != nil {
		return nil, errors.New("the saved dispatch has no output")
	}
	return all, nil
}
