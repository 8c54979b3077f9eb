// Package codeobj reads AMDGPU code objects: the ELF files, linked or not, that hold compiled kernels, in the layouts
// v2 (amd_kernel_code_t) to v6 (kernel descriptors), and the texts of such that clang -S writes. It says how a kernel
// wants its registers and arguments laid out; package sim loads and runs it.
package codeobj

import "github.com/gcnsim/gcnsim/internal/sim/codeobj"

// Object is a parsed code object.
type Object = codeobj.Object

// Kernel is a kernel with its resources and arguments.
type Kernel = codeobj.Kernel

// Arg is an argument of a kernel.
type Arg = codeobj.Arg

// ArgKind says what an argument is.
type ArgKind = codeobj.ArgKind

// The kinds of arguments that callers give.
const (
	ByValue              = codeobj.ByValue
	GlobalBuffer         = codeobj.GlobalBuffer
	DynamicSharedPointer = codeobj.DynamicSharedPointer // 32-bit LDS offset of memory that the dispatch adds
	Sampler              = codeobj.Sampler
	Image                = codeobj.Image
	Pipe                 = codeobj.Pipe
	Queue                = codeobj.Queue
)

// Symbol is a kernel or a function.
type Symbol = codeobj.Symbol

// Error says what is wrong with a file, where, and what to do.
type Error = codeobj.Error

// Parse reads a code object: an ELF file, a bundle or archive that holds one for a GCN processor, or assembly text. The
// error is an *[Error]. Parse keeps data: the caller must not change it.
func Parse(data []byte) (*Object, error) { return codeobj.Parse(data) }
