package sweep

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/v1"

	"github.com/gcnsim/gcnsim/internal/sim/codeobj"
)

// What [Init] gives the kernels of an object.
const (
	initBuffer = 64 << 10 // bytes of a buffer
	initGroup  = 64       // work-items of a work-group, unless the kernel requires another size
	initGroups = 4
	initLocal  = 4 << 10 // bytes of dynamic LDS of an argument
	initSeeds  = 4
)

// Init returns a corpus of what lies in a directory and below: a case for each
// specification of dispatch, FILE.json, and for each kernel of a code object that no
// specification names, with random buffers. skipped says what is left out and why.
func Init(dir string) (corpus []byte, skipped []string, err error) {
	found, objects, err := filesIn(dir)
	if err != nil {
		return nil, nil, err
	}
	var b bytes.Buffer
	named := map[string]bool{}
	specs, skipped := split(dir, found)
	for _, name := range specs {
		object, _ := namedObject(dir, name)
		named[object] = true
		b.Write(lineOf(map[string]any{"id": strings.TrimSuffix(name, filepath.Ext(name)), "dispatch": name}))
	}
	for _, name := range objects {
		if named[name] {
			continue
		}
		lines, left, err := objectCases(dir, name)
		if err != nil {
			skipped = append(skipped, fmt.Sprintf("%s: %v", name, err))
			continue
		}
		skipped = append(skipped, left...)
		b.Write(lines)
	}
	if b.Len() == 0 {
		return nil, skipped, fmt.Errorf("%s: there is no specification and no kernel of a code object that can be given "+
			"arguments", dir)
	}
	return b.Bytes(), skipped, nil
}

// Specs returns the names of the specifications of dispatch in a directory and below, relative to it.
// skipped says what else of JSON is left out.
func Specs(dir string) (specs, skipped []string, err error) {
	found, _, err := filesIn(dir)
	if err != nil {
		return nil, nil, err
	}
	specs, skipped = split(dir, found)
	return specs, skipped, nil
}

// Contents returns the names of the specifications of dispatches, and of the code objects, in a directory and below,
// relative to it.
func Contents(dir string) (specs, objects []string, err error) {
	found, objects, err := filesIn(dir)
	if err != nil {
		return nil, nil, err
	}
	specs, _ = split(dir, found)
	return specs, objects, nil
}

// split returns which files of a directory are specifications, and says of the others that they are not.
func split(dir string, found []string) (specs, skipped []string) {
	for _, name := range found {
		if _, ok := namedObject(dir, name); ok {
			specs = append(specs, name)
		} else {
			skipped = append(skipped, name+": it is no specification of dispatch")
		}
	}
	return specs, skipped
}

// filesIn returns the names of the JSON files and of the objects in a directory and below, relative to it.
func filesIn(dir string) (specs, objects []string, err error) {
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		switch strings.ToLower(filepath.Ext(name)) {
		case ".json":
			specs = append(specs, name)
		case ".co", ".o", ".so", ".hsaco":
			objects = append(objects, name)
		}
		return nil
	})
	return specs, objects, err
}

// namedObject returns the object that a specification of dispatch names, relative to dir.
func namedObject(dir, name string) (object string, ok bool) {
	text, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		return "", false
	}
	var spec struct {
		CodeObject string `json:"code_object"`
		Kernel     string `json:"kernel"`
	}
	if json.Unmarshal(text, &spec) != nil || spec.CodeObject == "" || spec.Kernel == "" {
		return "", false
	}
	return filepath.Join(filepath.Dir(name), spec.CodeObject), true
}

// objectCases returns the lines of the kernels of an object.
func objectCases(dir, name string) (lines []byte, skipped []string, err error) {
	data, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		return nil, nil, err
	}
	o, err := codeobj.Parse(data)
	if err != nil {
		return nil, nil, err
	}
	for i := range o.Kernels {
		k := &o.Kernels[i]
		args, why := arguments(k)
		if why != "" {
			skipped = append(skipped, name+": kernel "+k.Name+": "+why)
			continue
		}
		group := []uint32{initGroup, 1, 1}
		if k.ReqdGroupSize[0] > 0 {
			group = k.ReqdGroupSize[:]
		} else if k.MaxFlatGroupSize > 0 {
			group[0] = min(group[0], k.MaxFlatGroupSize)
		}
		entry := map[string]any{
			"id": strings.TrimSuffix(name, filepath.Ext(name)) + "/" + k.Name,
			"dispatch": map[string]any{
				"code_object": name, "kernel": k.Name, "grid": []uint32{group[0] * initGroups, group[1], group[2]},
				"workgroup": group, "args": args,
			},
		}
		if slices.ContainsFunc(args, func(a map[string]any) bool { return a["buffer"] != nil }) {
			entry["seeds"] = initSeeds
		}
		lines = append(lines, lineOf(entry)...)
	}
	return lines, skipped, nil
}

// arguments returns random buffers, and small numbers for values: many are sizes.
func arguments(k *codeobj.Kernel) (args []map[string]any, why string) {
	args = []map[string]any{}
	for i, a := range k.Args {
		if a.Hidden {
			continue
		}
		switch a.Kind {
		case codeobj.GlobalBuffer:
			as := "u32"
			if strings.HasPrefix(a.TypeName, "float") {
				as = "f32"
			}
			args = append(args, map[string]any{"buffer": map[string]any{"size": initBuffer, "random": i + 1, "as": as}})
		case codeobj.DynamicSharedPointer:
			args = append(args, map[string]any{"local": initLocal})
		case codeobj.ByValue:
			value := make([]byte, a.Size)
			if len(value) > 0 {
				value[0] = initGroup
			}
			args = append(args, map[string]any{"hex": fmt.Sprintf("%x", value)})
		default:
			return nil, fmt.Sprintf("argument %d is a %s, which is not made", i, a.ValueKind)
		}
	}
	return args, ""
}
