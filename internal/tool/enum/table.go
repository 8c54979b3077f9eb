package enum

import (
	"fmt"
	"reflect"
	"runtime"
)

// Full checks that table, which is indexed by T, has an entry for each value of T. If an entry is the zero value, it
// panics at the start of the program, with the location of the call and the first missing value. The values in zero
// are exempt: their entries must be the zero value. Packages call it behind the table:
//
// var names = [numColours]string{red: "red", green: "green"}
//
//	var _ = enum.Full[colour](names[:])
func Full[T ~uint8 | ~uint16, E any](table []E, zero ...T) struct{} {
	full(reflect.ValueOf(table), reflect.ValueOf(zero))
	return struct{}{}
}

// full is Full without type parameters, so that a program contains its code only once.
func full(table, zero reflect.Value) {
	empty := map[uint64]bool{} // values whose entries must be the zero value
	for i := range zero.Len() {
		empty[zero.Index(i).Uint()] = true
	}
	for i := range table.Len() {
		if table.Index(i).IsZero() && !empty[uint64(i)] {
			v := reflect.New(zero.Type().Elem()).Elem()
			v.SetUint(uint64(i))
			_, file, line, _ := runtime.Caller(2)
			panic(fmt.Sprintf("%s:%d: the table before has no entry for %s", file, line, describe(v.Interface())))
		}
	}
}

// describe returns the number of v, with its name if it has one.
func describe(v any) string {
	text := fmt.Sprintf("%T(%d)", v, v)
	if s, ok := v.(fmt.Stringer); ok && s.String() != "" && s.String() != text {
		text += ", " + s.String()
	}
	return text
}
