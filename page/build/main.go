// Build bundles the viewer and the page from their TypeScript sources:
//
// npm ci --prefix page
//
//	go run -C page/build .           writes page/dist, which is committed and embedded
//	go run -C page/build . -check    checks whether page/dist is up to date
//	go run -C page/build . -o DIR    writes the page as static files, with the library as
//	                                 WebAssembly; it uses page/dist and needs no packages
//
// It is a module of its own, together with the browser tests of the page, so that users of the library do not
// download its dependencies.
package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

func main() {
	dir := flag.String("C", "..", "directory of the page")
	check := flag.Bool("check", false, "compare with what is there, write nothing")
	static := flag.String("o", "", "directory for the static files of the page")
	flag.Parse()
	var err error
	if *static != "" {
		err = site(*static)
	} else {
		err = run(*dir, *check)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "build:", err)
		os.Exit(1)
	}
}

// run builds the bundle in dir, and writes it or compares it with page/dist.
func run(dir string, check bool) error {
	files, err := bundle(dir)
	if err != nil {
		return err
	}
	if files["LICENSES.txt"], err = licenses(dir); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		path := filepath.Join(dir, "dist", name)
		if check {
			err = compare(path, files[name])
		} else {
			err = write(path, files[name])
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// isPacked reports whether a file of the bundle is embedded as gzip. The page's program is, because it is most of the
// bundle.
func isPacked(path string) bool { return filepath.Base(path) == "page.js" }

// write writes a file of the bundle, compressed if isPacked says so.
func write(path string, data []byte) error {
	if !isPacked(path) {
		return os.WriteFile(path, data, 0o644)
	}
	gz, _, err := pack(data)
	if err != nil {
		return err
	}
	return os.WriteFile(path+".gz", gz, 0o644)
}

// compare returns an error if the content of a file is not data.
func compare(path string, data []byte) error {
	old, err := os.ReadFile(path)
	if isPacked(path) {
		old, err = unpack(path + ".gz")
	}
	if err != nil {
		return err
	}
	if !bytes.Equal(old, data) {
		return fmt.Errorf("%s is not what the sources build; run make bundle", path)
	}
	return nil
}

// unpack decompresses a gzip file.
func unpack(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(z)
}

// bundle returns the files that esbuild makes, by name.
func bundle(dir string) (map[string][]byte, error) {
	root, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(filepath.Join(root, "node_modules")); err != nil {
		return nil, fmt.Errorf("there are no packages, run npm ci --prefix %s: %w", dir, err)
	}
	entries, err := filepath.Glob(filepath.Join(root, "src", "entry.*"))
	if err != nil {
		return nil, err
	}
	options := api.BuildOptions{
		AbsWorkingDir: root, Outdir: filepath.Join(root, "dist"), Bundle: true, Charset: api.CharsetUTF8,
		MinifyWhitespace: true, MinifyIdentifiers: true, MinifySyntax: true,
		Target: api.ES2022, Format: api.FormatIIFE, Platform: api.PlatformBrowser, LegalComments: api.LegalCommentsNone,
		JSX: api.JSXAutomatic, JSXImportSource: "preact", LogLevel: api.LogLevelSilent,
		Loader: map[string]api.Loader{".md": api.LoaderText},
	}
	for _, e := range entries {
		name := strings.TrimPrefix(filepath.Base(e), "entry.")
		name = strings.TrimSuffix(name, filepath.Ext(name))
		options.EntryPointsAdvanced = append(options.EntryPointsAdvanced, api.EntryPoint{InputPath: e, OutputPath: name})
	}
	result := api.Build(options)
	var failed []error
	for _, m := range result.Errors {
		at := ""
		if m.Location != nil {
			at = fmt.Sprintf("%s:%d:%d: ", m.Location.File, m.Location.Line, m.Location.Column)
		}
		failed = append(failed, errors.New(at+m.Text))
	}
	files := map[string][]byte{}
	for _, f := range result.OutputFiles {
		files[filepath.Base(f.Path)] = f.Contents
	}
	return files, errors.Join(failed...)
}

// licenses returns the licences of the bundled packages.
func licenses(dir string) ([]byte, error) {
	text, err := os.ReadFile(filepath.Join(dir, "package-lock.json"))
	if err != nil {
		return nil, err
	}
	var lock struct {
		Packages map[string]struct{ Dev bool } // by directory
	}
	if err := json.Unmarshal(text, &lock); err != nil {
		return nil, fmt.Errorf("package-lock.json: %w", err)
	}
	var out bytes.Buffer
	out.WriteString("Licences of the packages that the bundle of this directory contains\n")
	for _, at := range slices.Sorted(maps.Keys(lock.Packages)) {
		if at == "" || lock.Packages[at].Dev { // the page itself, or a development tool
			continue
		}
		paths, err := filepath.Glob(filepath.Join(dir, filepath.FromSlash(at), "LICENSE*"))
		if err != nil {
			return nil, err
		}
		for _, p := range paths {
			text, err := os.ReadFile(p)
			if err != nil {
				return nil, err
			}
			fmt.Fprintf(&out, "\n---- %s\n\n%s\n", strings.TrimPrefix(at, "node_modules/"), bytes.TrimSpace(text))
		}
	}
	return out.Bytes(), nil
}
