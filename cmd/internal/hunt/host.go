package hunt

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/gcnsim/gcnsim/cmd/internal/hunt/source"
	"github.com/gcnsim/gcnsim/cmd/internal/shrink"
)

// hostFlags are options of the host's compiler. They prevent that operations are contracted.
const hostFlags = "-w -ffp-contract=off -fno-strict-aliasing -O0"

// strictFlags make the host's program fail on undefined behaviour. They also give uninitialized variables another
// value than hostFlags do.
const strictFlags = "-ffp-contract=off -O0 -fsanitize=undefined,address -fno-sanitize-recover=all " +
	"-ftrivial-auto-var-init=pattern -Werror=return-type -Werror=implicit-function-declaration -Werror=uninitialized"

// reverse is a shell command after a strict execution: the output must be the same with the reverse order of
// work-items.
const reverse = `; %[1]s %[2]s reverse | cmp - %[3]s`

// errUndefined says that a program has undefined behaviour, so there is no right output.
var errUndefined = errors.New("the program has no answer")

// onHost compiles a C program for the host and executes it, in a directory with its input. more is a format for the
// shell command that follows; its arguments are the paths of the program, its input and its output. The error comes
// from ctx, or wraps errUndefined if the program does not compile or fails.
func (h *Hunt) onHost(ctx context.Context, dir string, k *source.Kernel, body, flags, more string) ([]byte, error) {
	here := func(name string) string { return shrink.Quoted(filepath.Join(dir, name)) }
	for name, text := range map[string]string{"host.c": source.Host, "program.c": k.Text(body)} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			return nil, err
		}
	}
	line := fmt.Sprintf(`set -e; export ASAN_OPTIONS=detect_leaks=0; %s %s %s -DPROGRAM='"program.c"' `+
		`-o %s %s -lm; `, h.Host, flags, strings.Join(k.Macros(), " "), here("host"), here("host.c")) +
		fmt.Sprintf(`%[1]s %[2]s > %[3]s`+more, here("host"), here(inputFile), here("host.out"))
	said, err := shrink.Shell(ctx, line, max(h.CompileTime, time.Minute))
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if _, ended := errors.AsType[*exec.ExitError](err); ended || errors.Is(err, shrink.ErrLate) {
		return nil, fmt.Errorf("%w: %w: %s", errUndefined, err, bytes.TrimSpace(said[:min(len(said), 1<<10)]))
	}
	if err != nil {
		return nil, err
	}
	return os.ReadFile(filepath.Join(dir, "host.out"))
}
