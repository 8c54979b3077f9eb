// Package record keeps what a run did, step by step: which registers each instruction
// changed, which addresses its lanes accessed and which were out of range and by which rule,
// the texels and weights of images, the counters in flight, and times. A viewer shows it;
// docs/RECORD.md describes the file.
//
//	rec := record.New(record.Options{})
//	err := m.Watch(rec)
//	_, err = m.RunAsm(ctx, w, text)
//	r := rec.Record()
//	for s, err := range r.Windows[0].Steps() {
//		fmt.Println(s.Text, s.VGPRs) // which vector registers it changed
//	}
//
// A recorder keeps windows of a run: of so many waves, of each so many instructions. What it
// leaves out it counts. It changes no result.
package record
