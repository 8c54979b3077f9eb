// Package verdict decides whether two programs do the same. [Diff] runs two dispatches on each of their inputs and
// compares what they leave. [DiffObjects] compares the kernels of two code objects, and [GroupObjects] the kernels of
// several. The launches are made from the metadata, see [Launches], and from comments of the source, see [ParseHints].
// [Reduce] makes the input on which two dispatches differ small. The commands diff, reduce and hunt run these.
package verdict
