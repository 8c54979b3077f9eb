package tile

import "fmt"

// Rows are the elements of one slice and sample of a level as programs hold pictures: row
// after row.
type Rows struct {
	Bytes  []byte
	Stride int // bytes from a row to the next; 0 is a row's elements
}

// Upload copies rows to slice z and the sample of a level of surface, which holds
// Layout.Size bytes. Errors are *[Error].
func (l *Layout) Upload(surface []byte, level, z, sample int, rows Rows) error {
	return l.copy(surface, level, z, sample, rows, true)
}

// Download is the inverse of [Layout.Upload].
func (l *Layout) Download(rows Rows, surface []byte, level, z, sample int) error {
	return l.copy(surface, level, z, sample, rows, false)
}

// copy copies rows to surface, or surface to rows.
func (l *Layout) copy(surface []byte, level, z, sample int, rows Rows, up bool) error {
	p, err := l.Plan(level)
	if err != nil {
		return err
	}
	if z < 0 || z >= len(p.z) || sample < 0 || sample >= len(p.s) {
		return noElement(level, 0, 0, z, sample)
	}
	unit, width := l.Surface.Bytes, len(p.x)*l.Surface.Bytes
	if rows.Stride == 0 {
		rows.Stride = width
	}
	switch {
	case uint64(len(surface)) < l.Size:
		return &Error{BadSurface, fmt.Sprintf("%d bytes for a surface of %d", len(surface), l.Size)}
	case rows.Stride < width || len(rows.Bytes) < width || len(p.y) > 1 && rows.Stride > (len(rows.Bytes)-width)/(len(p.y)-1):
		return &Error{BadSurface, fmt.Sprintf("%d bytes, %d a row, for %d rows of %d", len(rows.Bytes), rows.Stride, len(p.y), width)}
	}
	for y := range p.y {
		row := rows.Bytes[y*rows.Stride:][:width]
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
