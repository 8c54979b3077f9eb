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

// Files returns the files of the page that are the same for all servers, by name: index.html for a page that uses the
// library as WebAssembly, the bundle, and the pictures of the handbook.
func Files() map[string][]byte {
	files := map[string][]byte{"index.html": index, "page.js": packed("page.js")}
	for _, name := range []string{"worker.js", "style.css", "LICENSES.txt"} {
		files[name] = asset(name)
	}
	pictures, err := fs.Glob(handbook.Pictures, "*.svg")
	if err != nil {
		panic("page: " + err.Error()) // cannot happen: the pattern is valid
	}
	for _, name := range pictures {
		if files[name], err = handbook.Pictures.ReadFile(name); err != nil {
			panic("page: " + err.Error()) // cannot happen: the file is embedded
		}
	}
	return files
}

// engineMeta is the element in index.html that says where the library is.
const (
	engineMeta = `name="gcnsim-engine" content="wasm"`
	serverMeta = `name="gcnsim-engine" content="http"`
)

// Handler serves the page and answers its calls with this process's library, so the page needs no WebAssembly. It is
// for the loopback interface: it refuses requests for other host names, so that foreign pages cannot make a browser
// call it.
func Handler() http.Handler { return handler(nil, func(string, ...any) {}) }

// handler is [Handler] with the lessons of a course. It logs executions and errors.
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
		_, _ = w.Write(data) // an error means that the browser has disconnected
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

// call is a call from the page. With the query "progress" its answer consists of lines: any number of "executed N",
// then "answer" or "error" followed by the content.
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
	case r.Context().Err() != nil: // the client has disconnected
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

// tellEvery is the interval between progress lines.
const tellEvery = 100 * time.Millisecond

// tell reports how many instructions have executed.
func (c *call) tell(executed uint64) {
	c.executed = executed
	if !c.progress || time.Since(c.told) < tellEvery {
		return
	}
	c.told = time.Now()
	fmt.Fprintf(c.w, "executed %d\n", executed)
	_ = http.NewResponseController(c.w).Flush() // otherwise the line is buffered
}

var types = map[string]string{
	".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8",
	".txt": "text/plain; charset=utf-8", ".json": "application/json", ".svg": "image/svg+xml",
}

// local reports whether a host, with or without a port, is a name of the loopback interface.
func local(host string) bool {
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	ip := net.ParseIP(strings.Trim(host, "[]"))
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// Serve serves the page on a port of the loopback interface, 0 for any, until ctx ends, and returns ctx's error. It
// writes the address to out, and executions and errors to log. lessons is a directory of lessons; nil means the
// page's own.
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

// courseOf parses the lessons in a directory. It returns nil, for the page's own lessons, if lessons is nil.
func courseOf(lessons fs.FS) ([]engine.Lesson, error) {
	if lessons == nil {
		return nil, nil
	}
	return engine.Course(lessons)
}

// Mark is the result of one exercise in a hand-in.
type Mark struct {
	Lesson   string // file name of the lesson
	Exercise int    // from 1
	Solved   bool
	Say      string // the result of the execution beside the required one
}

// Grade executes the programs in a hand-in file of the page and judges them by the exercises in a directory of
// lessons; nil means the page's own. There is a mark for each exercise. If a program cannot execute, its mark says
// why.
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
