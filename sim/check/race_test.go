package check_test

import (
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
)

// raceSpecimen is a program of testdata/races.tsv.
type raceSpecimen struct {
	id, expected  string
	target        gcn.Target
	groups, waves int
	registers     map[int]string
	lines         []string
	fixes         []raceFix
}

// raceFix has lines that mend a program if they are inserted before the instruction with index at.
type raceFix struct {
	at    int
	lines []string
}

func raceSpecimens(t testing.TB) (all []raceSpecimen) {
	data, err := os.ReadFile("testdata/races.tsv")
	require.NoError(t, err)
	number := func(s string) int {
		n, err := strconv.Atoi(s)
		require.NoError(t, err, s)
		return n
	}
	for line := range strings.Lines(string(data)) {
		f := strings.Split(strings.TrimRight(line, "\n"), "\t")
		if strings.HasPrefix(line, "#") || f[0] == "id" {
			continue
		}
		require.Len(t, f, 7, line)
		for cpu := range strings.SplitSeq(f[1], ",") {
			s := raceSpecimen{id: f[0] + "/" + cpu, expected: f[4], lines: strings.Split(f[3], `\n`), groups: 1, waves: 1,
				registers: map[int]string{}}
			s.target, err = gcn.ParseTarget(cpu)
			require.NoError(t, err)
			for one := range strings.SplitSeq(f[2], "; ") {
				name, value, _ := strings.Cut(one, " ")
				switch name {
				case "-":
				case "groups":
					s.groups = number(value)
				case "waves":
					s.waves = number(value)
				default:
					s.registers[number(strings.TrimPrefix(name, "v"))] = value
				}
			}
			if f[5] != "-" {
				for one := range strings.SplitSeq(f[5], "; ") {
					at, fix, _ := strings.Cut(one, " ")
					s.fixes = append(s.fixes, raceFix{number(at), strings.Split(fix, `\n`)})
				}
			}
			all = append(all, s)
		}
	}
	return all
}

// registerValues are the functions of the work-item id that give the initial value of a VGPR of a specimen.
var registerValues = map[string]func(id int) uint32{
	"0": func(int) uint32 { return 0 }, "7": func(int) uint32 { return 7 },
	"id":          func(id int) uint32 { return uint32(id) },
	"4*id":        func(id int) uint32 { return uint32(4 * id) },
	"4*(127-id)":  func(id int) uint32 { return uint32(4 * (127 - id)) },
	"4*(id%64)":   func(id int) uint32 { return uint32(4 * (id % 64)) },
	"256*(id/64)": func(id int) uint32 { return uint32(256 * (id / 64)) },
}

func (s *raceSpecimen) crew(t testing.TB, lines []string) *crew {
	w := newCrew(t, s.target, s.groups, s.waves, strings.Join(lines, "\n"))
	for v, name := range s.registers {
		require.Contains(t, registerValues, name)
		w.set(v, registerValues[name])
	}
	return w
}

// TestRaceZoo runs programs that race, and others that only look so. Each must have exactly its
// expected finding, whichever wave executes first, and no finding after it is mended.
func TestRaceZoo(t *testing.T) {
	for _, s := range raceSpecimens(t) {
		t.Run(s.id, func(t *testing.T) {
			w := s.crew(t, s.lines)
			require.Equal(t, s.expected, w.tell(w.run(inOrder)), "%v", w.c.Findings())
			w = s.crew(t, s.lines)
			require.Equal(t, s.expected, w.tell(w.run(backwards())))
			if s.fixes == nil {
				return
			}
			mended := slices.Clone(s.lines)
			for _, f := range slices.Backward(s.fixes) {
				mended = slices.Insert(mended, f.at, f.lines...)
			}
			w = s.crew(t, mended)
			left := w.run(inOrder)
			require.Empty(t, severe(slices.Clone(left)), "%v: %v", mended, left)
			require.Less(t, len(left), strings.Count(s.expected, "@"), mended)
		})
	}
}

// The address of a finding is the address of the first byte that both accesses share.
func TestAddressOfARace(t *testing.T) {
	for at := range uint32(4) {
		w := newCrew(t, gcn.GFX900, 1, 2, "ds_write_b8 v0, v1\ns_waitcnt lgkmcnt(0)")
		w.set(0, func(int) uint32 { return 16 + at })
		w.set(1, func(id int) uint32 { return uint32(id) / 64 })
		found := w.run(inOrder)
		require.NotEmpty(t, found)
		require.Equal(t, uint64(16+at), *found[0].Addr)
	}
}
