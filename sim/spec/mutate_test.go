package spec

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// node is a JSON value that can be changed in place. An object keeps its keys in order,
// and may have one twice.
type node struct {
	raw   string   // a value without members
	keys  []string // of an object
	items []*node  // of an object or an array
	open  byte     // '{', '[' or 0
}

// parseNode reads text, which is JSON.
func parseNode(text string) *node {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	return readNode(d)
}

func readNode(d *json.Decoder) *node {
	token, err := d.Token()
	if err != nil {
		panic(err)
	}
	delim, nested := token.(json.Delim)
	if !nested {
		b, _ := json.Marshal(token)
		return &node{raw: string(b)}
	}
	n := &node{open: byte(delim)}
	for d.More() {
		if n.open == '{' {
			key, _ := d.Token()
			n.keys = append(n.keys, key.(string))
		}
		n.items = append(n.items, readNode(d))
	}
	_, _ = d.Token()
	return n
}

func (n *node) append(b *bytes.Buffer) {
	if n.open == 0 {
		b.WriteString(n.raw)
		return
	}
	b.WriteByte(n.open)
	for i, item := range n.items {
		if i > 0 {
			b.WriteByte(',')
		}
		if n.open == '{' {
			fmt.Fprintf(b, "%q:", n.keys[i])
		}
		item.append(b)
	}
	b.WriteByte(n.open + 2) // the closing bracket of either kind
}

func (n *node) String() string {
	var b bytes.Buffer
	n.append(&b)
	return b.String()
}

// clone returns a copy that shares nothing with n.
func (n *node) clone() *node {
	c := *n
	c.keys, c.items = append([]string(nil), n.keys...), nil
	for _, item := range n.items {
		c.items = append(c.items, item.clone())
	}
	return &c
}

// all appends n and what it holds.
func (n *node) all(list []*node) []*node {
	list = append(list, n)
	for _, item := range n.items {
		list = item.all(list)
	}
	return list
}

// edges are values at the edges of the types that keys have, and of other types.
var edges = []string{
	`0`, `1`, `-1`, `2`, `63`, `64`, `65`, `101`, `102`, `103`, `104`, `127`, `128`, `255`, `256`, `257`, `1023`,
	`1025`, `4095`, `4096`, `65535`, `65536`, `65537`,
	`2147483647`, `2147483648`, `4294967295`, `4294967296`, `4294967297`, `1099511627775`, `281474976710655`,
	`9223372036854775807`, `9223372036854775808`,
	`18446744073709551552`, `18446744073709551615`, `18446744073709551616`, `-2147483648`, `-2147483649`,
	`-9223372036854775808`, `-9223372036854775809`,
	`1.5`, `-0`, `1e3`, `1e39`, `1e-400`, `1e999`,
	`""`, `"0"`, `"-"`, `"0x"`, `"0xffffffffffffffff"`, `"0x10000000000000000"`, `"-1"`, `"-0x8000000000000000"`,
	`" 1"`, `"1_0"`, `"07"`, `"inf"`, `"nan"`, `"\u0000"`, `"\ud800"`,
	`"00112233"`, `"bf800000"`, `"0011223"`, `"all"`, `"gfx900"`, `"tahiti"`, `"rdna"`, `"../../../etc/passwd"`,
	`"s_nop 0\ns_endpgm"`,
	`true`, `false`, `null`, `[]`, `{}`, `[[]]`, `[{}]`, `[null]`, `[0]`, `[-1]`, `[0,1]`, `[1,2,3,4]`,
	`["0xffffffffffffffff",1]`, `[[0,18446744073709551615]]`,
	`[[18446744073709551615,1]]`, `[[0,1],[0,1],[0,1]]`, `["all","all"]`, `{"0":1}`, `{"18446744073709551615":[1]}`,
	`{"255":0,"256":0}`, `{"-1":0}`, `{"1":[1,2],"2":[3]}`,
	`{"addr":-1,"size":1}`, `[{"addr":-16,"size":32}]`, `[{"addr":0,"size":18446744073709551615}]`,
	`[{"addr":4096,"size":4096},{"addr":4097,"size":1}]`, `{"size":0}`, `{"size":65537}`,
	`{"buffer":{}}`, `[{"buffer":{"size":0}}]`, `[{"local":4294967295}]`, `[{"arg":0}]`,
	`[{"arg":0,"hex":true},{"arg":0,"hex":true}]`, `{"seed":0}`, `{"CUs":0}`, `{"CUs":-1,"L1Latency":9223372036854775807}`,
	`[0` + strings.Repeat(`,0`, 64) + `]`, strings.Repeat(`[`, 100) + strings.Repeat(`]`, 100),
	`"` + strings.Repeat(`ab`, 1000) + `"`,
}

// mutations of one place: the edges, and what else can be done to it.
const (
	mutateDelete = iota
	mutateTwice
	mutateKey
	mutateWrap
	mutateCopy
	numMutations
)

// mutate changes the place with that number in some way; more chooses what is left open.
func (n *node) mutate(place, how, more int) {
	places := n.all(nil)
	at := places[place%len(places)]
	if how %= len(edges) + numMutations; how < len(edges) {
		*at = node{raw: edges[how]}
		return
	}
	switch how - len(edges) {
	case mutateDelete, mutateTwice, mutateKey:
		if len(at.items) == 0 {
			return
		}
		i := more % len(at.items)
		switch {
		case how-len(edges) == mutateTwice:
			at.items = append(at.items, at.items[i].clone())
			if at.open == '{' {
				at.keys = append(at.keys, at.keys[i])
			}
		case how-len(edges) == mutateDelete:
			at.items = append(at.items[:i:i], at.items[i+1:]...)
			if at.open == '{' {
				at.keys = append(at.keys[:i:i], at.keys[i+1:]...)
			}
		case at.open == '{':
			at.keys[i] = []string{strings.ToUpper(at.keys[i]), at.keys[i] + "s", "", "255", "4294967296"}[more%5]
		}
	case mutateWrap:
		inner := at.clone()
		*at = node{open: '[', items: []*node{inner}}
	case mutateCopy:
		*at = *places[more%len(places)].clone()
	}
}
