// Package enum names the values of enumerations, of which users can make any number.
package enum

import "fmt"

// Name returns the name of v, by its number, or if it has none the type with the number, as in
// "gcn.Gen(99)".
func Name[T ~uint8 | ~uint16](names []string, v T) string {
	if int(v) < len(names) && names[v] != "" {
		return names[v]
	}
	return Number(v)
}

// Number returns the type of v with its number.
func Number[T ~uint8 | ~uint16](v T) string { return fmt.Sprintf("%T(%d)", v, v) }
