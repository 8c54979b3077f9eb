package enum

import (
	"fmt"
	"reflect"
	"runtime"
	"slices"
)

// Full says that table, which is indexed by values of T, has an entry for each of them: it panics,
// which stops the program as it starts, with the file and line of the call and the first value whose
// entry is the zero value. The values of zero are those whose entry is to be that. Packages call it
// behind the table:
//
//	var names = [numColours]string{red: "red", green: "green"}
//	var _ = enum.Full[colour](names[:])
func Full[T ~uint8 | ~uint16, E any](table []E, zero ...T) struct{} {
	for i := range table {
		if v := T(i); reflect.ValueOf(&table[i]).Elem().IsZero() && !slices.Contains(zero, v) {
			_, file, line, _ := runtime.Caller(1)
			panic(fmt.Sprintf("%s:%d: the table before has no entry for %s", file, line, describe(v)))
		}
	}
	return struct{}{}
}

// describe returns the number of v, and its name if it has one.
func describe[T ~uint8 | ~uint16](v T) string {
	text := Number(v)
	if s, ok := any(v).(fmt.Stringer); ok && s.String() != "" && s.String() != text {
		text += ", " + s.String()
	}
	return text
}
