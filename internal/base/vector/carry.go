//go:build !js

package vector

// Carries are the additions and subtractions with carries.
var Carries = []Carry{
	{"add", addWith, addWithout},
	{"sub", subWith, subWithout},
	{
		"subrev", func(e *Code, x, y, in Value) (r, out Value) { return subWith(e, y, x, in) },
		func(e *Code, x, y Value) (r, none Value) { return subWithout(e, y, x) },
	},
}

func addWith(e *Code, x, y, in Value) (sum, out Value) {
	sum = e.sub(e.add(x, y), in)
	return sum, e.or(e.and(x, y), e.andNot(e.or(x, y), sum))
}

func addWithout(e *Code, x, y Value) (sum, none Value) {
	sum = e.add(x, y)
	return sum, e.equal(e.maxU(sum, x), sum)
}

func subWith(e *Code, x, y, in Value) (diff, out Value) {
	diff = e.add(e.sub(x, y), in)
	return diff, e.or(e.andNot(y, x), e.andNot(diff, e.xor(x, y)))
}

func subWithout(e *Code, x, y Value) (diff, none Value) { return e.sub(x, y), e.equal(e.maxU(x, y), x) }
