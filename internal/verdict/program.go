package verdict

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gcnsim/gcnsim/internal/sim/codeobj"
)

// program is a file and the code objects in it.
type program struct {
	name   string
	parts  []*part
	unread error // why the file cannot be read, nil if it can
}

// part is one code object of a program.
type part struct {
	name   string // name in messages, for example lib.a(k.o)
	data   []byte
	object *codeobj.Object
}

// readPrograms reads files. It returns an error if a hint is about a kernel that no file has, if the files have no
// kernel in common, or if fewer than two files can be read. names has the names of the files.
func readPrograms(data [][]byte, names []string, o *ObjectsOptions) ([]program, error) {
	all := make([]program, len(data))
	var kernels []codeobj.Kernel
	var unread []error
	for i := range data {
		all[i].name = names[i]
		if all[i].unread = all[i].read(data[i], o.Processor); all[i].unread != nil {
			all[i].parts = nil
			unread = append(unread, all[i].unread)
			continue
		}
		for _, p := range all[i].parts {
			kernels = append(kernels, p.object.Kernels...)
		}
	}
	if len(data)-len(unread) < 2 { // nothing remains to be compared
		return nil, unread[0]
	}
	if err := unknownHint(o.Hints, kernels); err != nil {
		return nil, fmt.Errorf("%s: %w", names[0], err)
	}
	if len(common(all, o.Kernel)) > 0 {
		return all, nil
	}
	var has []string
	for i := range all {
		has = append(has, fmt.Sprintf("%s has %s", names[i], nameList(all[i].kernels())))
	}
	last := len(names) - 1
	return nil, fmt.Errorf("%s and %s have no kernel %sin common: %s", strings.Join(names[:last], ", "), names[last],
		strings.TrimPrefix(o.Kernel+" ", " "), strings.Join(has, ", "))
}

// read reads the code objects of a file that are for a processor.
func (p *program) read(data []byte, processor string) error {
	members, err := codeobj.CodeObjects(data, processor)
	if err != nil {
		return fmt.Errorf("%s: %w", p.name, err)
	}
	for _, m := range members {
		x := &part{name: p.name, data: m.Data}
		if m.Name != "" {
			x.name = fmt.Sprintf("%s(%s)", p.name, m.Name)
		}
		if x.object, err = codeobj.Parse(m.Data); err != nil {
			return fmt.Errorf("%s: %w", x.name, err)
		}
		p.parts = append(p.parts, x)
	}
	return nil
}

// find returns a kernel and the code object that has it. Both are nil if there is none. The error says that several
// code objects have the kernel.
func (p *program) find(kernel string) (at *part, k *codeobj.Kernel, err error) {
	for _, x := range p.parts {
		found, err := x.object.Kernel(kernel)
		if err != nil {
			continue
		}
		if at != nil {
			return nil, nil, fmt.Errorf("%s and %s both have kernel %s; give the objects that are meant", at.name,
				x.name, kernel)
		}
		at, k = x, found
	}
	return at, k, nil
}

// describes returns an error if the kernel has arguments and p has no metadata about them.
func (p *part) describes(kernel string) error {
	k, err := p.object.Kernel(kernel)
	if err == nil && len(k.Args) == 0 && k.KernargBytes > 0 {
		return fmt.Errorf("%s has no metadata of arguments (a note), so that their types and sizes are not known: compile "+
			"with it, as for amdgcn-amd-amdhsa; or give a specification with --spec whose kernarg has the %d bytes of "+
			"the arguments", p.name, k.KernargBytes)
	}
	return err
}

// kernels returns the names of all kernels of a program.
func (p *program) kernels() (names []string) {
	for _, x := range p.parts {
		for i := range x.object.Kernels {
			if name := x.object.Kernels[i].Name; !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// common returns the names of kernels that at least two programs have. If kernel is not "", it omits all others.
func common(programs []program, kernel string) (names []string) {
	count := map[string]int{}
	for i := range programs {
		for _, name := range programs[i].kernels() {
			if count[name]++; count[name] == 1 {
				names = append(names, name)
			}
		}
	}
	return slices.DeleteFunc(names, func(name string) bool {
		return count[name] < 2 || kernel != "" && kernel != name
	})
}

// nameList returns the names of kernels as text.
func nameList(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}
