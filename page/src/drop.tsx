// What is dropped on the page, or opened: programs, code objects, requests, specifications and records.

import { useEffect, useRef, useState } from 'preact/hooks'
import type { Engine } from './engine'
import { many } from './facts'
import { read, type Record } from './record'
import { bytes, ruleLink } from './playground'
import { first, type Scenario } from './scenario'
import { noExtra, Viewer, type Extra } from './viewer'

interface Arg {
  name?: string
  type?: string
  kind: string
  offset: number
  size: number
}
interface Kernel {
  name: string
  args?: Arg[]
  vgprs: number
  sgprs: number
  lds: number
  scratch: number
  code: { pc: number; text: string; source?: string }[]
  more?: number
}
interface ObjectAnswer {
  target?: string
  kernels?: Kernel[]
  scenario?: Scenario
  left_out?: string[]
  /** object is the file that a specification names. */
  object?: string
}

/** Files are files that were dropped, by name, as base64. */
type Files = { [name: string]: string }

/** Dropped is what a file turned out to be; spec is a specification that runs a kernel of an object. */
export type Dropped = { name: string } & (
  | { scenario: Scenario; note: string }
  | { object: ObjectAnswer; files: Files; spec?: string }
  | { record: Record; extra: Extra }
)

const base64 = (b: Uint8Array) => {
  let text = ''
  for (let i = 0; i < b.length; i += 0x8000) text += String.fromCharCode(...b.subarray(i, i + 0x8000))
  return btoa(text)
}

/**
 * openFile says what a file is, of which text is what it holds. files are those that were dropped before. A file that is
 * nothing by itself, such as the contents of a buffer, is an error, which says why.
 */
async function openFile(name: string, data: Uint8Array, files: Files, engine: Engine): Promise<Dropped> {
  if (new TextDecoder().decode(data.subarray(0, 7)) === 'GCNREC1')
    return { name, record: await read(data), extra: noExtra }
  const answer = await engine.call<ObjectAnswer>('open', { name, data: files[name] })
  if (answer.scenario)
    return {
      name,
      scenario: { ...first, buffers: [], ...answer.scenario },
      note: answer.left_out?.length
        ? `The playground has no place for ${answer.left_out.join(', ')} of ${name}: gcnsim run takes it whole.`
        : '',
    }
  if (!answer.object) return { name, object: answer, files }
  const { object } = answer
  if (!files[object]) throw new Error(`it is the specification of a dispatch: drop ${object} on the page, too`)
  return {
    name: object,
    object: await engine.call<ObjectAnswer>('open', { name: object, data: files[object] }),
    files,
    spec: new TextDecoder().decode(data),
  }
}

/**
 * openFiles opens what was dropped at once. What one file alone says is shown; of several that belong together, as
 * gcnsim gpu --save writes them, that is the specification, which is tried last.
 */
async function openFiles(list: File[], files: Files, engine: Engine): Promise<Dropped> {
  const all = await Promise.all(list.map(async f => ({ name: f.name, data: new Uint8Array(await f.arrayBuffer()) })))
  for (const f of all) files[f.name] = base64(f.data)
  all.sort((a, b) => +a.name.endsWith('.json') - +b.name.endsWith('.json'))
  const failed: string[] = []
  let opened: Dropped | undefined
  for (const f of all)
    try {
      opened = await openFile(f.name, f.data, files, engine)
    } catch (e) {
      failed.push(`${f.name}: ${(e as Error).message}`)
    }
  if (!opened) throw new Error(failed.join('\n'))
  return opened
}

