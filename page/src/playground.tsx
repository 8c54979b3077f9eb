// The playground: a program, what it finds, and what it did.

import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import { Editor, type TextError } from './editor'
import { until, type Engine } from './engine'
import { many } from './facts'
import { Resources } from './forms'
import { read, type Record } from './record'
import { Compare } from './compare'
import { Divider, reveal, zoomKeys, type Panes } from './panes'
import { download, share, type Scenario, type Verdict } from './scenario'
import { FaultText, noExtra, Viewer, type Extra, type Place } from './viewer'

export interface Info {
  chips: { name: string; target: string; gen: string }[]
  rules: string[]
}

export interface Answer {
  reply: {
    ok: boolean
    instructions?: number
    error?: { kind: string; message: string }
    diagnostics?: { severity: string; kind: string; message: string }[]
  }
  error?: TextError
  record?: string
  extra?: Extra
  memory?: { name: string; addr: number; data: string }[]
  cycles?: number
  verdicts?: Verdict[]
}

/**
 * Props: first is the place that is shown first. changed is told each change of the scenario, so that it can be begun
 * with again; ran is called when what a run gave is shown; moved is told what is shown. wants are conditions of exercises,
 * and judged is told how a run stands to them, and whether its scenario was changed. base is what runs are compared with, if one asks for that;
 * panes are those that it has.
 */
interface Props {
  engine: Engine
  info: Info
  start: Scenario
  first: Place
  autorun?: boolean
  wants?: string[]
  judged?: (list: Verdict[], own: boolean, ran: Scenario) => void
  moved?: (p: Required<Place>) => void
  panes: Panes
  base?: { name: string; scenario: Scenario; wave: number; step: number }
  changed?: (s: Scenario) => void
  ran?: () => void
}

export const ruleLink = (id: string) => `#rule/${id}`

export const bytes = (text: string) => Uint8Array.from(atob(text), c => c.charCodeAt(0))

