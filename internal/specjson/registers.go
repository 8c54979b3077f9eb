package specjson

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/gcnsim/gcnsim/internal/tool/literal"
	"github.com/gcnsim/gcnsim/state"
)

// registers reads what an object gives registers, by number: one value or an array of them. With lanes
// one value is the value of all lanes.
func (d *decoder) registers(into *map[int][]uint32, path string, lanes bool) error {
	*into = map[int][]uint32{}
	return d.object(path, func(key string, at int) error {
		first, err := strconv.ParseUint(key, 10, 16)
		if err != nil {
			return d.fail(at, path, "%s is not the number of a register", literal.Quoted(key))
		}
		if _, twice := (*into)[int(first)]; twice { // as 1 and 01
			return d.fail(at, path, "%c%d is given twice", path[len(path)-len("sgpr")], first)
		}
		values, single, err := d.numbers(join(path, key))
		if single && lanes {
			values = slices.Repeat(values, state.NumLanes)
		}
		(*into)[int(first)] = values
		return err
	})
}

// numbers reads one number, or an array of them.
func (d *decoder) numbers(path string) (values []uint32, single bool, err error) {
	number := func(path string) error {
		d.next()
		at := d.at
		var n uint32
		if err := unmarshalInteger(d.raw(), &n, 32, true); err != nil {
			return d.fail(at, path, "%v", err)
		}
		values = append(values, n)
		return nil
	}
	if d.next() != '[' {
		return values, true, number(path)
	}
	err = d.array(path, func(i int) error { return number(fmt.Sprintf("%s[%d]", path, i)) })
	return values, false, err
}
