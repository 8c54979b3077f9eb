// The playground: a program, what it finds, and what it did.

import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { Editor, type TextError } from './editor'
import type { Engine } from './engine'
import { many } from './facts'
import { Resources } from './forms'
import { read, type Record } from './record'
import { share, type Scenario } from './scenario'
import { Viewer, type Extra } from './viewer'

export interface Info { chips: { name: string; target: string; gen: string }[]; rules: string[] }

interface Answer {
  reply: { ok: boolean; instructions?: number; error?: { kind: string; message: string }; diagnostics?: { severity: string; kind: string; message: string }[] }
  error?: TextError; record?: string; extra?: Extra; memory?: { name: string; addr: number; data: string }[]; cycles?: number
}

interface Props { engine: Engine; info: Info; start: Scenario; first: number; autorun?: boolean }

const bytes = (text: string) => Uint8Array.from(atob(text), c => c.charCodeAt(0))

/** Playground edits and runs a scenario. */
export function Playground({ engine, info, start, first, autorun }: Props) {
  const [s, set] = useState(start)
  const [names, setNames] = useState<string[]>([])
  const [errors, setErrors] = useState<TextError[]>([])
  const [running, setRunning] = useState<number>()
  const [problem, setProblem] = useState('')
  const [done, setDone] = useState<{ answer: Answer; record?: Record }>()
  const [said, say] = useState('')
  const [link, setLink] = useState('')
  const shown = useRef<HTMLDivElement>(null)
  const latest = useRef(s)
  latest.current = s
  useEffect(() => { engine.call<{ names: string[] }>('check', { mcpu: s.mcpu, asm: '', names: true }).then(a => setNames(a.names ?? []), () => {}) }, [s.mcpu])
  useEffect(() => {
    const timer = setTimeout(() => { engine.call<{ errors: TextError[] }>('check', { mcpu: s.mcpu, asm: s.asm }).then(a => setErrors(a.errors), () => {}) }, 250)
    return () => clearTimeout(timer)
  }, [s.asm, s.mcpu])
  const run = useCallback(async () => {
    setProblem('')
    setRunning(0)
    try {
      const answer = await engine.call<Answer>('run', latest.current, setRunning)
      if (answer.error) setErrors([answer.error])
      setDone({ answer, record: answer.record ? await read(bytes(answer.record)) : undefined })
      say(answer.reply.ok ? `ran ${many(answer.reply.instructions ?? 0, 'instruction')}` : 'the run failed')
    } catch (e) {
      setProblem(e instanceof Error ? e.message : String(e))
    }
    setRunning(undefined)
  }, [])
  useEffect(() => { if (autorun) void run() }, [])
  const download = async () => {
    const { request } = await engine.call<{ request: unknown }>('compile', latest.current)
    const a = document.createElement('a')
    a.href = URL.createObjectURL(new Blob([JSON.stringify(request) + '\n'], { type: 'application/json' }))
    a.download = 'request.json'
    a.click()
    URL.revokeObjectURL(a.href)
    say('request.json is an exec request: gcnsim run request.json')
  }
  const makeLink = async () => {
    const to = `${location.href.replace(/#.*/, '')}#s=${await share(latest.current)}`
    setLink(to)
    try { await navigator.clipboard.writeText(to); say('the link is copied') } catch { say('the link stands below') }
  }
  const fail = (e: Error) => setProblem(e.message)
  const reply = done?.answer.reply
  return (
    <div class="playground">
      <div class="choices">
        <label>chip <select id="chip" value={s.mcpu} onChange={e => set({ ...s, mcpu: e.currentTarget.value })}>
          {info.chips.map(c => <option value={c.name}>{c.name} ({c.target}, {c.gen})</option>)}
          {!info.chips.some(c => c.name === s.mcpu) && <option>{s.mcpu}</option>}</select></label>
        <label>rules <select value={s.rules || 'seed'} onChange={e => set({ ...s, rules: e.currentTarget.value })}>{info.rules.map(r => <option>{r}</option>)}</select></label>
        <label>waves <select value={s.waves || 1} onChange={e => set({ ...s, waves: +e.currentTarget.value })}>{[1, 2, 4].map(n => <option>{n}</option>)}</select></label>
      </div>
      <Editor text={s.asm} onChange={asm => set({ ...latest.current, asm })} names={names} errors={errors} run={() => void run()} />
      <p class="hint">Ctrl+Enter runs; Escape, then Tab leaves the editor.</p>
      {errors.map(e => <p class="problem" role="alert">line {e.line}, column {e.col}: {e.message}</p>)}
      <Resources scenario={s} set={set} engine={engine} />
      <p class="actions">
        <button id="run" class="main" onClick={() => { if (running === undefined) void run() }} aria-disabled={running !== undefined}>▶ run</button>{' '}
        {running !== undefined && <><button id="cancel" onClick={() => engine.cancel()}>cancel</button> <span role="status">running{running > 0 && `, ${running.toLocaleString('en')} instructions`}…</span></>}
        <button id="share" onClick={() => makeLink().catch(fail)}>share</button>{' '}
        <button onClick={() => download().catch(fail)}>export as exec request</button>{' '}
        <span role="status" class="said">{said}</span>
      </p>
      {link && <p><label>link <input id="link" class="link" readOnly value={link} onFocus={e => e.currentTarget.select()} /></label></p>}
      {problem && <p class="problem" role="alert">{problem}</p>}
      {reply?.error && !done?.answer.error && <p class="problem" role="alert">{reply.error.kind}: {reply.error.message}</p>}
      {reply?.ok && <p class="result">{many(reply.instructions ?? 0, 'instruction')}{done?.answer.cycles ? `, ${done.answer.cycles} cycles` : ''}; {reply.diagnostics?.length ? `${many(reply.diagnostics.length, 'finding')}: ${[...new Set(reply.diagnostics.map(d => d.kind))].join(', ')}` : 'no findings'}.</p>}
      {done?.answer.memory?.some(m => m.data) && <Memory list={done.answer.memory} />}
      <div ref={shown}>{done?.record && <><h2>Step by step</h2>
        <Viewer record={done.record} extra={done.answer.extra ?? { rules: {}, descriptors: {} }} start={{ wave: 0, step: first }} ruleLink={id => `#rule/${id}`} /></>}</div>
    </div>
  )
}

