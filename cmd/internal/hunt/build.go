package hunt

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/gcnsim/gcnsim/cmd/internal/shrink"
)

// Placeholders in compiler commands for a level, a processor, and files.
const (
	levelHere = "{O}"
	cpuHere   = "{cpu}"
	inHere    = "{in}"
	outHere   = "{out}"
	// Placeholders for shaders: the command gcnsim, the program that dispatches them, and the input file.
	selfHere  = "{gcnsim}"
	runHere   = "{run}"
	inputHere = "{input}"
)

// build is a compiler command with which programs are compiled.
type build struct {
	Name    string // "1" to "N", also the name of its files
	Command string // with {in} and {out}
}

// builds combines each command with each level and each processor that it has a placeholder for. The error says which
// flag is missing.
func builds(commands, levels, chips []string) (all []build, err error) {
	commands = slices.Clone(commands)
	for i, command := range commands {
		if !strings.Contains(command, inHere) && !strings.Contains(command, outHere) {
			commands[i] += " " + inHere + " -o " + outHere
			continue
		}
		for _, here := range []string{inHere, outHere} {
			if !strings.Contains(command, here) {
				return nil, fmt.Errorf("%q has no %s; give both %s and %s, or neither", command, here, inHere, outHere)
			}
		}
	}
	if commands, err = replaced(commands, levelHere, "levels", levels); err != nil {
		return nil, err
	}
	if commands, err = replaced(commands, cpuHere, "chips", chips); err != nil {
		return nil, err
	}
	for i, command := range commands {
		all = append(all, build{fmt.Sprint(i + 1), command})
	}
	return all, nil
}

// replaced replaces a placeholder by each of the values, in the commands that have it.
func replaced(commands []string, here, flag string, values []string) (all []string, err error) {
	some := false
	for _, command := range commands {
		has := strings.Contains(command, here)
		some = some || has
		switch {
		case has && len(values) == 0:
			return nil, fmt.Errorf("%q has %s; give values for it with --%s", command, here, flag)
		case !has:
			all = append(all, command)
			continue
		}
		for _, v := range values {
			all = append(all, strings.ReplaceAll(command, here, v))
		}
	}
	if len(values) > 0 && !some {
		return nil, fmt.Errorf("%q has no %s, so that --%s has no effect", commands[0], here, flag)
	}
	return all, nil
}

// line returns the command for files in its working directory.
func (b *build) line(in, out string) string {
	return strings.NewReplacer(inHere, in, outHere, out, selfHere, "gcnsim", runHere, "./vulkan", inputHere,
		inputFile).Replace(b.Command)
}

// crashes matches output which shows that a compiler has failed instead of refusing a program.
var crashes = regexp.MustCompile(`(?mi)^.*(LLVM ERROR|error in backend|assertion|PLEASE submit a bug report|` +
	`stack dump|internal compiler error|segmentation fault|unreachable executed).*$`)

// lacks matches the message that a processor has no such instruction.
var lacks = regexp.MustCompile(`(?i)cannot select.*llvm\.amdgcn\.`)

// selecting matches the operation, without its types, for which LLVM has no machine code.
var selecting = regexp.MustCompile(`[Cc]annot select: (?:.*?= )?(?:\w+::)?(\w+)`)

// running matches the failed pass in LLVM's stack dump.
var running = regexp.MustCompile(`Running pass '([^']+)' on function.*`)

// dumps are exit statuses of a shell after a signal that means a crash: SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE,
// SIGSEGV.
var dumps = []int{132, 133, 134, 135, 136, 139}

// varying matches parts of a crash message that are different for each program.
var varying = regexp.MustCompile(`0x[0-9a-f]+|%\w+|'[^']*'|/\S+|\bt?\d+\b`)

// compile compiles the program in a directory to NAME.o, and the original text of a variant to the object of
// [plainOf]. f is nil if there is an object, or if the compiler refuses the program; refused is then its message.
func (h *Hunt) compile(ctx context.Context, dir string, k *program, b *build) (f *failure, refused string, err error) {
	f, refused, err = h.compileFile(ctx, dir, k.file(), b)
	if k.plain != nil && f == nil && refused == "" && err == nil {
		f, refused, err = h.compileFile(ctx, dir, k.plainFile(), plainOf(b))
	}
	return f, refused, err
}

// compileFile compiles a file in a directory to NAME.o.
func (h *Hunt) compileFile(ctx context.Context, dir, file string, b *build) (f *failure, refused string, err error) {
	in, out := filepath.Join(dir, file), filepath.Join(dir, b.Name+".o")
	line := strings.NewReplacer(inHere, shrink.Quoted(in), outHere, shrink.Quoted(out), selfHere, shrink.Quoted(h.Self),
		runHere, shrink.Quoted(h.runner), inputHere, shrink.Quoted(filepath.Join(dir, inputFile))).Replace(b.Command)
	said, err := shrink.Shell(ctx, line, h.CompileTime)
	text := string(said)
	switch {
	case ctx.Err() != nil:
		return nil, "", ctx.Err()
	case errors.Is(err, shrink.ErrLate):
		return &failure{Kind: hangs, Why: fmt.Sprintf("the compiler took longer than %v", h.CompileTime),
			Signature: "hang"}, "", nil
	case err == nil:
		if _, missing := os.Stat(out); missing != nil {
			refused = "the compiler ended with status 0 and wrote no object"
		}
		return nil, refused, nil
	case lacks.MatchString(text):
		return nil, fmt.Sprintf("%v: %s", err, lacks.FindString(text)), nil
	}
	if line := strings.TrimSpace(crashes.FindString(text)); line != "" {
		signature := varying.ReplaceAllString(line, "*")
		if m := selecting.FindStringSubmatch(line); m != nil {
			signature = "cannot select " + m[1]
		}
		if m := running.FindStringSubmatch(text); m != nil && strings.HasPrefix(line, "PLEASE") {
			line, signature = m[0], m[1]
		}
		return &failure{Kind: crash, Why: line, Signature: "crash: " + signature}, "", nil
	}
	if ended, ok := errors.AsType[*exec.ExitError](err); ok && slices.Contains(dumps, ended.ExitCode()) {
		why := fmt.Sprintf("the compiler ended with status %d", ended.ExitCode())
		return &failure{Kind: crash, Why: why, Signature: "crash: " + why}, "", nil
	}
	return nil, fmt.Sprintf("%v: %s", err, strings.TrimSpace(text)), nil
}
