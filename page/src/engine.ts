// The engine: the library, in a worker as WebAssembly or behind the server of gcnsim page.

export interface Engine {
  call<T>(name: string, body: unknown, progress?: (executed: number) => void): Promise<T>
  /** cancel ends what runs; its promise fails. */
  cancel(): void
}

/** open returns the engine that the page was built for. */
export function open(): Engine {
  return document.querySelector('meta[name=gcnsim-engine]')?.getAttribute('content') === 'http' ? new Server() : new Wasm()
}

class Server implements Engine {
  private abort = new AbortController()
  async call<T>(name: string, body: unknown): Promise<T> {
    const r = await fetch(`engine/${name}`, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body ?? {}), signal: name === 'run' ? this.abort.signal : undefined })
    const text = await r.text()
    if (!r.ok) throw new Error(text.trim())
    return JSON.parse(text) as T
  }
  cancel() {
    this.abort.abort(new Error('cancelled'))
    this.abort = new AbortController()
  }
}

interface Waiting { resolve: (v: never) => void; reject: (e: Error) => void; progress?: (executed: number) => void }

class Wasm implements Engine {
  private worker?: Worker
  private waiting = new Map<number, Waiting>()
  private next = 0

  private start(): Worker {
    const w = new Worker('worker.js')
    w.onmessage = e => {
      const { id, answer, error, executed } = e.data as { id: number; answer?: string; error?: string; executed?: number }
      const p = this.waiting.get(id)
      if (executed !== undefined) { p?.progress?.(executed); return }
      this.waiting.delete(id)
      if (error !== undefined) p?.reject(new Error(error))
      else p?.resolve(JSON.parse(answer!) as never)
    }
    w.onerror = e => { e.preventDefault(); this.end(new Error(`the simulator stopped: ${e.message || 'it ran out of memory'}; it starts again with the next run`)) }
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

  cancel() { this.end(new Error('cancelled')) }

  private end(e: Error) {
    this.worker?.terminate()
    this.worker = undefined
    for (const p of this.waiting.values()) p.reject(e)
    this.waiting.clear()
  }
}
