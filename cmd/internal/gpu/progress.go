package gpu

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/gcnsim/gcnsim/internal/device"
)

const (
	// firstProgress is how long a program uses the card before anything is shown, and a dispatch that takes as long is
	// one that the program may wait for.
	firstProgress = time.Second
	// progressEvery is how often what is shown changes.
	progressEvery = 500 * time.Millisecond
	// progressWidth is how many characters are shown at most: the line must not wrap.
	progressWidth = 79
)

// progress shows on one line of a terminal what the card does, and takes that away before the program or this command
// may print: when nothing is dispatched any more, when a long dispatch has ended, and in Write.
type progress struct {
	out io.Writer
	now func() time.Time

	mu           sync.Mutex
	began        time.Time // the first dispatch
	dispatches   int       // dispatches that have ended
	instructions uint64    // instructions of the dispatches that have ended
	running      []*dispatching
	spent        map[string]time.Duration // by the name of the kernel
	last         time.Time                // when the last dispatch ended
	shown        bool
}

// dispatching is a dispatch that runs.
type dispatching struct {
	*device.Dispatch
	began       time.Time
	done, total int // work-groups; total is 0 as long as none has ended
}

// Write writes b on lines of its own.
func (p *progress) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clear()
	return p.out.Write(b)
}

// clear takes away what is shown. The caller holds the lock.
func (p *progress) clear() {
	if p.shown {
		fmt.Fprint(p.out, "\r\x1b[K")
		p.shown = false
	}
}

// reach notes how far a dispatch is. It is called first when the dispatch begins.
func (p *progress) reach(d *device.Dispatch, done, total int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, r := range p.running {
		if r.Dispatch == d {
			r.done, r.total = done, total
			return
		}
	}
	now := p.now()
	if p.began.IsZero() {
		p.began = now
	}
	p.running = append(p.running, &dispatching{Dispatch: d, began: now})
}

// end notes that a dispatch has run.
func (p *progress) end(d *device.Dispatch) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now()
	for i, r := range p.running {
		if r.Dispatch != d {
			continue
		}
		p.running = append(p.running[:i], p.running[i+1:]...)
		if p.spent == nil {
			p.spent = map[string]time.Duration{}
		}
		p.spent[nameOf(d.Kernel)] += now.Sub(r.began)
		if now.Sub(r.began) >= firstProgress {
			p.clear()
		}
		break
	}
	p.dispatches++
	if d.Result != nil {
		p.instructions += d.Result.Instructions
	}
	p.last = now
}

// show shows how far the program is, if the card works.
func (p *progress) show() {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now()
	switch idle := len(p.running) == 0 && now.Sub(p.last) >= progressEvery; {
	case idle:
		p.clear()
	case now.Sub(p.began) >= firstProgress && !p.began.IsZero():
		text := p.text(now)
		for utf8.RuneCountInString(text) > progressWidth {
			text = text[:strings.LastIndexByte(text, ';')]
		}
		fmt.Fprintf(p.out, "\r%s\x1b[K\r", text) // the cursor is where the program continues
		p.shown = true
	}
}

// text says how far the program is, what is most important first. The caller holds the lock.
func (p *progress) text(now time.Time) string {
	text := fmt.Sprintf("%d dispatched, %.3g instructions", p.dispatches, float64(p.instructions))
	if len(p.running) > 0 {
		r := p.running[0]
		text += "; " + nameOf(r.Kernel)
		if r.total > 0 {
			text += fmt.Sprintf(" %d of %d work-groups", r.done, r.total)
		}
		text += fmt.Sprintf(" %.0f s", now.Sub(r.began).Seconds())
	}
	var all, most time.Duration
	slow := ""
	for name, d := range p.spent {
		all += d
		if d > most || d == most && name < slow {
			most, slow = d, name
		}
	}
	if len(p.spent) > 1 && all > 0 {
		text += fmt.Sprintf("; %d %% of the time in %s", 100*most/all, slow)
	}
	return text
}

// run shows progress until it is told to stop, and returns what stops it.
func (p *progress) run() (stop func()) {
	ended, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		ticker := time.NewTicker(progressEvery)
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
				p.show()
			case <-ended:
				return
			}
		}
	}()
	return sync.OnceFunc(func() {
		close(ended)
		<-stopped
		p.mu.Lock()
		defer p.mu.Unlock()
		p.clear()
	})
}
