// Package pm4 decodes PM4, the packets that a driver writes for the command processor of a Radeon. A table has one
// row for each packet: where it exists, the fields in its words, and its effect.
//
//	s := pm4.Stream{Gen: gcn.GCN12, Ring: pm4.Compute}
//	for at := 0; at < len(words); {
//		p, n, err := s.Next(words, at)
//		...
//		at += n
//	}
//
// [Stream.List] writes a command buffer as text. A packet without a row is an error and is never skipped.
//
// Sources: Mesa, sid.h and the command streams of RADV and radeonsi; the amdgpu kernel driver, sid.h, cikd.h, vid.h
// and soc15d.h.
package pm4
