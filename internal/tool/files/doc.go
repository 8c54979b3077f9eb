// Package files has the command's input and output: files that are written completely or not at all, inputs with size
// limits, line by line, readers that a context interrupts, and writers that keep their first error. [Uses] detects
// arguments that name the same file.
package files
