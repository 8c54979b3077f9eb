package cli

import (
	"fmt"
	"runtime/debug"
)

// Version says which build this is: the module's version, or the commit it was built from.
func Version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "(unknown)"
	}
	text := info.Main.Version
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && text == "(devel)" {
			text = s.Value
		}
	}
	return fmt.Sprintf("%s, built with %s", text, info.GoVersion)
}