/** maxWords is how many dwords of a buffer are shown. */
const maxWords = 256

function Memory({ list }: { list: { name: string; addr: number; data: string }[] }) {
  const [as, setAs] = useState('hex')
  const word = (d: DataView, at: number) => {
    if (as === 'float') return `${+d.getFloat32(at, true).toPrecision(6)}`
    const v = d.getUint32(at, true)
    return as === 'hex' ? v.toString(16).padStart(8, '0') : `${v}`
  }
  return (
    <details class="memory"><summary>Memory after the run</summary>
      <label>as <select value={as} onChange={e => setAs(e.currentTarget.value)}>{['hex', 'unsigned', 'float'].map(x => <option>{x}</option>)}</select></label>
      {list.map(m => {
        const b = bytes(m.data), d = new DataView(b.buffer), n = Math.min(maxWords, b.length >> 2)
        return (
          <div class="scroll" tabIndex={0} role="region" aria-label={`memory of ${m.name}`}><table class="memory-table"><caption>{m.name}, {b.length} bytes at 0x{m.addr.toString(16)}{n < b.length >> 2 && `, the first ${n} dwords`}</caption><tbody>
            {Array.from({ length: Math.ceil(n / 8) }, (_, r) => <tr><th scope="row">+{(r * 32).toString(16)}</th>{Array.from({ length: Math.min(8, n - r * 8) }, (_, i) => <td>{word(d, r * 32 + i * 4)}</td>)}</tr>)}
          </tbody></table></div>
        )
      })}
    </details>
  )
}
