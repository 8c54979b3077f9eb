// Package mtbuf executes the typed buffer instructions, whose data and number format are in the instruction. They
// address and convert as the FORMAT instructions do; package mubuf implements both. Sources: the handbook's chapters
// on buffers and their data.
package mtbuf

import _ "github.com/gcnsim/gcnsim/mubuf" // binds the MTBUF rows