/** Drop takes files that are dropped anywhere on the page, and has a button for those who do not drag. */
export function Drop({ engine, opened }: { engine: Engine; opened: (d: Dropped) => void }) {
  const [over, setOver] = useState(false)
  const [problem, setProblem] = useState('')
  const kept = useRef<Files>({}) // what was dropped before
  const latest = useRef(opened) // what is dropped belongs to the place that is shown then
  latest.current = opened
  const take = (list: FileList | null | undefined) => {
    setProblem('')
    if (list?.length)
      openFiles([...list], kept.current, engine).then(
        d => latest.current(d),
        (e: Error) => setProblem(e.message),
      )
  }
  useEffect(() => {
    const hasFile = (e: DragEvent) => e.dataTransfer?.types.includes('Files') === true
    const on = {
      dragover: (e: DragEvent) => {
        if (!hasFile(e)) return
        e.preventDefault()
        setOver(true)
      },
      dragleave: (e: DragEvent) => {
        if (!e.relatedTarget) setOver(false)
      },
      drop: (e: DragEvent) => {
        setOver(false)
        if (!hasFile(e)) return
        e.preventDefault()
        take(e.dataTransfer?.files)
      },
    }
    for (const [name, f] of Object.entries(on)) addEventListener(name, f as EventListener)
    return () => {
      for (const [name, f] of Object.entries(on)) removeEventListener(name, f as EventListener)
    }
  }, [])
  return (
    <>
      <label class="open">
        open a file{' '}
        <input
          id="file"
          type="file"
          multiple
          onChange={e => {
            take(e.currentTarget.files)
            e.currentTarget.value = ''
          }}
        />
      </label>
      {over && (
        <p class="dropping" role="status">
          Drop a code object, a program, a request, a record, or a specification with its files.
        </p>
      )}
      {problem && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
    </>
  )
}

/** Opened shows a record or a code object. */
export function Opened({ what, edit, engine }: { what: Dropped; edit: (s: Scenario) => void; engine: Engine }) {
  const named = 'spec' in what && what.spec ? (JSON.parse(what.spec) as { kernel: string }).kernel : ''
  const [chosen, choose] = useState(
    'object' in what ? Math.max(0, what.object.kernels?.findIndex(k => k.name === named) ?? 0) : 0,
  )
  if ('record' in what)
    return (
      <>
        <h1>{what.name}</h1>
        <p class="note">
          A record of {many(what.record.windows.length, 'wave')}
          {what.record.head.chip && `, ${what.record.head.chip}`}.
        </p>
        <Viewer record={what.record} extra={what.extra} />
      </>
    )
  if (!('object' in what)) return null
  const kernels = what.object.kernels ?? []
  const k = kernels[chosen]
  return (
    <>
      <h1>{what.name}</h1>
      <p class="note">
        {many(kernels.length, 'kernel')} for {what.object.target}.
      </p>
      <label>
        kernel{' '}
        <select id="kernel" value={chosen} onChange={e => choose(+e.currentTarget.value)}>
          {kernels.map((x, i) => (
            <option value={i}>{x.name}</option>
          ))}
        </select>
      </label>
      {k && (
        <>
          <p>
            {k.vgprs} VGPRs, {k.sgprs} SGPRs, {k.lds} bytes of LDS, {k.scratch} bytes of scratch a lane.
          </p>
          <div class="prose scroll" tabIndex={0} role="region" aria-label="Arguments">
            <table class="arguments">
              <caption>{k.args?.length ? many(k.args.length, 'argument') : 'No arguments, or no metadata'}</caption>
              <thead>
                <tr>
                  <th>byte</th>
                  <th>size</th>
                  <th>name</th>
                  <th>kind</th>
                  <th>type</th>
                </tr>
              </thead>
              <tbody>
                {k.args?.map(a => (
                  <tr>
                    <td>{a.offset}</td>
                    <td>{a.size}</td>
                    <td>{a.name}</td>
                    <td>{a.kind}</td>
                    <td>{a.type}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
          <Launch key={k.name + what.name} engine={engine} what={what} kernel={k.name} />
          <p class="actions">
            <button
              id="edit"
              onClick={() =>
                edit({
                  ...first,
                  mcpu: what.object.target!,
                  buffers: [],
                  asm: k.code.map(c => c.text).join('\n') + '\n',
                })
              }
            >
              its instructions into the playground
            </button>
          </p>
          <div class="scroll" tabIndex={0} role="region" aria-label="Code">
            <table class="object-code">
              <thead>
                <tr>
                  <th>pc</th>
                  <th>instruction</th>
                  <th>source</th>
                </tr>
              </thead>
              <tbody>
                {k.code.map(c => (
                  <tr>
                    <td>
                      <code>{c.pc.toString(16).padStart(4, '0')}</code>
                    </td>
                    <td>
                      <code>{c.text}</code>
                    </td>
                    <td>{c.source}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
          {k.more ? <p class="note">and {k.more} more</p> : null}
        </>
      )}
    </>
  )
}

interface RunAnswer {
  reply: {
    ok: boolean
    instructions?: { total: number }
    error?: { kind: string; message: string }
    diagnostics?: { kind: string }[]
  }
  record?: string
  extra?: Extra
  cycles?: number
}

/**
 * Launch runs a kernel of an object as a specification says: that which was dropped with it, or one of those that the
 * library makes of its metadata, which one may change.
 */
function Launch({
  engine,
  what,
  kernel,
}: {
  engine: Engine
  what: { name: string; files: Files; spec?: string }
  kernel: string
}) {
  const [specs, setSpecs] = useState(what.spec ? [what.spec] : [])
  const [spec, setSpec] = useState(what.spec ?? '')
  const [problem, setProblem] = useState('')
  const [busy, setBusy] = useState('')
  const [done, setDone] = useState<{ answer: RunAnswer; record?: Record }>()
  const during = async (say: string, f: () => Promise<void>) => {
    if (busy) return
    setBusy(say)
    setProblem('')
    await f().catch((e: Error) => setProblem(e.message))
    setBusy('')
  }
  const make = async () => {
    const a = await engine.call<{ specs: string[]; left?: string[] }>('launches', {
      name: what.name,
      data: what.files[what.name],
      kernel,
    })
    setSpecs(a.specs)
    setSpec(a.specs[0] ?? '')
    if (!a.specs.length) setProblem(a.left?.[0] ?? 'no launch could be made')
  }
  const run = async () => {
    setDone(undefined)
    const answer = await engine.call<RunAnswer>('dispatch', { spec, files: what.files }, n =>
      setBusy(`running, ${n} instructions`),
    )
    setDone({ answer, record: answer.record ? await read(bytes(answer.record)) : undefined })
  }
  const reply = done?.answer.reply
  const kinds = [...new Set(reply?.diagnostics?.map(d => d.kind))]
  return (
    <section class="launch" aria-label="Run it">
      <p class="actions">
        <button id="launches" onClick={() => void during('arguments are tried', make)} aria-disabled={busy !== ''}>
          arguments from its metadata
        </button>{' '}
        {specs.length > 1 && (
          <label>
            launch{' '}
            <select id="launch" onChange={e => setSpec(specs[+e.currentTarget.value])}>
              {specs.map((x, i) => (
                <option value={i}>{grid(x)}</option>
              ))}
            </select>
          </label>
        )}{' '}
        {spec && (
          <button id="dispatch" class="main" onClick={() => void during('running', run)} aria-disabled={busy !== ''}>
            ▶ run
          </button>
        )}{' '}
        {busy && (
          <>
            <button onClick={() => engine.cancel()}>cancel</button> <span role="status">{busy}…</span>
          </>
        )}
      </p>
      {spec && (
        <label>
          grid, work-group and arguments, as gcnsim dispatch reads them
          <textarea
            id="spec"
            rows={Math.min(16, spec.split('\n').length)}
            spellcheck={false}
            value={spec}
            onInput={e => setSpec(e.currentTarget.value)}
          />
        </label>
      )}
      {(problem || reply?.error) && (
        <p class="problem" role="alert">
          {problem || `${reply!.error!.kind}: ${reply!.error!.message}`}
        </p>
      )}
      {reply?.ok && (
        <p class="result" role="status">
          {many(reply.instructions?.total ?? 0, 'instruction')}, {done!.answer.cycles} cycles;{' '}
          {kinds.length ? `${many(reply.diagnostics!.length, 'finding')}: ${kinds.join(', ')}` : 'no findings'}.
        </p>
      )}
      {done?.record && <Viewer record={done.record} extra={done.answer.extra!} ruleLink={ruleLink} />}
    </section>
  )
}

/** grid names a launch by its size. */
function grid(spec: string): string {
  const { grid, workgroup } = JSON.parse(spec) as { grid: number[]; workgroup: number[] }
  return `${grid.join(' × ')} work-items, ${workgroup.join(' × ')} in a group`
}
