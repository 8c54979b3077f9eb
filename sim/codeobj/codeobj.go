// Package codeobj reads AMDGPU code objects: ELF files with compiled kernels, linked or not, in the layouts v2
// (amd_kernel_code_t) to v6 (kernel descriptors), and assembly texts from clang -S. It returns the layout of a
// kernel's registers and arguments; package sim loads and executes it.
package codeobj

import "github.com/gcnsim/gcnsim/internal/sim/codeobj"

// Object is a parsed code object.
type Object = codeobj.Object

// Kernel is a kernel with its resources and arguments.
type Kernel = codeobj.Kernel

// Arg is an argument of a kernel.
type Arg = codeobj.Arg

// ArgKind is the kind of an argument.
type ArgKind = codeobj.ArgKind

// The kinds of arguments that callers pass.
const (
	ByValue              = codeobj.ByValue
	GlobalBuffer         = codeobj.GlobalBuffer
	DynamicSharedPointer = codeobj.DynamicSharedPointer // 32-bit LDS offset of memory that the dispatch allocates
	Sampler              = codeobj.Sampler
	Image                = codeobj.Image
	Pipe                 = codeobj.Pipe
	Queue                = codeobj.Queue
)

// Symbol is a kernel or a function.
type Symbol = codeobj.Symbol

// Error describes an error in a file: what is wrong, where, and what to do.
type Error = codeobj.Error

// Parse reads a code object: an ELF file, a bundle or archive with one for a GCN processor, or assembly text. The
// error is an *[Error]. Parse keeps data, which the caller must not change.
func Parse(data []byte) (*Object, error) { return codeobj.Parse(data) }
