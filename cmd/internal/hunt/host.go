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

	"github.com/gcnsim/gcnsim/cmd/internal/hunt/source"
	"github.com/gcnsim/gcnsim/cmd/internal/shrink"
)

// hostFlags are options of the host's compiler: no operation is made one with another.
const hostFlags = "-w -ffp-contract=off -fno-strict-aliasing -fwrapv"

// strictFlags make the host's program end where behaviour is undefined, and give variables without a value
// another one than there is otherwise.
const strictFlags = "-w -ffp-contract=off -fsanitize=undefined,address -fno-sanitize-recover=all " +
	"-ftrivial-auto-var-init=pattern -Werror=return-type -Werror=implicit-function-declaration"

// errUndefined says that a program has no answer.
var errUndefined = errors.New("the host's program fails")

// answer returns what the program in a directory leaves on the host. A strict one is compiled to find undefined
// behaviour, and its work-items have their turns in reverse. The error is that of ctx or wraps errUndefined.
func (h *Hunt) answer(ctx context.Context, dir string, k *source.Kernel, strict bool) ([]byte, error) {
	flags, more := hostFlags+" -O0 -ftrivial-auto-var-init=zero", ""
	if strict {
		flags, more = strictFlags, " reverse"
	}
	here := func(name string) string { return shrink.Quoted(filepath.Join(dir, name)) }
	if err := os.WriteFile(filepath.Join(dir, "host.c"), []byte(source.Host), 0o600); err != nil {
		return nil, err
	}
	line := fmt.Sprintf(`set -e; %s %s %s -DPROGRAM='"%s"' %s -o %s -lm; ASAN_OPTIONS=detect_leaks=0 %s %s%s > %s`, h.Host,
		flags, strings.Join(k.Macros(), " "), programFile, here("host.c"), here("host"), here("host"), here(inputFile), more,
		here("host.out"))
	said, err := shrink.Shell(ctx, line, h.CompileTime)
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

// defined reports whether a program that leaves want has no undefined behaviour that the host's compiler finds.
func (h *Hunt) defined(ctx context.Context, dir string, k *source.Kernel, want []byte) (bool, error) {
	got, err := h.answer(ctx, dir, k, true)
	if errors.Is(err, errUndefined) {
		return false, nil
	}
	return bytes.Equal(got, want), err
}
