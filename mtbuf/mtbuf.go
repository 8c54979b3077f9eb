// Package mtbuf executes the typed buffer instructions, whose data and number format are
// in the instruction. Addressing and conversion are the rules of the FORMAT instructions in
// package mubuf, which has the code. Sources: the handbook's chapters on buffers and their data.
package mtbuf

import _ "github.com/gcnsim/gcnsim/mubuf" // executes MTBUF
