// What is dropped on the page, or opened: programs, code objects, requests, specifications and records.

import { useEffect, useState } from 'preact/hooks'
import type { Engine } from './engine'
import { many } from './facts'
import { read, type Record } from './record'
import { first, type Scenario } from './scenario'
import { Viewer, type Extra } from './viewer'

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
  kind: 'object' | 'scenario' | 'spec'
  target?: string
  kernels?: Kernel[]
  scenario?: Scenario
  left_out?: string[]
}

/** Dropped is what a file turned out to be. */
export type Dropped = { name: string } & (
  { scenario: Scenario; note: string } | { object: ObjectAnswer } | { record: Record; extra: Extra }
)

const base64 = (b: Uint8Array) => {
  let text = ''
  for (let i = 0; i < b.length; i += 0x8000) text += String.fromCharCode(...b.subarray(i, i + 0x8000))
  return btoa(text)
}

/** open says what a file is. The error says why it is nothing that the page shows. */
export async function openFile(file: File, engine: Engine): Promise<Dropped> {
  const data = new Uint8Array(await file.arrayBuffer())
  if (new TextDecoder().decode(data.subarray(0, 7)) === 'GCNREC1')
    return { name: file.name, record: await read(data), extra: { rules: {}, descriptors: {} } }
  const answer = await engine.call<ObjectAnswer>('open', { name: file.name, data: base64(data) })
  if (answer.scenario)
    return {
      name: file.name,
      scenario: { ...first, buffers: [], ...answer.scenario },
      note: answer.left_out?.length
        ? `The playground has no place for ${answer.left_out.join(', ')} of ${file.name}: gcnsim run takes it whole.`
        : '',
    }
  return { name: file.name, object: answer }
}

/** Drop takes files that are dropped anywhere on the page, and has a button for those who do not drag. */
export function Drop({ engine, opened }: { engine: Engine; opened: (d: Dropped) => void }) {
  const [over, setOver] = useState(false)
  const [problem, setProblem] = useState('')
  const take = (file: File | undefined) => {
    setProblem('')
    if (file) openFile(file, engine).then(opened, (e: Error) => setProblem(`${file.name}: ${e.message}`))
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
        take(e.dataTransfer?.files[0])
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
          onChange={e => {
            take(e.currentTarget.files?.[0])
            e.currentTarget.value = ''
          }}
        />
      </label>
      {over && (
        <p class="dropping" role="status">
          Drop a code object, a program, a request or a record.
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
export function Opened({ what, edit }: { what: Dropped; edit: (s: Scenario) => void }) {
  const [chosen, choose] = useState(0)
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
        {many(kernels.length, 'kernel')} for {what.object.target}. To run one with arguments: gcnsim run --help, or an
        object and a specification.
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
