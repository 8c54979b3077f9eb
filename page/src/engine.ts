// The engine: the library, in a worker as WebAssembly or behind the server of gcnsim page.

export interface Engine {
  call<T>(name: string, body: unknown, progress?: (executed: number) => void): Promise<T>
  /** cancel ends what runs; its promise fails. */
  cancel(): void
  /** loading tells how much of the library is there, from 0 to 1, where it must be loaded first. */
  loading?(told: (part: number) => void): void
}

/** open returns the engine that the page was built for. */
export function open(): Engine {
  if (location.protocol === 'file:') return asFile
  return document.querySelector('meta[name=gcnsim-engine]')?.getAttribute('content') === 'http'
    ? new Server()
    : new Wasm()
}

/** asFile is an engine that says why a page that was opened as a file has none. */
const asFile: Engine = {
  call: () =>
    Promise.reject(
      new Error(
        'This page was opened as a file, and browsers do not let a file load the simulator. Run "gcnsim page" ' +
          'and open the address that it prints, or serve the directory of this file with any web server, ' +
          'for example "python3 -m http.server", and open it from there.',
      ),
    ),
  cancel() {},
}

/**
 * until passes on what a call answers, or its error, until the function that it returns is called. An effect returns
 * that function, so that a late answer does not take the place of a newer one.
 */
export function until<T>(answer: Promise<T>, then: (v: T) => void, fail: (e: Error) => void): () => void {
  let wanted = true
  answer.then(
    v => {
      if (wanted) then(v)
    },
    (e: Error) => {
      if (wanted) fail(e)
    },
  )
  return () => {
    wanted = false
  }
}

class Server implements Engine {
  private abort = new AbortController()
  async call<T>(name: string, body: unknown, progress?: (executed: number) => void): Promise<T> {
    const r = await fetch(`engine/${name}${progress ? '?progress' : ''}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body ?? {}),
      signal: ['run', 'launches', 'dispatch'].includes(name) ? this.abort.signal : undefined,
    }).catch((e: unknown) => {
      throw e instanceof TypeError ? new Error('the simulator does not answer: is "gcnsim page" still running?') : e
    })
    if (!r.ok) throw new Error((await r.text()).trim())
    return JSON.parse(progress ? await withProgress(r, progress) : await r.text()) as T
  }
  cancel() {
    this.abort.abort(new Error('cancelled'))
    this.abort = new AbortController()
  }
}

/** withProgress returns the answer, which comes after lines that tell how far the run is. */
async function withProgress(r: Response, progress: (executed: number) => void): Promise<string> {
  const reader = r.body!.pipeThrough(new TextDecoderStream()).getReader()
  const rest: string[] = []
  let kind = '',
    line = ''
  for (;;) {
    const { done, value } = await reader.read()
    if (done) break
    if (kind) {
      rest.push(value)
      continue
    }
    line += value
    for (let end; !kind && (end = line.indexOf('\n')) >= 0; line = line.slice(end + 1)) {
      const [what, n] = line.slice(0, end).split(' ')
      if (what === 'executed') progress(Number(n))
      else kind = what
    }
    if (kind) rest.push(line)
  }
  if (kind !== 'answer') throw new Error(kind === 'error' ? rest.join('').trim() : 'the server ended')
  return rest.join('')
}

interface Waiting {
  resolve: (v: never) => void
  reject: (e: Error) => void
  progress?: (executed: number) => void
}

/** Said is what the worker says: its module once it is compiled, that it crashed, or something about a call. */
type Said =
  | { module: WebAssembly.Module }
  | { crashed: string }
  | { loaded: number }
  | { id: number; answer?: string; error?: string; executed?: number }

class Wasm implements Engine {
  private worker?: Worker
  private module?: WebAssembly.Module // compiled once: a worker that takes the place of another starts at once
  private waiting = new Map<number, Waiting>()
  private next = 0
  private told: (part: number) => void = () => {}

  loading(told: (part: number) => void) {
    this.told = told
  }

  private start(): Worker {
    const w = new Worker('worker.js')
    w.onmessage = e => {
      const said = e.data as Said
      if ('module' in said) {
        this.module = said.module
        return
      }
      if ('loaded' in said) {
        this.told(said.loaded)
        return
      }
      if ('crashed' in said) {
        this.crashed(said.crashed)
        return
      }
      const p = this.waiting.get(said.id)
      if (said.executed !== undefined) {
        p?.progress?.(said.executed)
        return
      }
      this.waiting.delete(said.id)
      if (said.answer !== undefined) p?.resolve(JSON.parse(said.answer) as never)
      else p?.reject(new Error(said.error))
    }
    w.onerror = e => {
      e.preventDefault()
      this.crashed(e.message)
    }
    w.postMessage({ module: this.module })
    return w
  }

  call<T>(name: string, body: unknown, progress?: (executed: number) => void): Promise<T> {
    this.worker ??= this.start()
    const id = this.next++
    return new Promise<T>((resolve, reject) => {
      this.waiting.set(id, { resolve, reject, progress })
      this.worker!.postMessage({ id, name, body: JSON.stringify(body ?? {}) })
    })
  }

  cancel() {
    this.end(new Error('cancelled'))
  }

  private crashed(why: string) {
    this.end(new Error(`the simulator stopped: ${why || 'it ran out of memory'}; it starts again with the next run`))
  }

  private end(e: Error) {
    this.worker?.terminate()
    this.worker = undefined
    for (const p of this.waiting.values()) p.reject(e)
    this.waiting.clear()
  }
}
