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
	"sync"
	"time"

	"github.com/gcnsim/gcnsim/handbook"
	"github.com/gcnsim/gcnsim/internal/tool/contexts"
	"github.com/gcnsim/gcnsim/page/internal/engine"
)

// Files are the files of the page that do not depend on who serves it, by name: index.html of
// a page that runs the library as WebAssembly, the bundle, and the pictures of the handbook.
func Files() map[string][]byte {
	files := map[string][]byte{"index.html": index, "page.js": packed("page.js")}
	for _, name := range []string{"worker.js", "style.css", "LICENSES.txt"} {
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

// Handler serves the page and answers its calls with the library as it is here, so that no
// WebAssembly is needed. It is for the loopback interface: requests under another name of the
// host are refused, so that pages elsewhere cannot make a browser call it.
func Handler() http.Handler { return handler(nil, func(string, ...any) {}) }

// handler is [Handler] with the lessons of a course that logs runs and what goes wrong.
func handler(course []engine.Lesson, log func(format string, args ...any)) http.Handler {
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
	mux.HandleFunc("POST /engine/{call}", func(w http.ResponseWriter, r *http.Request) {
		c := &call{w: w, name: r.PathValue("call"), log: log, course: course}
		c.answer(r)
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !local(r.Host) || r.Header.Get("Origin") != "" && r.Header.Get("Origin") != "http://"+r.Host {
			http.Error(w, "this server is for this machine alone", http.StatusForbidden)
			return
		}
		mux.ServeHTTP(w, r)
	})
}

// call is a call of the page. With the query "progress" its answer is lines: any number of
// "executed N", then "answer" or "error" and what that is.
type call struct {
	w        http.ResponseWriter
	name     string
	course   []engine.Lesson
	log      func(format string, args ...any)
	progress bool
	executed uint64
	told     time.Time
}

// answer answers r.
func (c *call) answer(r *http.Request) {
	c.progress = r.URL.Query().Has("progress")
	start := time.Now()
	c.told = start
	e := &engine.Engine{Progress: c.tell, Course: c.course}
	body, err := io.ReadAll(http.MaxBytesReader(c.w, r.Body, engine.MaxCall))
	if err == nil {
		body, err = e.Call(r.Context(), c.name, body)
	}
	took := time.Since(start).Round(time.Millisecond)
	switch {
	case r.Context().Err() != nil: // the client does not wait for the answer any more
		c.log("%s was cancelled after %v", c.name, took)
		return
	case err != nil:
		c.log("%s: %v", c.name, err)
	case c.name == "run":
		c.log("run of %d instructions took %v", c.executed, took)
	}
	switch {
	case c.progress && err != nil:
		fmt.Fprintf(c.w, "error\n%v", err)
	case err != nil:
		http.Error(c.w, err.Error(), http.StatusBadRequest)
	case c.progress:
		fmt.Fprintln(c.w, "answer")
		_, _ = c.w.Write(body)
	default:
		c.w.Header().Set("Content-Type", types[".json"])
		_, _ = c.w.Write(body)
	}
}

// tellEvery is how much time is between lines that tell how far a run is.
const tellEvery = 100 * time.Millisecond

// tell tells how many instructions have executed.
func (c *call) tell(executed uint64) {
	c.executed = executed
	if !c.progress || time.Since(c.told) < tellEvery {
		return
	}
	c.told = time.Now()
	fmt.Fprintf(c.w, "executed %d\n", executed)
	_ = http.NewResponseController(c.w).Flush() // else it comes later
}

var types = map[string]string{
	".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8",
	".txt": "text/plain; charset=utf-8", ".json": "application/json", ".svg": "image/svg+xml",
}

// local reports whether a host, with or without a port, is the loopback interface.
func local(host string) bool {
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	ip := net.ParseIP(strings.Trim(host, "[]"))
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// Serve serves the page on a port of the loopback interface, 0 for any, until ctx ends, whose
// error it then returns. It says on out where, and on log what it runs and what goes wrong. The
// lessons are those of a directory, nil for those of the page.
func Serve(ctx context.Context, port uint16, lessons fs.FS, out, log io.Writer) error {
	ctx = contexts.Given(ctx)
	course, err := courseOf(lessons)
	if err != nil {
		return err
	}
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		return fmt.Errorf("the page cannot be served: %w; choose another port, 0 for any that is free", err)
	}
	fmt.Fprintf(out, "the page is at http://%s/, until Ctrl-C ends it\n", l.Addr())
	var mu sync.Mutex
	h := handler(course, func(format string, args ...any) {
		mu.Lock()
		defer mu.Unlock()
		fmt.Fprintf(log, time.Now().Format(time.TimeOnly)+" "+format+"\n", args...)
	})
	s := &http.Server{Handler: h, BaseContext: func(net.Listener) context.Context { return ctx },
		ReadHeaderTimeout: time.Minute}
	stop := context.AfterFunc(ctx, func() { _ = s.Close() })
	defer stop()
	if err := s.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return ctx.Err()
}

// courseOf reads the lessons of a directory, nil for those of the page.
func courseOf(lessons fs.FS) ([]engine.Lesson, error) {
	if lessons == nil {
		return nil, nil
	}
	return engine.Course(lessons)
}

// Mark says whether a hand-in solves an exercise.
type Mark struct {
	Lesson   string // the name of its file
	Exercise int    // from 1
	Solved   bool
	Say      string // the value of the run beside the wanted one
}

// Grade runs the programs of a hand-in file of the page and judges them by the exercises of the lessons in a directory,
// nil for those of the page. There is a mark for each exercise; a program that does not run has the reason in it.
func Grade(ctx context.Context, lessons fs.FS, handIn []byte) ([]Mark, error) {
	course, err := courseOf(lessons)
	if err != nil {
		return nil, err
	}
	marks, err := engine.Grade(contexts.Given(ctx), course, handIn)
	list := make([]Mark, len(marks))
	for i, m := range marks {
		list[i] = Mark(m)
	}
	return list, err
}
