// Package record stores a run step by step: which registers each instruction changed, which addresses its lanes
// accessed, which of them were out of range and by which rule, the texels and weights of images, the outstanding
// counters, and times. A viewer shows it; docs/RECORD.md describes the file.
//
//	rec := record.New(record.Options{})
//	err := m.Watch(rec)
//	_, err = m.RunAsm(ctx, w, text)
//	r := rec.Record()
//	for s, err := range r.Windows[0].Steps() {
//		fmt.Println(s.Text, s.VGPRs) // which vector registers it changed
//	}
//
// A recorder stores windows of a run: a number of waves, and a number of instructions of each. It counts the
// instructions that it does not store. It does not change results.
package record