/** Playground edits and runs a scenario. */
export function Playground({
  engine,
  info,
  start,
  first,
  autorun,
  changed,
  ran,
  wants,
  judged,
  moved,
  base,
  panes,
}: Props) {
  const [s, set] = useState(start)
  const [names, setNames] = useState<string[]>([])
  const [errors, setErrors] = useState<TextError[]>([])
  const [running, setRunning] = useState<number>()
  const [problem, setProblem] = useState('')
  const [done, setDone] = useState<{ answer: Answer; record?: Record; start: Place; scenario: Scenario }>()
  const [beside, setBeside] = useState<{ name: string; scenario: Scenario; wave: number; step: number }>()
  const at = useRef<Place>(first)
  const [said, say] = useState('')
  const [link, setLink] = useState<{ to: string; refused: boolean }>() // refused by the clipboard
  const linkField = useRef<HTMLInputElement>(null)
  const shown = useRef<HTMLDivElement>(null)
  const latest = useRef(s) // what was set last, which may not be rendered yet
  const change = useCallback((f: (s: Scenario) => Scenario) => {
    set((latest.current = f(latest.current)))
    changed?.(latest.current)
    setLink(undefined)
    say('')
  }, [])
  useEffect(
    () =>
      until(
        engine.call<{ names: string[] }>('check', { mcpu: s.mcpu, asm: '', names: true }),
        a => setNames(a.names ?? []),
        () => {},
      ),
    [s.mcpu],
  )
  useEffect(() => {
    let end = () => {}
    const timer = setTimeout(() => {
      end = until(
        engine.call<{ errors: TextError[] }>('check', { mcpu: s.mcpu, asm: s.asm, rules: s.rules ?? '' }),
        a => setErrors(a.errors),
        () => {},
      )
    }, 250)
    return () => {
      clearTimeout(timer)
      end()
    }
  }, [s.asm, s.mcpu, s.rules])
  const busy = useRef(false)
  const follow = useRef(false) // the steps get the focus when they are there
  const shownOnce = useRef(false) // a run gave something
  const again = useRef(false) // something was changed while a run was under way
  const redraw = useCallback((f: (s: Scenario) => Scenario) => {
    change(f)
    if (!shownOnce.current) return
    if (busy.current) again.current = true
    else void run(false, true)
  }, [])
  const run = useCallback(async (toSteps: boolean, stay = false) => {
    if (busy.current) {
      say('a run is under way: wait for it, or cancel it')
      return
    }
    busy.current = true
    follow.current = toSteps
    const ran = latest.current
    setProblem('')
    say('')
    setRunning(0)
    try {
      const answer = await engine.call<Answer>('run', { ...ran, wants }, setRunning)
      const record = answer.record ? await read(bytes(answer.record)) : undefined
      if (answer.error && ran.asm === latest.current.asm) setErrors([answer.error])
      // A program of one's own begins at its beginning.
      const begin = base || ran === start ? first : { wave: 0, step: 0 }
      setDone({ answer, record, start: stay ? at.current : begin, scenario: ran })
      shownOnce.current = true
      if (answer.verdicts) judged?.(answer.verdicts, ran !== start, ran)
      say(answer.reply.ok ? `ran ${many(answer.reply.instructions ?? 0, 'instruction')}` : 'the run failed')
    } catch (e) {
      setDone(undefined)
      setProblem(e instanceof Error ? e.message : String(e))
    }
    busy.current = false
    setRunning(undefined)
    if (again.current) {
      again.current = false
      void run(false, true)
    }
  }, [])
  useEffect(() => {
    if (autorun) void run(false)
  }, [])
  useLayoutEffect(() => {
    if (done || problem) ran?.()
  }, [done, problem])
  useLayoutEffect(() => {
    const steps = follow.current && shown.current?.querySelector<HTMLElement>('.viewer'),
      at = document.activeElement
    follow.current = false
    if (!steps || (at && at !== document.body && at.id !== 'run')) return // the user is elsewhere by now
    panes.show('machine')
    requestAnimationFrame(() => {
      reveal(steps)
      steps.focus({ preventScroll: true })
    })
  }, [done])
  const exportRequest = async () => {
    const { request } = await engine.call<{ request: unknown }>('compile', latest.current)
    download('request.json', request)
    say('request.json is an exec request: gcnsim run request.json')
  }
  const compare = () => {
    setBeside(b => (b ? undefined : (base ?? { name: 'before', scenario: done!.scenario, ...at.current })))
    panes.show('machine')
  }
  const makeLink = async () => {
    const to = `${location.href.replace(/#.*/, '')}#s=${await share(latest.current)}`
    setLink({ to, refused: false })
    try {
      await navigator.clipboard.writeText(to)
      say('the link is copied')
    } catch {
      setLink({ to, refused: true })
      say('the link is selected below: copy it')
    }
  }
  useLayoutEffect(() => {
    if (link?.refused) linkField.current!.focus()
  }, [link])
  const fail = (e: Error) => setProblem(e.message)
  const old = running !== undefined // what is shown is of the run before
  const reply = old ? undefined : done?.answer.reply
  const fault = done?.record?.head.fault
  const extra = done?.answer.extra ?? noExtra
  const steps = useMemo(
    () =>
      done?.record && (
        <>
          <h2 class="spoken">Step by step{old && ', the run before'}</h2>
          <Viewer
            record={done.record}
            old={old}
            extra={extra}
            start={done.start}
            ruleLink={ruleLink}
            debug="gcnsim debug request.json # the file that “export” saves"
            moved={moved}
            at={at}
            divider={<Divider of="touched" label="height of what the step touched" panes={panes} />}
          />
        </>
      ),
    [done, old, panes.sizes.touched],
  ) // not with each key
  const kinds = [...new Set(reply?.diagnostics?.map(d => d.kind))]
  return (
    <div class="playground bench">
      <div class="pane code-pane">
        <div class="choices">
          <label>
            chip{' '}
            <select
              id="chip"
              value={s.mcpu}
              onChange={e => {
                const mcpu = e.currentTarget.value
                change(s => ({ ...s, mcpu }))
              }}
            >
              {info.chips.map(c => (
                <option value={c.name}>
                  {c.name} ({c.target}, {c.gen})
                </option>
              ))}
              {!info.chips.some(c => c.name === s.mcpu) && <option>{s.mcpu}</option>}
            </select>
          </label>
          <label>
            rules{' '}
            <select
              value={s.rules || 'seed'}
              onChange={e => {
                const rules = e.currentTarget.value
                change(s => ({ ...s, rules }))
              }}
            >
              {info.rules.map(r => (
                <option>{r}</option>
              ))}
            </select>
          </label>
          <label>
            waves{' '}
            <select
              value={s.waves || 1}
              onChange={e => {
                const waves = +e.currentTarget.value
                change(s => ({ ...s, waves }))
              }}
            >
              {[1, 2, 4].map(n => (
                <option>{n}</option>
              ))}
            </select>
          </label>
        </div>
        <Editor
          start={start.asm}
          onChange={asm => change(s => ({ ...s, asm }))}
          names={names}
          errors={errors}
          run={() => void run(false)}
        />
        <p class="hint">
          Ctrl+Enter runs and stays in the editor, the button leads to the steps; Escape, then Tab leaves the editor.
        </p>
        {errors.map(e => (
          <p class="problem" role="alert">
            line {e.line}, column {e.col}: {e.message}
          </p>
        ))}
        <p class="actions">
          <button id="run" class="main" onClick={() => void run(true)} aria-disabled={running !== undefined}>
            ▶ run
          </button>{' '}
          {running !== undefined && (
            <>
              <button id="cancel" onClick={() => engine.cancel()}>
                cancel
              </button>{' '}
              <span role="status">running{running > 0 && `, ${running.toLocaleString('en')} instructions`}…</span>
            </>
          )}
          <button id="share" onClick={() => makeLink().catch(fail)}>
            share
          </button>{' '}
          <button id="export" onClick={() => exportRequest().catch(fail)}>
            export
          </button>{' '}
          {done?.record && (
            <button id="compare" aria-pressed={beside !== undefined} onClick={compare}>
              {base ? `beside “${base.name}”` : 'beside later runs'}
            </button>
          )}{' '}
          <span role="status" class="said">
            {said}
          </span>
        </p>
        {link && (
          <p>
            <label>
              link{' '}
              <input
                id="link"
                class="link"
                ref={linkField}
                readOnly
                value={link.to}
                onFocus={e => e.currentTarget.select()}
              />
            </label>
          </p>
        )}
        {problem && (
          <p class="problem" role="alert">
            {problem}
          </p>
        )}
        {reply?.error && !done?.answer.error && (
          <div class="problem" role="alert">
            {fault ? (
              <FaultText fault={fault} head={done!.record!.head} extra={extra} link={ruleLink} />
            ) : (
              `${reply.error.kind}: ${reply.error.message}`
            )}
          </div>
        )}
        {reply?.ok && (
          <p class="result">
            {many(reply.instructions ?? 0, 'instruction')}
            {done?.answer.cycles ? `, ${done.answer.cycles} cycles` : ''}
            {done?.record?.head.names
              ? ', no times and no checks on this chip'
              : kinds.length
                ? `; ${many(reply.diagnostics?.length ?? 0, 'finding')}: ${kinds.join(', ')}`
                : '; no findings'}
            .
          </p>
        )}
        <Resources scenario={s} set={redraw} engine={engine} />
      </div>
      <Divider of="code" label="width of the code" panes={panes} />
      <div ref={shown} class={`pane machine${old ? ' old' : ''}`} aria-busy={old} onKeyDown={e => zoomKeys(panes, e)}>
        {beside && done && (
          <Compare
            key={JSON.stringify([beside.scenario, done.scenario])}
            engine={engine}
            sides={[beside, { name: 'now', scenario: done.scenario, ...done.start }]}
          />
        )}
        {!done && !old && !autorun && (
          <p class="note">Run the program to see here what it did: step by step, lane by lane.</p>
        )}
        {steps}
        {done?.answer.memory?.some(m => m.data) && <Memory list={done.answer.memory} />}
      </div>
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
    <details class="memory">
      <summary>Memory after the run</summary>
      <label>
        as{' '}
        <select value={as} onChange={e => setAs(e.currentTarget.value)}>
          {['hex', 'unsigned', 'float'].map(x => (
            <option>{x}</option>
          ))}
        </select>
      </label>
      {list.map(m => {
        const b = bytes(m.data),
          d = new DataView(b.buffer),
          n = Math.min(maxWords, b.length >> 2)
        return (
          <div class="scroll" tabIndex={0} role="region" aria-label={`memory of ${m.name}`}>
            <table class="memory-table">
              <caption>
                {m.name}, {b.length} bytes at 0x{m.addr.toString(16)}
                {n < b.length >> 2 && `, the first ${n} dwords`}
              </caption>
              <tbody>
                {Array.from({ length: Math.ceil(n / 8) }, (_, r) => (
                  <tr>
                    <th scope="row">+{(r * 32).toString(16)}</th>
                    {Array.from({ length: Math.min(8, n - r * 8) }, (_, i) => (
                      <td>{word(d, r * 32 + i * 4)}</td>
                    ))}
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )
      })}
    </details>
  )
}
