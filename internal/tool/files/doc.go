// Package files is how the command reads and writes: files whole or not at all, inputs up
// to a limit and line by line, readers that an ending context interrupts, and writers that
// keep their first error. [Uses] says which of them are one.
package files
