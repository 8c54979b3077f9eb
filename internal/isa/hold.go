package isa

import (
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
)

// Check returns an *[Error] for a field that a descriptor of generation g does not have, or does
// not hold as it is: a V# of a Buffer, a T# of an Image, an S# of a SamplerState. A field that is 0
// is not set. Words of these types panics where Check returns an error: a program checks fields that
// it did not choose itself.
func Check[T Buffer | Image | SamplerState](g Gen, fields T) error {
	switch f := any(fields).(type) {
	case Buffer:
		return checkHeld("a V#", f, func(b Buffer) Buffer { return b.pack().Fields() })
	case Image:
		return checkHeld(fmt.Sprintf("a T# of %v", g), f, func(i Image) Image { return i.pack(g).Fields(g) })
	case SamplerState:
		return checkHeld(fmt.Sprintf("an S# of %v", g), f, func(s SamplerState) SamplerState { return s.pack(g).Fields(g) })
	}
	return nil
}

// mustHold panics with what [Check] says.
func mustHold[T Buffer | Image | SamplerState](g Gen, fields T) {
	if err := Check(g, fields); err != nil {
		panic("gcn: " + err.Error())
	}
}

// On returns i without the fields that a T# of generation g does not have: for an image that is
// described once for several generations.
func (i Image) On(g Gen) Image {
	return existing(i, func(i Image) Image { return i.pack(g).Fields(g) })
}

// On returns s without the fields that an S# of generation g does not have: for a sampler that is
// described once for several generations.
func (s SamplerState) On(g Gen) SamplerState {
	return existing(s, func(s SamplerState) SamplerState { return s.pack(g).Fields(g) })
}

// existing returns fields without those that a descriptor does not have. See [limits].
func existing[T any](fields T, held func(T) T) T {
	least, most := limits(held)
	v := reflect.ValueOf(&fields).Elem()
	for i := range v.NumField() {
		if least.Field(i).Equal(most.Field(i)) {
			v.Field(i).SetZero()
		}
	}
	return fields
}

// limits returns the least and the greatest value of each field of a descriptor, which are equal if
// the descriptor does not have the field. held packs fields and unpacks them.
func limits[T any](held func(T) T) (least, most reflect.Value) {
	var lo, hi T
	setFar(reflect.ValueOf(&lo).Elem(), math.Inf(-1), 0)
	lo = held(lo)
	least = reflect.ValueOf(lo)
	for i := range least.NumField() {
		first := 0
		if field := least.Field(i); field.Kind() == reflect.Int {
			first = int(field.Int())
		}
		setFar(reflect.ValueOf(&hi).Elem().Field(i), math.Inf(1), first+maxBits)
	}
	return least, reflect.ValueOf(held(hi))
}

// checkHeld refuses the first field of given, the fields of a descriptor, that it does not hold:
// held packs fields and unpacks them.
func checkHeld[T any](descriptor string, given T, held func(T) T) error {
	v, has := reflect.ValueOf(given), reflect.ValueOf(held(given))
	low, high := limits(held)
	for i := range v.NumField() {
		name, x, least, most := v.Type().Field(i).Name, v.Field(i), low.Field(i), high.Field(i)
		switch {
		case x.IsZero():
		case least.Equal(most):
			return &Error{Kind: NoField, what: fmt.Sprintf("%s is %s, but %s has no such field; leave it unset", name,
				number(x), descriptor)}
		case !holds(x, has.Field(i), least, most):
			return &Error{Kind: NoField, what: fmt.Sprintf("%s is %s, which %s does not hold; give %s", name, number(x),
				descriptor, between(least, most))}
		}
	}
	return nil
}

// maxBits is all ones in each field of an int.
const maxBits = 1<<30 - 1

// setFar sets the numbers of v to what is beyond their fields or all ones in them, or to 0:
// floats to f, others to n.
func setFar(v reflect.Value, f float64, n int) {
	switch v.Kind() {
	case reflect.Struct:
		for _, field := range v.Fields() {
			setFar(field, f, n)
		}
	case reflect.Array:
		for i := range v.Len() {
			setFar(v.Index(i), f, n)
		}
	case reflect.Float32:
		v.SetFloat(f)
	case reflect.Bool:
		v.SetBool(n != 0)
	case reflect.Int:
		v.SetInt(int64(n))
	default:
		if n != 0 {
			v.SetUint(math.MaxUint64 >> (64 - v.Type().Bits()))
		}
	}
}

// holds reports whether a field can hold x: has is x after it was packed and unpacked. Levels of
// detail are rounded, levels above the greatest one up to a whole level.
func holds(x, has, least, most reflect.Value) bool {
	if x.Kind() != reflect.Float32 {
		return x.Equal(has)
	}
	return x.Float() >= least.Float() && x.Float() <= math.Ceil(most.Float()) // no NaN
}

// number prints a value of a field: a code as the number that it is.
func number(x reflect.Value) string {
	switch x.Kind() {
	case reflect.Float32, reflect.Bool:
		return fmt.Sprint(x)
	case reflect.Uint64: // an address
		return fmt.Sprintf("%#x", x.Uint())
	}
	return fmt.Sprintf("%d", x.Interface())
}

// between says which values a field holds.
func between(least, most reflect.Value) string {
	switch least.Kind() {
	case reflect.Array:
		return "each " + between(least.Index(0), most.Index(0))
	case reflect.Float32:
		return fmt.Sprintf("%v to %v", least, math.Ceil(most.Float()))
	}
	if least.Kind() == reflect.Uint32 && least.Uint() != 0 { // a size whose codes double it
		var sizes []string
		for n := least.Uint(); n < most.Uint(); n *= 2 {
			sizes = append(sizes, strconv.FormatUint(n, 10))
		}
		return strings.Join(sizes, ", ") + " or " + number(most)
	}
	text := number(least) + " to " + number(most)
	if least.Kind() == reflect.Uint64 {
		if step := most.Uint() & -most.Uint(); step > 1 {
			text += fmt.Sprintf(" in steps of %d", step)
		}
	}
	return text
}
