package enum

import (
	"fmt"
	"reflect"
	"runtime"
)

// Full says that table, which is indexed by values of T, has an entry for each of them: it panics,
// which stops the program as it starts, with the file and line of the call and the first value whose
// entry is the zero value. The values of zero are those whose entry is to be that. Packages call it
// behind the table:
//
//	var names = [numColours]string{red: "red", green: "green"}
//	var _ = enum.Full[colour](names[:])
func Full[T ~uint8 | ~uint16, E any](table []E, zero ...T) struct{} {
	full(reflect.ValueOf(table), reflect.ValueOf(zero))
	return struct{}{}
}

// full is Full for slices of any types, so that a program holds its code once.
func full(table, zero reflect.Value) {
	empty := map[uint64]bool{} // those whose entry is to be the zero value
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

// describe returns the number of v, and its name if it has one.
func describe(v any) string {
	text := fmt.Sprintf("%T(%d)", v, v)
	if s, ok := v.(fmt.Stringer); ok && s.String() != "" && s.String() != text {
		text += ", " + s.String()
	}
	return text
}
