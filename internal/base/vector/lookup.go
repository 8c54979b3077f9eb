//go:build !js

package vector

import "fmt"

// named returns the element of a table with a name. It panics if there is none.
func named[T any](table []T, name string, nameOf func(*T) string) *T {
	for i := range table {
		if nameOf(&table[i]) == name {
			return &table[i]
		}
	}
	panic(fmt.Sprintf("vector: there is no operation %q", name))
}

// Int returns the operation on integers with that name.
func Int(name string) *Op { return named(Ints, name, func(o *Op) string { return o.Name }) }

// WideOp returns the operation with a result of 64 bits with that name.
func WideOp(name string) *Wide { return named(Wides, name, func(o *Wide) string { return o.Name }) }

// Conversion returns the conversion between integers and float32 with that name.
func Conversion(name string) *Op {
	return named(Conversions, name, func(o *Op) string { return o.Name })
}

// FloatOp returns the operation on float32 with that name.
func FloatOp(name string) *Float { return named(Floats, name, func(o *Float) string { return o.Name }) }

// Compare returns the comparison with that name.
func Compare(name string) *Comparison {
	return named(Comparisons, name, func(o *Comparison) string { return o.Name })
}

// CarryOp returns the operation with carries with that name.
func CarryOp(name string) *Carry {
	return named(Carries, name, func(o *Carry) string { return o.Name })
}
