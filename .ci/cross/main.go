// Cross checks the types of all packages, and of their tests, for hosts with code of their own or another size of int:
// cross DIR GOOS/GOARCH...
package main

import (
	"fmt"
	"os"
	"strings"

	"golang.org/x/tools/go/packages"
)

func main() {
	bad := 0
	for _, host := range os.Args[2:] {
		system, arch, _ := strings.Cut(host, "/")
		all, err := packages.Load(&packages.Config{
			Mode: packages.NeedName | packages.NeedImports | packages.NeedDeps | packages.NeedFiles |
				packages.NeedCompiledGoFiles | packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesSizes,
			Dir: os.Args[1], Tests: true, Env: append(os.Environ(), "GOOS="+system, "GOARCH="+arch, "CGO_ENABLED=0"),
		}, "./...")
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		n := packages.PrintErrors(all)
		fmt.Printf("%s: %d packages, %d errors\n", host, len(all), n)
		bad += n
	}
	if bad > 0 {
		os.Exit(1)
	}
}
