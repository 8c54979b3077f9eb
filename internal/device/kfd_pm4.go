package device

import "encoding/binary"

// left returns how many dwords of a PM4 ring lie between the read index and a write index. Depending on the
// generation indices wrap at the end of the ring or count without wrapping; the result is the same.
func (q *kfdQueue) left(write uint64) uint64 { return (write - q.read) & (q.size/4 - 1) }

// stepPM4 executes the packets in a PM4 ring. It reports false if a packet has to wait, or if the queue has ended.
func (k *KFD) stepPM4(q *kfdQueue) bool {
	f, s := k.file, &q.pm4
	p := &s.ring.processor
	if p.work == nil {
		words, err := k.wordsPM4(q)
		if err != nil {
			return k.failRing(q, q.ring, err)
		}
		k.mu.Lock()
		s.ring.scratch = k.scratch
		k.mu.Unlock()
		s.sequence = q.read
		s.frames = []frame{{addr: q.ring + 4*q.read, words: words}}
	}
	giveBack := f.borrow()
	_, err := p.run(f, s)
	giveBack()
	k.mu.Lock()
	k.scanSlots() // packets raise events by storing in their slots
	k.mu.Unlock()
	switch {
	case q.ctx.Err() != nil:
		return false
	case err != nil:
		return k.failRing(q, q.ring, err)
	case p.waiting != nil:
		q.pending.Store(true)
		return false
	}
	q.read = (q.read + uint64(len(s.frames[0].words))) & (q.size/4 - 1)
	return k.showRead(q, q.read)
}

// wordsPM4 returns a copy of the words between the read and the write index.
func (k *KFD) wordsPM4(q *kfdQueue) ([]uint32, error) {
	write := k.word(q.writePtr)
	if write == nil {
		return nil, refuse("the write index at 0x%x is not in memory of the card", q.writePtr)
	}
	ring := k.bytes(q.ring, q.size)
	if ring == nil {
		return nil, refuse("the ring at 0x%x is not in memory of the card", q.ring)
	}
	words := make([]uint32, q.left(write.Load()))
	for i := range words {
		words[i] = binary.LittleEndian.Uint32(ring[(4*q.read+4*uint64(i))&(q.size-1):])
	}
	return words, nil
}
