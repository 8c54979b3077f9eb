package isa

import (
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
)

// Check returns an *[Error] if a field is set that the descriptors of generation g lack, or if its value does not
// fit: of a Buffer for a V#, an Image for a T#, a SamplerState for an S#. A field that is 0 counts as not set. The
// method Words panics where Check returns an error, so call Check for fields that come from outside of the program.
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

// mustHold panics with the error of [Check], if there is one.
func mustHold[T Buffer | Image | SamplerState](g Gen, fields T) {
	if err := Check(g, fields); err != nil {
		panic("gcn: " + err.Error())
	}
}

// On returns i without the fields that a T# of generation g lacks, for an image that is described once for several
// generations.
func (i Image) On(g Gen) Image {
	return existing(i, func(i Image) Image { return i.pack(g).Fields(g) })
}

// On returns s without the fields that an S# of generation g lacks, for a sampler that is described once for several
// generations.
func (s SamplerState) On(g Gen) SamplerState {
	return existing(s, func(s SamplerState) SamplerState { return s.pack(g).Fields(g) })
}

// existing returns fields without those that a descriptor lacks. See [limits].
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

// limits returns the smallest and the largest value of each field of a descriptor. They are equal if the descriptor
// lacks the field. held encodes fields and decodes them again.
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

// checkHeld returns an error for the first field of given that does not fit the descriptor. held encodes fields and
// decodes them again.
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

// maxBits has all bits set that a field of type int can have.
const maxBits = 1<<30 - 1

// setFar sets the numbers of v to values beyond their fields: floats to f, others to n.
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

// holds reports whether a field can hold x. has is x after encoding and decoding. Levels of detail are rounded; the
// largest one stands for values up to the next whole level.
func holds(x, has, least, most reflect.Value) bool {
	if x.Kind() != reflect.Float32 {
		return x.Equal(has)
	}
	return x.Float() >= least.Float() && x.Float() <= math.Ceil(most.Float()) // false for NaN
}

// number formats the value of a field. A code is formatted as its number.
func number(x reflect.Value) string {
	switch x.Kind() {
	case reflect.Float32, reflect.Bool:
		return fmt.Sprint(x)
	case reflect.Uint64: // the value is an address
		return fmt.Sprintf("%#x", x.Uint())
	}
	return fmt.Sprintf("%d", x.Interface())
}

// between describes the values that a field can hold.
func between(least, most reflect.Value) string {
	switch least.Kind() {
	case reflect.Array:
		return "each " + between(least.Index(0), most.Index(0))
	case reflect.Float32:
		return fmt.Sprintf("%v to %v", least, math.Ceil(most.Float()))
	}
	if least.Kind() == reflect.Uint32 && least.Uint() != 0 { // a size that doubles with each code
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
