package asm

import (
	"slices"
	"strconv"
	"strings"

	"github.com/gcnsim/gcnsim/gcn"
)

func (p *parser) dpp() *syntaxError {
	p.space()
	at := p.at
	w := p.word()
	if w == "quad_perm" {
		v, err := p.quadPerm()
		p.set(gcn.DPPCTRL, v)
		return err
	}
	for _, s := range &dppShifts {
		if w == s.word {
			if err := p.expect(":"); err != nil {
				return err
			}
			n, err := p.integer(w, 1, 15)
			p.set(gcn.DPPCTRL, int64(s.base)+n)
			return err
		}
	}
	counts := ""
	for _, f := range &dppFixed {
		if name, count, counted := strings.Cut(f.word, ":"); w == name && counted {
			counts = strings.TrimPrefix(counts+" or "+count, " or ")
		}
	}
	word := w
	if counts != "" {
		if err := p.expect(":"); err != nil {
			return err
		}
		p.space()
		at := p.at
		n, err := p.known(w)
		if err != nil {
			return err
		}
		word = w + ":" + strconv.FormatInt(n, 10)
		if !slices.ContainsFunc(dppFixed[:], func(f dppControl) bool { return f.word == word }) {
			return p.errorf(at, "%s is %d, must be %s", w, n, counts)
		}
	}
	for _, f := range &dppFixed {
		if f.word == word {
			p.set(gcn.DPPCTRL, int64(f.ctrl))
			return nil
		}
	}
	p.at = at
	return p.errorf(at, "expected a DPP control, as quad_perm:[0,1,2,3] or row_shl:1, found %s", p.found())
}

func (p *parser) quadPerm() (int64, *syntaxError) {
	v := int64(0)
	for n := range 4 {
		if err := p.expect([...]string{":", ",", ",", ","}[n]); err != nil {
			return 0, err
		}
		if n == 0 {
			if err := p.expect("["); err != nil {
				return 0, err
			}
		}
		x, err := p.integer("quad_perm element", 0, 3)
		if err != nil {
			return 0, err
		}
		v |= x << (2 * n)
	}
	return v, p.expect("]")
}

// swizzle takes offset:N or offset:swizzle(MODE, ...).
func (p *parser) swizzle(q *part) *syntaxError {
	if !p.acceptKey(q.word) {
		return nil
	}
	if !p.call("swizzle") {
		v, err := p.integer("offset", 0, 65535)
		p.set(q.field, v)
		return err
	}
	p.space()
	at := p.at
	mode := p.word()
	arg := func(lo, hi int64) (v int64, err *syntaxError) {
		if err = p.expect(","); err == nil {
			v, err = p.integer(mode+" argument", lo, hi)
		}
		return v, err
	}
	var v, x int64
	var err *syntaxError
	power := func(n int64) bool { return n&(n-1) == 0 }
	switch mode {
	case "QUAD_PERM":
		v = swizzleQuad
		for n := 0; n < 4 && err == nil; n++ {
			x, err = arg(0, 3)
			v |= x << (2 * n)
		}
	case "BROADCAST":
		var group int64
		if group, err = arg(2, 32); err != nil {
			return err
		}
		if !power(group) {
			return p.errorf(at, "group size is %d, must be a power of two", group)
		}
		if x, err = arg(0, group-1); err == nil {
			v = 32 - group | x<<5
		}
	case "SWAP":
		if x, err = arg(1, 16); err == nil && !power(x) {
			return p.errorf(at, "group size is %d, must be a power of two", x)
		}
		v = 31 | x<<10
	case "REVERSE":
		if x, err = arg(2, 32); err == nil && !power(x) {
			return p.errorf(at, "group size is %d, must be a power of two", x)
		}
		v = 31 | (x-1)<<10
	case "BITMASK_PERM":
		v, err = p.bitmaskPerm()
	case "FFT", "ROTATE":
		if !p.g.Traits().Apertures {
			return p.errorf(at, "%v has no %s swizzle", p.g, mode)
		}
		if mode == "FFT" {
			x, err = arg(0, 31)
			v = swizzleFFT | x
			break
		}
		if v, err = arg(0, 1); err == nil {
			x, err = arg(0, 31)
			v = swizzleRotate | v<<10 | x<<5
		}
	default:
		return p.errorf(at, "swizzle mode is %q, must be QUAD_PERM, BITMASK_PERM, BROADCAST, SWAP, REVERSE, ROTATE or FFT", mode)
	}
	if err == nil {
		err = p.expect(")")
	}
	p.set(q.field, v)
	return err
}

// bitmaskPerm takes "00pip", a rule for each bit of the lane number, the highest first.
func (p *parser) bitmaskPerm() (int64, *syntaxError) {
	if err := p.expect(","); err != nil {
		return 0, err
	}
	if err := p.expect(`"`); err != nil {
		return 0, err
	}
	at := p.at
	end := strings.IndexByte(p.s[at:], '"')
	if end != 5 {
		return 0, p.errorf(at, "bit mask must be five of 0, 1, p, i in quotes")
	}
	var and, or, xor int64
	for n, c := range p.s[at : at+5] {
		bit := int64(16) >> n
		switch c {
		case '0':
		case '1':
			or |= bit
		case 'p':
			and |= bit
		case 'i':
			and |= bit
			xor |= bit
		default:
			return 0, p.errorf(at+n, "bit mask must be five of 0, 1, p, i in quotes")
		}
	}
	p.at = at + 6
	return and | or<<5 | xor<<10, nil
}
