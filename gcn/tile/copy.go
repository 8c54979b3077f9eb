package tile

import "fmt"

// Upload copies the elements of one slice z and sample of a level to surface, which has Layout.Size bytes. rows holds
// the elements in row-major order, with stride bytes from one row to the next; stride 0 means that rows are adjacent.
// Errors are *[Error].
func (l *Layout) Upload(surface []byte, level, z, sample int, rows []byte, stride int) error {
	return l.copy(surface, level, z, sample, rows, stride, true)
}

// Download copies in the opposite direction of [Layout.Upload]: from surface to rows.
func (l *Layout) Download(rows []byte, stride int, surface []byte, level, z, sample int) error {
	return l.copy(surface, level, z, sample, rows, stride, false)
}

// copy copies rows to surface if up is set, else surface to rows.
func (l *Layout) copy(surface []byte, level, z, sample int, rows []byte, stride int, up bool) error {
	p, err := l.Plan(level, 0, 0, l.Surface.Depth)
	if err != nil {
		return err
	}
	if z < 0 || z >= len(p.z) || sample < 0 || sample >= len(p.s) {
		return l.noElement(level, 0, 0, z, sample)
	}
	unit, width := l.Surface.Bytes, len(p.x)*l.Surface.Bytes
	if stride == 0 {
		stride = width
	}
	switch {
	case uint64(len(surface)) < l.Size:
		return &Error{BadSurface, fmt.Sprintf("%d bytes for a surface of %d; give all of them", len(surface), l.Size)}
	case stride < width || len(rows) < width || len(p.y) > 1 && stride > (len(rows)-width)/(len(p.y)-1):
		return &Error{BadSurface, fmt.Sprintf("%d bytes, %d a row, for %d rows of %d; a row takes at least as many, and "+
			"rows as many as they are", len(rows), stride, len(p.y), width)}
	}
	for y := range p.y {
		row := rows[y*stride:][:width]
		line := p.y[y].Plus(p.z[z]).Plus(p.s[sample])
		for x := range p.x {
			t := line.Plus(p.x[x])
			at := p.base + t.Add + t.Xor
			place, element := surface[at:at+uint64(unit)], row[x*unit:][:unit]
			if up {
				copy(place, element)
			} else {
				copy(element, place)
			}
		}
	}
	return nil
}
