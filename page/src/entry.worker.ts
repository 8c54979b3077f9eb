// The worker: loads the library and passes calls to it, one at a time.

interface Go { importObject: WebAssembly.Imports; run(i: WebAssembly.Instance): Promise<void> }
declare function importScripts(...urls: string[]): void
declare const Go: new () => Go
interface Scope {
  gcnsimCall(name: string, body: string): { answer?: string; error?: string }
  gcnsimProgress(executed: number): void
  gcnsimReady(): void
  postMessage(m: unknown): void
  onmessage: ((e: MessageEvent<{ id: number; name: string; body: string }>) => void) | null
}
const scope = self as unknown as Scope

/** load fetches the library, packed as well as the browser can unpack it. */
async function load(): Promise<ArrayBuffer> {
  for (const [ending, format] of [['br', 'brotli'], ['gz', 'gzip']]) {
    let unpack
    try { unpack = new DecompressionStream(format as CompressionFormat) } catch { continue }
    const r = await fetch(`engine.wasm.${ending}`)
    if (!r.ok || !r.body) continue
    return new Response(r.body.pipeThrough(unpack)).arrayBuffer()
  }
  throw new Error('engine.wasm.gz is not there; make page builds it')
}

const ready = (async () => {
  importScripts('wasm_exec.js')
  const go = new Go()
  const started = new Promise<void>(resolve => { scope.gcnsimReady = resolve })
  const { instance } = await WebAssembly.instantiate(await load(), go.importObject)
  void go.run(instance)
  await started
})()

scope.onmessage = async e => {
  const { id, name, body } = e.data
  try {
    await ready
    scope.gcnsimProgress = executed => scope.postMessage({ id, executed })
    scope.postMessage({ id, ...scope.gcnsimCall(name, body) })
  } catch (error) {
    scope.postMessage({ id, error: error instanceof Error ? error.message : String(error) })
  }
}
