// Package pm4 reads PM4, the packets that a driver gives to the command processor of a
// Radeon: one row a packet says where it exists, what its words are and what it does.
//
//	s := pm4.Stream{Gen: gcn.GCN12, Ring: pm4.Compute}
//	for at := 0; at < len(words); {
//		p, n, err := s.Next(words, at)
//		...
//		at += n
//	}
//
// [Stream.List] writes a command buffer for people. A packet that no row names is an
// error, never skipped.
//
// Sources: Mesa, sid.h and the command streams of RADV and radeonsi; the amdgpu kernel
// driver, sid.h, cikd.h, vid.h and soc15d.h.
package pm4
