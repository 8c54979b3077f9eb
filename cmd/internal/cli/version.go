package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/gcnsim/gcnsim/internal/base/block"
)

// Version says which build this is: the version of the module, which names the commit where it is not
// a release, and the version of Go. Builds of one source for two systems have the same version.
func Version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "(unknown)"
	}
	return fmt.Sprintf("%s, built with %s", info.Main.Version, info.GoVersion)
}

// Build says what else tells builds apart: the system, build tags and the commit, as far as known, and why programs
// are not compiled to machine code if they are not.
func Build() string {
	list := []string{runtime.GOOS + "/" + runtime.GOARCH}
	if info, ok := debug.ReadBuildInfo(); ok {
		list = append(list, settings(info.Settings)...)
	}
	if why := block.Available(); why != "" {
		list = append(list, "no compiled blocks: "+why)
	}
	return strings.Join(list, ", ")
}

// settings puts the settings of a build into words.
func settings(of []debug.BuildSetting) (list []string) {
	values := make(map[string]string)
	for _, s := range of {
		values[s.Key] = s.Value
	}
	if tags := values["-tags"]; tags != "" {
		list = append(list, "tags "+tags)
	}
	if commit := values["vcs.revision"]; commit != "" {
		list = append(list, fmt.Sprintf("commit %s of %s", commit, values["vcs.time"]))
	}
	if values["vcs.modified"] == "true" {
		list = append(list, "modified")
	}
	return list
}
