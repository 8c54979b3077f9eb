package codeobj

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// archive returns an archive of files. The arguments alternate between the name in a header and the contents.
func archive(files ...string) []byte {
	b := []byte(archiveMagic)
	for i := 0; i < len(files); i += 2 {
		b = fmt.Appendf(b, "%-16s%-12s%-6s%-6s%-8s%-10d`\n%s", files[i], "0", "0", "0", "644", len(files[i+1]), files[i+1])
		if len(files[i+1])%2 == 1 {
			b = append(b, '\n')
		}
	}
	return b
}

func TestArchive(t *testing.T) {
	fiji, vega := string(load(t, "probe.v4.fiji.co")), string(load(t, "probe.v3.gfx900.co"))
	long := "a_name_that_is_too_long_for_the_header.o"
	for name, data := range map[string][]byte{
		"GNU": archive("/", "index", "//", "x.o/\n"+long+"/\n", "k.o/", fiji, "/5", string(bundle(hip+"gfx900", vega)), "notes/", "odd"),
		"BSD": archive("__.SYMDEF", "index", "k.o", fiji, "#1/44", long+"\x00\x00\x00\x00"+vega),
	} {
		all, err := CodeObjects(data, "")
		require.NoError(t, err, name)
		assert.Equal(t, []Member{{"k.o", []byte(fiji)}, {long, []byte(vega)}}, all, name)
		_, err = Unbundle(data, "")
		require.EqualError(t, err, "code object: archive: it holds 2 code objects: k.o, "+long+
			"; name a kernel, or give one of the objects")
		for cut := range data {
			_, _ = CodeObjects(data[:cut], "") // it must not panic
		}
	}
	one, err := Parse(archive("k.o/", fiji))
	require.NoError(t, err)
	got, err := UnbundleKernel(archive("k.o/", fiji, "notes/", "x"), "", one.Kernels[0].Name)
	require.NoError(t, err)
	assert.Equal(t, fiji, string(got))
}

// TestArchiveOfAr reads archives that the program ar writes.
func TestArchiveOfAr(t *testing.T) {
	ar, err := exec.LookPath("ar")
	if err != nil {
		t.Skip("ar is not installed: ", err)
	}
	dir := t.TempDir()
	var files []string
	for i, name := range []string{"k.o", "a_name_that_is_too_long_for_the_header.o", "notes.txt"} {
		files = append(files, filepath.Join(dir, name))
		data := []byte("nothing")
		if i < 2 {
			data = load(t, []string{"probe.v4.fiji.co", "probe.v3.gfx900.co"}[i])
		}
		require.NoError(t, os.WriteFile(files[i], data, 0o600))
	}
	for flags, says := range map[string]string{"rcs": "", "rcsT": "make it without T"} {
		name := filepath.Join(dir, flags+".a")
		out, err := exec.Command(ar, append([]string{flags, name}, files...)...).CombinedOutput()
		require.NoError(t, err, "%s", out)
		data, err := os.ReadFile(name)
		require.NoError(t, err)
		all, err := CodeObjects(data, "")
		if says != "" {
			require.ErrorContains(t, err, says)
			continue
		}
		require.NoError(t, err)
		assert.Equal(t, []Member{{"k.o", load(t, "probe.v4.fiji.co")},
			{"a_name_that_is_too_long_for_the_header.o", load(t, "probe.v3.gfx900.co")}}, all)
	}
}

func TestArchiveRefuses(t *testing.T) {
	fiji := string(load(t, "probe.v4.fiji.co"))
	host := []byte(fiji)
	le.PutUint16(host[18:], 62) // EM_X86_64
	for name, c := range map[string]struct {
		data []byte
		says string
	}{
		"thin":           {[]byte(thinMagic), "it is thin: its members are in other files"},
		"empty":          {archive(), "none of its 0 members is for an AMD GPU"},
		"other files":    {archive("x.o/", "text", "y.o/", string(host)), "none of its 2 members is for an AMD GPU"},
		"no header":      {append(archive("k.o/", fiji), "x"...), "there is no header at"},
		"cut":            {archive("k.o/", fiji)[:200], `member "k.o/" at 0x8 is longer than the file`},
		"no names":       {archive("/7", fiji), `it lacks the name of member "/7"`},
		"cut name":       {archive("#1/9", "x"), `it lacks the name of member "#1/9"`},
		"wrong bundle":   {archive("k.o/", string(bundle(hip+"gfx803", fiji, hip+"gfx900", "x"))), "member k.o: offload bundle: it holds code for gfx803, gfx900; choose one"},
		"twice a kernel": {archive("k.o/", fiji, "l.o/", fiji), "2 code objects have kernel"},
		"no kernel":      {archive("k.o/", fiji, "l.o/", fiji), `there is no kernel "nothing"; it holds: `},
		"no object":      {archive("k.o/", fiji, "l.o/", fiji[:100]), "l.o: it cannot be read"},
	} {
		kernel := "nothing"
		if name == "twice a kernel" {
			o, err := Parse([]byte(fiji))
			require.NoError(t, err)
			kernel = o.Kernels[0].Name
		}
		_, err := UnbundleKernel(c.data, "", kernel)
		var e *Error
		require.ErrorAs(t, err, &e, name)
		assert.ErrorContains(t, err, c.says, name)
	}
}
