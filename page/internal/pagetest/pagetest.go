// Package pagetest creates records for tests of the page.
package pagetest

import (
	"bytes"
	"context"
	"testing"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/sim/record"
	"github.com/gcnsim/gcnsim/sim"
)

// Record executes text on a wave with the V# of a 64-byte buffer in s[0:3] and 4 times the lane number in v0, and
// returns the record. It fails the test if the program fails.
func Record(t testing.TB, text string) *record.Record {
	t.Helper()
	m := sim.New(gcn.GFX803)
	w := m.NewWave()
	w.SetBuffer(0, gcn.Buffer{Base: m.Alloc(64).Addr, NumRecords: 64})
	for i := range w.V[0] {
		w.V[0][i] = uint32(4 * i)
	}
	rec := record.New(record.Options{})
	if err := m.Watch(rec); err != nil {
		t.Fatal(err)
	}
	if _, err := m.RunAsm(context.Background(), w, text); err != nil {
		t.Fatal(err)
	}
	return rec.Record()
}

// File returns the file content of [Record].
func File(t testing.TB, text string) []byte {
	t.Helper()
	var file bytes.Buffer
	if err := Record(t, text).Write(&file); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}
