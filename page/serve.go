package page

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"path"
	"strings"

	"github.com/gcnsim/gcnsim/handbook"
	"github.com/gcnsim/gcnsim/page/engine"
)

// Files are the files of the page that do not depend on who serves it, by name: index.html of
// a page that runs the library as WebAssembly, the bundle, and the pictures of the handbook.
func Files() map[string][]byte {
	files := map[string][]byte{"index.html": index}
	for _, name := range []string{"page.js", "worker.js", "style.css", "LICENSES.txt"} {
		files[name] = asset(name)
	}
	pictures, err := fs.Glob(handbook.Pictures, "*.svg")
	if err != nil {
		panic("page: " + err.Error()) // the pattern is right
	}
	for _, name := range pictures {
		if files[name], err = handbook.Pictures.ReadFile(name); err != nil {
			panic("page: " + err.Error()) // it is embedded
		}
	}
	return files
}

// engineMeta says in index.html where the library is.
const (
	engineMeta = `name="gcnsim-engine" content="wasm"`
	serverMeta = `name="gcnsim-engine" content="http"`
)

// maxCall is the size of the largest call in bytes.
const maxCall = 32 << 20

// Handler serves the page and answers its calls with the library as it is here, so that no
// WebAssembly is needed. It is for the loopback interface: requests under another name of the
// host are refused, so that pages elsewhere cannot make a browser call it.
func Handler() http.Handler {
	files := Files()
	files["index.html"] = bytes.Replace(files["index.html"], []byte(engineMeta), []byte(serverMeta), 1)
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{file...}", func(w http.ResponseWriter, r *http.Request) {
		name := r.PathValue("file")
		if name == "" {
			name = "index.html"
		}
		data, ok := files[name]
		if !ok {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", types[path.Ext(name)])
		w.Header().Set("X-Content-Type-Options", "nosniff")
		_, _ = w.Write(data) // the browser has gone
	})
	e := &engine.Engine{}
	mux.HandleFunc("POST /engine/{call}", func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxCall))
		if err == nil {
			body, err = e.Call(r.Context(), r.PathValue("call"), body)
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		w.Header().Set("Content-Type", types[".json"])
		_, _ = w.Write(body)
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !local(r.Host) || r.Header.Get("Origin") != "" && r.Header.Get("Origin") != "http://"+r.Host {
			http.Error(w, "this server is for this machine alone", http.StatusForbidden)
			return
		}
		mux.ServeHTTP(w, r)
	})
}

var types = map[string]string{
	".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8", ".txt": "text/plain; charset=utf-8", ".json": "application/json", ".svg": "image/svg+xml",
}

// local reports whether a host, with or without a port, is the loopback interface.
func local(host string) bool {
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	ip := net.ParseIP(strings.Trim(host, "[]"))
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// Serve serves the page on a port of the loopback interface, 0 for any, until ctx ends, and
// says on out where.
func Serve(ctx context.Context, port int, out io.Writer) error {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		return fmt.Errorf("the page cannot be served: %w; choose another port", err)
	}
	fmt.Fprintf(out, "the page is at http://%s/\n", l.Addr())
	s := &http.Server{Handler: Handler(), BaseContext: func(net.Listener) context.Context { return ctx }}
	stop := context.AfterFunc(ctx, func() { _ = s.Close() })
	defer stop()
	if err := s.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
