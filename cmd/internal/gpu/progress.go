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
	// firstProgress is how long a program uses the card before progress is shown. A dispatch that takes as long is
	// one that the program probably waits for.
	firstProgress = time.Second
	// progressEvery is the interval between updates.
	progressEvery = 500 * time.Millisecond
	// progressWidth is the greatest length of the line, which must not wrap.
	progressWidth = 79
)

// progress shows the card's activity on one line of a terminal. It clears the line before the program or this command
// may print: when no dispatch is left, when a long dispatch has ended, and in Write.
type progress struct {
	out io.Writer
	now func() time.Time

	mu           sync.Mutex
	began        time.Time // start of the first dispatch
	dispatches   int       // number of finished dispatches
	instructions uint64    // instructions of the finished dispatches
	running      []*dispatching
	spent        map[string]time.Duration // time by kernel name
	last         time.Time                // end of the last dispatch
	shown        bool
}

// dispatching is a dispatch in progress.
type dispatching struct {
	*device.Dispatch
	began       time.Time
	done, total int // work-groups; total is 0 until one has ended
}

// Write writes b on separate lines.
func (p *progress) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clear()
	return p.out.Write(b)
}

// clear clears the line. The caller holds the lock.
func (p *progress) clear() {
	if p.shown {
		fmt.Fprint(p.out, "\r\x1b[K")
		p.shown = false
	}
}

// reach records the progress of a dispatch. The first call is at its start.
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

// end records that a dispatch has ended.
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

// show updates the line if the card is working.
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
		// the cursor returns to the start, where the program's output continues
		fmt.Fprintf(p.out, "\r%s\x1b[K\r", text)
		p.shown = true
	}
}

// text returns the line, the most important part first. The caller holds the lock.
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

// run shows progress until the returned function is called.
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
