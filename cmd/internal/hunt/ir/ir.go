// Package ir writes random kernels in LLVM IR and interprets them, so a kernel's right output is known without a
// compiler. The kernels have no undefined behaviour: [Run] refuses a text in which an active lane uses poison in an
// undefined way, or whose result depends on the bits of a NaN or on denormals.
package ir

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/gcnsim/gcnsim/cmd/internal/hunt/edge"
)

// Name is the name of every kernel.
const Name = "k"

// Work-groups have one wave. Each work-item has a fixed number of 32-bit words of input and of output.
const (
	Lanes   = 64
	inputs  = 6
	outputs = 8
)

// Kernel is a generated kernel.
type Kernel struct {
	edge.Origin
	Groups int
	Input  []byte // content of the second argument
	Body   string // instructions between head and tail
}

// Output returns the size of the first argument in bytes.
func (k *Kernel) Output() int { return 4 * outputs * Lanes * k.Groups }

// head starts a kernel: %x0 to %x5 are the work-item's input, and %o0 to %o7 point to its output.
const head = `target triple = "amdgcn-amd-amdhsa"

define amdgpu_kernel void @` + Name + `(ptr addrspace(1) %out, ptr addrspace(1) %in) #0 {
entry:
  %id = call i32 @llvm.amdgcn.workitem.id.x()
  %group = call i32 @llvm.amdgcn.workgroup.id.x()
  %first = mul i32 %group, 64
  %item = add i32 %first, %id
`

// buffer is the V# operand of the input. bufferText replaces it in the program.
const (
	buffer     = "<4 x i32> %buffer"
	bufferText = `  %%in.address = ptrtoint ptr addrspace(1) %%in to i64
  %%in.words = bitcast i64 %%in.address to <2 x i32>
  %%buffer = shufflevector <2 x i32> %%in.words, <2 x i32> <i32 %d, i32 151468>, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
`
)

// tail is the end of a kernel.
const tail = `  ret void
}
`

// calls matches a call of an intrinsic: its result, name and operands.
var calls = regexp.MustCompile(`call (.*?) (@llvm\.[\w.]+)\((.*)\)`)

// operand matches the value of an operand with its type.
var operand = regexp.MustCompile(` [%\w.-]+(,|$)`)

// Text returns the program for a body, the kernel's own or a reduced one.
func (k *Kernel) Text(body string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "; %v\n%s", k.Origin, head)
	for _, to := range []struct {
		of, from string
		n        int
		loads    bool
	}{{"x", "in", inputs, true}, {"o", "out", outputs, false}} {
		fmt.Fprintf(&b, "  %%%s.at = mul i32 %%item, %d\n", to.of, to.n)
		for i := range to.n {
			name := fmt.Sprintf("%%%s%d", to.of, i)
			if !regexp.MustCompile(name + `\b`).MatchString(body) {
				continue
			}
			pointer := name
			if to.loads {
				pointer += ".at"
			}
			fmt.Fprintf(&b, "  %s.index = add i32 %%%s.at, %d\n", name, to.of, i)
			fmt.Fprintf(&b, "  %s = getelementptr i32, ptr addrspace(1) %%%s, i32 %s.index\n", pointer, to.from, name)
			if to.loads {
				fmt.Fprintf(&b, "  %s = load i32, ptr addrspace(1) %s\n", name, pointer)
			}
		}
	}
	if strings.Contains(body, buffer) {
		fmt.Fprintf(&b, bufferText, len(k.Input))
	}
	b.WriteString(body + tail)
	text := b.String()
	return text + "\n" + declarations(text) + `attributes #0 = { nounwind "amdgpu-flat-work-group-size"="64,64" }` + "\n"
}

// declarations returns the declarations of the intrinsics that a text calls.
func declarations(text string) string {
	var all []string
	for _, m := range calls.FindAllStringSubmatch(text, -1) {
		all = append(all, fmt.Sprintf("declare %s %s(%s)\n", m[1], m[2], operand.ReplaceAllString(m[3], "$1")))
	}
	slices.Sort(all)
	return strings.Join(slices.Compact(all), "")
}
