package texture

import (
	"encoding/binary"
	"fmt"
	"math"
	"unsafe"

	"github.com/gcnsim/gcnsim/gcn/tile"
)

// Element is a type of numbers that elements of an image, or their parts, can have.
type Element interface {
	~uint8 | ~int8 | ~uint16 | ~int16 | ~uint32 | ~int32 | ~float32 | ~uint64 | ~int64
}

// Upload writes a slice and sample of a level: its elements row after row, each as one or more numbers from the
// lowest bits up. It returns an error of [tile.Layout.Upload], for example if there are too few numbers, or a
// *[Error] if there are too many.
func Upload[T Element](t *Texture, level, slice, sample int, rows []T) error {
	b := bytesOf(rows)
	if level >= 0 && level < len(t.Layout.Levels()) {
		if n := t.rowBytes(level); len(b) > n {
			return &Error{t, fmt.Sprintf("%d bytes for a level of %d bytes a slice and sample", len(b), n)}
		}
	}
	return t.Layout.Upload(t.surface, level, slice, sample, b, 0)
}

// bytesOf returns the bytes of elements in little-endian order.
func bytesOf[T Element](all []T) (b []byte) {
	one, size := T(1), unsafe.Sizeof(T(0))
	float := one/2 != 0
	for _, v := range all {
		bits := uint64(v)
		if float {
			bits = uint64(math.Float32bits(float32(v)))
		}
		for range size {
			b = append(b, byte(bits))
			bits >>= 8
		}
	}
	return b
}

// Download reads a slice and sample of a level, in the form that [Upload] writes. The error is a *[tile.Error], or a
// *[Error] if the elements are not a whole number of T.
func Download[T Element](t *Texture, level, slice, sample int) ([]T, error) {
	b, err := t.rows(level, slice, sample)
	if err != nil {
		return nil, err
	}
	var one T
	if len(b)%binary.Size(one) != 0 {
		return nil, &Error{t, fmt.Sprintf("%d bytes are not a whole number of %T", len(b), one)}
	}
	rows := make([]T, len(b)/binary.Size(one))
	_, err = binary.Decode(b, binary.LittleEndian, rows)
	return rows, err
}

// noLevel returns the error for a level that does not exist.
func noLevel(level int) error {
	return &tile.Error{Kind: tile.NoElement, What: fmt.Sprintf("no level %d", level)}
}

// rows returns the elements of a slice and sample of a level, row after row.
func (t *Texture) rows(level, slice, sample int) ([]byte, error) {
	if level < 0 || level >= len(t.Layout.Levels()) {
		return nil, noLevel(level)
	}
	b := make([]byte, t.rowBytes(level))
	return b, t.Layout.Download(b, 0, t.surface, level, slice, sample)
}

// rowBytes returns the size in bytes of the elements of a slice and sample of a level.
func (t *Texture) rowBytes(level int) int {
	v := &t.Layout.Levels()[level]
	return v.Width * v.Height * t.Layout.Surface.Bytes
}
