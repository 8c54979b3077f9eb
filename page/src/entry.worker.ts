// The worker: loads the library and passes calls to it, one at a time.

interface Go {
  importObject: WebAssembly.Imports
  run(i: WebAssembly.Instance): Promise<void>
}
declare function importScripts(...urls: string[]): void
declare const Go: new () => Go
interface Scope {
  gcnsimCall(name: string, body: string): { answer?: string; error?: string } | undefined
  gcnsimProgress(executed: number): void
  gcnsimReady(): void
  fs: { writeSync(fd: number, bytes: Uint8Array): number }
  postMessage(m: unknown): void
  onmessage:
    ((e: MessageEvent<{ module?: WebAssembly.Module } | { id: number; name: string; body: string }>) => void) | null
}
const scope = self as unknown as Scope

/** counting tells how much of so many bytes has passed; servers that do not say how many there are tell nothing. */
function counting(all: number): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  let seen = 0
  return new TransformStream({
    transform(chunk, to) {
      seen += chunk.length
      if (all > 0) scope.postMessage({ loaded: Math.min(1, seen / all) })
      to.enqueue(chunk)
    },
  })
}

/** load fetches the library, packed as well as the browser can unpack it. */
async function load(): Promise<ArrayBuffer> {
  for (const [ending, format] of [
    ['br', 'brotli'],
    ['gz', 'gzip'],
  ]) {
    let unpack
    try {
      unpack = new DecompressionStream(format as CompressionFormat)
    } catch {
      continue
    }
    const r = await fetch(`engine.wasm.${ending}`)
    if (!r.ok || !r.body) continue
    return new Response(
      r.body.pipeThrough(counting(Number(r.headers.get('Content-Length')))).pipeThrough(unpack),
    ).arrayBuffer()
  }
  throw new Error('engine.wasm.gz is not there; make page builds it')
}

/** said is what the library wrote to its standard error: the first line says why it ended. */
let said = ''

/** begin starts the library from its module, which is compiled and told if there is none. */
async function begin(module?: WebAssembly.Module) {
  importScripts('wasm_exec.js')
  const write = scope.fs.writeSync
  scope.fs.writeSync = (fd, bytes) => {
    if (said.length < 1000) said += new TextDecoder().decode(bytes)
    return write(fd, bytes)
  }
  const go = new Go()
  const started = new Promise<void>(resolve => {
    scope.gcnsimReady = resolve
  })
  if (!module) {
    module = await WebAssembly.compile(await load())
    scope.postMessage({ module })
  }
  void go.run(await WebAssembly.instantiate(module, go.importObject))
  await started
}

let ready: Promise<void> | undefined

scope.onmessage = async ({ data }) => {
  if (!('id' in data)) {
    ready = begin(data.module)
    ready.catch(() => {})
    return
  }
  const { id, name, body } = data
  try {
    await ready
    scope.gcnsimProgress = executed => scope.postMessage({ id, executed })
    const answer = scope.gcnsimCall(name, body)
    if (!answer) throw new Error('it ended')
    scope.postMessage({ id, ...answer })
  } catch (error) {
    // what the library holds is not to be trusted any more
    scope.postMessage({ crashed: said.split('\n')[0] || (error instanceof Error ? error.message : String(error)) })
  }
}
