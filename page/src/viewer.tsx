// The viewer: steps forward and back through what waves did.

import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import {
  lanesOf,
  vectorName,
  type Fault,
  type Head,
  type Finding,
  type Mask,
  type Record,
  type Step,
  type Steps,
  type Window,
} from './record'
import { AccessView } from './access'
import { Details } from './details'
import { address, citations, hex, many, opNames, scalarName } from './facts'
import { ImageView } from './image'
import { Listing } from './listing'
import { Changes, Registers, Special, Vectors } from './registers'
import { Timeline, timesOf } from './timeline'

/** Rule is a rule of the handbook as the viewer quotes it. */
export interface Rule {
  title: string
  text: string
}

/**
 * Extra is what goes with a record: rules by id, the rules of its fault, and descriptors in words by kind and by the
 * words of the descriptor.
 */
export interface Extra {
  rules: { [id: string]: Rule }
  fault?: string[]
  descriptors: { [key: string]: string }
}

/** Place is a wave, how many of its steps are done, and a lane. */
export interface Place {
  wave: number
  step: number
  lane?: number
}

export interface Props {
  record: Record
  extra: Extra
  /** start is what is shown first. */
  start?: Place
  /** moved is told what is shown, once it rests. */
  moved?: (p: Required<Place>) => void
  /** at, if given, always holds what is shown. */
  at?: { current: Place }
  /** old says that another run is under way: a fault of this one is not shown any more. */
  old?: boolean
  /** rule links to a rule. */
  ruleLink?: (id: string) => string
}

/** Viewer shows a record. */
export function Viewer({ record, extra, start, old, ruleLink, moved, at: shownAt }: Props) {
  const [wave, setWave] = useState(start?.wave ?? 0)
  const [at, setAt] = useState(start?.step ?? 0)
  const [lane, setLane] = useState(start?.lane ?? 0)
  const [breaks, setBreaks] = useState<ReadonlySet<number>>(new Set()) // numbers of instructions
  const [speed, setSpeed] = useState(4)
  const [playing, play] = useState(false)
  const root = useRef<HTMLDivElement>(null)
  const steps: Steps | undefined = record.windows[wave]
  const [shown, setShown] = useState(record)
  if (shown !== record) {
    // another run: its beginning is shown at once
    setShown(record)
    setWave(start?.wave ?? 0)
    setAt(start?.step ?? 0)
  }
  // What has the focus can go with a step; the keys work on.
  const focused = root.current?.contains(document.activeElement)
  useLayoutEffect(() => {
    if (focused && !root.current?.contains(document.activeElement)) root.current?.focus({ preventScroll: true })
  })
  const n = steps ? Math.min(at, steps.count) : 0
  if (shownAt) shownAt.current = { wave, step: n, lane }
  const step = steps && n > 0 ? steps.step(n - 1) : undefined
  const inst = step ? record.head.insts[step.inst] : undefined
  const findings = useMemo(() => findingsOf(record, wave), [record, wave])
  const atBreak = step !== undefined && breaks.has(step.inst)
  useEffect(() => {
    const timer = setTimeout(() => moved?.({ wave, step: n, lane }), rests)
    return () => clearTimeout(timer)
  }, [wave, n, lane, moved])
  useEffect(() => {
    if (!playing) return
    if (n >= (steps?.count ?? 0)) return play(false)
    const timer = setTimeout(() => {
      const to = n + 1
      if (breaks.has(steps!.step(to - 1).inst)) play(false)
      setAt(to)
    }, 1000 / speed)
    return () => clearTimeout(timer)
  }, [playing, n, speed])
  if (!steps) return <p class="empty">No instruction was recorded.</p>
  const state = steps.stateAt(n)
  const go = (to: number) => setAt(Math.max(0, Math.min(steps.count, to)))
  const search = (from: number, by: number, wanted: (i: number) => boolean) => {
    for (let i = from; i >= 1 && i <= steps.count; i += by) if (wanted(i)) return go(i)
  }
  const isAccess = (i: number) => steps.step(i - 1).access !== undefined
  const hasFinding = (i: number) => findings.has(steps.window.from + i - 1)
  const isWait = (i: number) => record.head.insts[steps.step(i - 1).inst].wait === true
  const isBreak = (i: number) => breaks.has(steps.step(i - 1).inst)
  const toggle = (inst: number) =>
    setBreaks(old => {
      const all = new Set(old)
      if (!all.delete(inst)) all.add(inst)
      return all
    })
  const playOrPause = () => {
    if (n >= steps.count) go(0)
    play(p => !p)
  }
  const keys = (e: KeyboardEvent) => {
    const target = e.target as HTMLElement
    if (
      e.ctrlKey ||
      e.metaKey ||
      e.altKey ||
      target.tagName === 'SELECT' ||
      (target.matches('[type=range]') && e.key.length > 1)
    )
      return // the element has its own use for it
    const far = e.shiftKey ? 10 : 1
    const todo: { [key: string]: () => void } = {
      ArrowRight: () => go(n + far),
      ArrowLeft: () => go(n - far),
      Home: () => go(0),
      End: () => go(steps.count),
      m: () => search(n + 1, 1, isAccess),
      M: () => search(n - 1, -1, isAccess),
      f: () => search(n + 1, 1, hasFinding),
      F: () => search(n - 1, -1, hasFinding),
      w: () => search(n + 1, 1, isWait),
      W: () => search(n - 1, -1, isWait),
      b: () => step && toggle(step.inst),
      c: () => search(n + 1, 1, isBreak),
      p: playOrPause,
    }
    if (!todo[e.key]) return
    e.preventDefault()
    todo[e.key]()
  }
  const fault = old ? undefined : record.head.fault
  const faultWave = fault ? placeOf(record, fault) : -1
  const atFault =
    fault !== undefined &&
    wave === faultWave &&
    steps.window.from + n === fault.step + (step?.fault ? 1 : 0) &&
    (step?.fault || n === steps.count)
  const toFault = () => {
    setWave(faultWave)
    const w = record.windows[faultWave]
    setAt(Math.min(w.count, fault!.step - w.window.from + 1))
  }
  const here = findings.get(steps.window.from + n - 1) ?? []
  const left = record.head.left_out
  return (
    <div class="viewer" ref={root} onKeyDown={keys} tabIndex={-1} role="group" aria-label="Steps of the run">
      <div class="toolbar" role="group" aria-label="Steps">
        {record.windows.length > 1 && (
          <label>
            wave{' '}
            <select
              value={wave}
              onChange={e => {
                setWave(+e.currentTarget.value)
                setAt(0)
              }}
            >
              {record.windows.map((w, i) => (
                <option value={i}>{windowName(w.window)}</option>
              ))}
            </select>
          </label>
        )}
        <button onClick={() => go(0)} aria-disabled={n === 0} aria-label="to the start" title="to the start (Home)">
          |◀
        </button>
        <button id="back" onClick={() => go(n - 1)} aria-disabled={n === 0} title="one step back (←)">
          ◀ back
        </button>
        <button id="step" onClick={() => go(n + 1)} aria-disabled={n === steps.count} title="one step on (→)">
          step ▶
        </button>
        <button
          onClick={() => go(steps.count)}
          aria-disabled={n === steps.count}
          aria-label="to the end"
          title="to the end (End)"
        >
          ▶|
        </button>
        <button onClick={() => search(n + 1, 1, isAccess)} title="next access of memory (m)">
          next access
        </button>
        {!record.head.names && (
          <button onClick={() => search(n + 1, 1, isWait)} title="next wait (w)">
            next wait
          </button>
        )}
        {breaks.size > 0 && (
          <button id="continue" onClick={() => search(n + 1, 1, isBreak)} title="to the next breakpoint (c)">
            to breakpoint
          </button>
        )}
        <button id="play" onClick={playOrPause} aria-pressed={playing} title="step at a speed, or stop (p)">
          {playing ? 'pause' : 'play'}
        </button>
        <label>
          <select id="speed" aria-label="steps a second" value={speed} onChange={e => setSpeed(+e.currentTarget.value)}>
            {[1, 4, 16, 60].map(v => (
              <option value={v}>{v} a second</option>
            ))}
          </select>
        </label>
        {findings.size > 0 && (
          <button onClick={() => search(n + 1, 1, hasFinding)} title="next finding (f)">
            next finding
          </button>
        )}
        <label class="slider">
          step{' '}
          <input
            type="range"
            min={0}
            max={steps.count}
            value={n}
            aria-valuetext={`${n} of ${steps.count} done`}
            onInput={e => go(+e.currentTarget.value)}
          />{' '}
          <output>
            {n} of {steps.count} done
          </output>
        </label>
      </div>
      {(left.instructions > 0 || left.waves > 0 || left.registers) && (
        <p class="note">
          Not in this record: {left.instructions.toLocaleString('en')} instructions
          {left.waves > 0 && `, among them all of ${left.waves.toLocaleString('en')} waves`}
          {left.registers && `, and ${left.registers} components of registers`}.
          {steps.window.from > 0 && ` This wave is shown from its instruction ${steps.window.from} on.`}
        </p>
      )}
      {fault && (
        <p class="finding error ended">
          <b>The run ended early, {faultName(fault)}:</b> wave {fault.wave} of group {fault.group.join(',')} had
          executed {fault.step.toLocaleString('en')} instruction{fault.step === 1 ? '' : 's'} and was{' '}
          <FaultPlace fault={fault} head={record.head} />.{' '}
          {faultWave < 0 ? (
            'That place is not in this record.'
          ) : (
            <button id="fault" onClick={toFault} disabled={atFault}>
              show where
            </button>
          )}
        </p>
      )}
      <div class="columns2">
        <Listing record={record} steps={steps} at={n} findings={findings} go={go} breaks={breaks} toggle={toggle} />
        <div class="now">
          <section aria-label="The step">
            <p class="current">
              {inst ? (
                <>
                  <b>step {steps.window.from + n - 1}</b>
                  {atBreak && ' (breakpoint)'} <code>{hex(inst.pc - (record.head.base ?? 0), 4)}</code>{' '}
                  <code class="text">{inst.text}</code>
                  {inst.source && <span class="source">{inst.source}</span>}
                </>
              ) : (
                <b>before the first instruction</b>
              )}
            </p>
            {step?.times && <p class="note">{timesOf(step)}</p>}
            <Spoken text={sentence(record.head, inst?.text, steps.window.from + n - 1, step, here)} />
            {atFault && (
              <div class="finding error">
                <FaultText fault={fault} head={record.head} extra={extra} link={ruleLink} />
              </div>
            )}
            {here.map(f => (
              <div class={`finding ${f.severity}`}>
                <b>
                  {f.severity} {f.kind}
                </b>{' '}
                {f.reg && `${f.reg}: `}
                <Cited text={f.message} link={ruleLink} />
                {f.producer && (
                  <div>
                    after{' '}
                    <button class="link" onClick={() => go(f.producer!.step - steps.window.from + 1)}>
                      step {f.producer.step}
                    </button>{' '}
                    <code>{f.producer.text}</code>
                  </div>
                )}
                {f.fix && <div>mend: {f.fix}</div>}
                {f.rule && <RuleNote id={f.rule} extra={extra} link={ruleLink} />}
              </div>
            ))}
          </section>
          {step?.access && inst && (
            <AccessView
              step={step}
              access={step.access}
              inst={inst}
              state={state}
              extra={extra}
              lane={lane}
              setLane={setLane}
              rule={id => <RuleNote id={id} extra={extra} link={ruleLink} />}
              cite={text => <Cited text={text} link={ruleLink} />}
            />
          )}
          {step?.taps && inst && (
            <ImageView record={record} inst={inst} taps={step.taps} state={state} lane={lane} setLane={setLane} />
          )}
          {step && <Changes head={record.head} step={step} lane={lane} setLane={setLane} />}
          <Special {...{ head: record.head, steps, n, state, step, lane, setLane, go }} />
          <Timeline record={record} steps={steps} n={n} go={go} />
          <Details
            name="All vector registers"
            content={() => <Vectors head={record.head} state={state} lane={lane} setLane={setLane} />}
          />
          {!record.head.names && (
            <Details name="All scalar registers" content={() => <Registers state={state} step={step} />} />
          )}
        </div>
      </div>
      <details class="keys">
        <summary>Keys</summary>
        <p>
          → and ← step (with Shift by ten), Home and End go to the ends, m and M to the next and last access of memory,
          f and F to the next and last finding, w and W to the next and last wait; b sets a breakpoint at the
          instruction or takes it away, c goes on to the next one, p steps at a speed; in the cells of lanes the arrow
          keys, Home and End choose a lane.
        </p>
      </details>
    </div>
  )
}

/** Cited is text in which rules are links, if there is where to. */
function Cited({ text, link }: { text: string; link?: (id: string) => string }) {
  return <>{citations(text).map(p => (p.id && link ? <a href={link(p.id)}>{p.text}</a> : p.text))}</>
}

/** rests is how many milliseconds a step must be shown before it is announced. */
const rests = 500

/** Spoken tells screen readers what changed: once it rests, so that a key held down is one sentence. */
function Spoken({ text }: { text: string }) {
  const [said, say] = useState('')
  const before = useRef(text)
  useEffect(() => {
    if (before.current === text) return
    const timer = setTimeout(() => {
      before.current = text
      say(text)
    }, rests)
    return () => clearTimeout(timer)
  }, [text])
  return (
    <p class="spoken" role="status">
      {said}
    </p>
  )
}

/** most is how many registers a sentence names. */
const most = 4

/** windowName names the wave that a window shows, and its first step where that is not the wave's first. */
function windowName(w: Window): string {
  const groups = w.name && !w.group.some(g => g) ? '' : `group ${w.group.join(',')} `
  return (w.name ? `${w.name} ` : '') + `${groups}wave ${w.wave}` + (w.from ? `, from ${w.from}` : '')
}

/** sentence says what a step did. */
function sentence(
  head: Head,
  text: string | undefined,
  number: number,
  step: Step | undefined,
  here: Finding[],
): string {
  if (!step || !text) return 'before the first instruction'
  const parts = [`step ${number}: ${text}`]
  const changed = [
    ...new Set(step.scalars.map(c => scalarName(c.code))),
    ...step.vectors.map(v => vectorName(head, v.reg)),
  ]
  const more = changed.length > most ? ` and ${changed.length - most} more` : ''
  if (changed.length > 0) parts.push(`changed ${changed.slice(0, most).join(', ')}${more}`)
  const a = step.access
  if (a) {
    const out = lanesOf(a.out.reduce((x, y) => [x[0] | y[0], x[1] | y[1]] as Mask)).length
    const lanes = a.scalar ? '' : ` by ${many(lanesOf(a.exec).length, 'lane')}`
    parts.push((opNames[a.op] || 'access') + lanes + (out > 0 && !a.scalar ? `, ${out} out of range` : ''))
  }
  return [...parts, ...here.map(f => `${f.severity} ${f.kind}`)].join('; ')
}

/** RuleNote quotes a rule. */
export function RuleNote({ id, extra, link }: { id: string; extra: Extra; link?: (id: string) => string }) {
  const rule = extra.rules[id]
  return (
    <details class="rule">
      <summary>
        rule {id}
        {rule && `: ${rule.title}`}
      </summary>
      {rule && <pre>{rule.text}</pre>}
      {link && (
        <p>
          <a href={link(id)}>in the handbook</a>
        </p>
      )}
    </details>
  )
}

/** FaultPlace says at which instruction, in which lane and at which address a fault is. */
function FaultPlace({ fault: f, head }: { fault: Fault; head: Head }) {
  return (
    <>
      at <code>{hex(f.pc - (head.base ?? 0), 4)}</code>
      {f.text && (
        <>
          {' '}
          <code>{f.text}</code>
        </>
      )}
      {f.lane >= 0 && `, lane ${f.lane}`}
      {f.kind === 'memory' && !head.names && (
        <>
          , address <code>{address(BigInt(f.addr ?? 0))}</code>
        </>
      )}
    </>
  )
}

/** FaultText says all that is known of a fault, with the rules that are about it. */
export function FaultText({
  fault: f,
  head,
  extra,
  link,
}: {
  fault: Fault
  head: Head
  extra: Extra
  link?: (id: string) => string
}) {
  return (
    <>
      <b>{faultName(f)}</b> <FaultPlace fault={f} head={head} />, wave {f.wave} of group {f.group.join(',')}:{' '}
      <Cited text={f.message} link={link} />
      {extra.fault?.map(id => (
        <RuleNote id={id} extra={extra} link={link} />
      ))}
    </>
  )
}

const faultName = (f: Fault) => (f.kind === 'interrupted' ? f.kind : `${f.kind} fault`)

/** placeOf returns the window that has the place of a fault, or what is before it; -1 if none does. */
function placeOf(record: Record, fault: Fault): number {
  return record.windows.findIndex(
    ({ window: w, count }) =>
      w.wave === fault.wave &&
      w.group.every((g, i) => g === fault.group[i]) &&
      w.from <= fault.step &&
      fault.step <= w.from + count,
  )
}

/** findingsOf returns the findings of a wave by step. */
function findingsOf(record: Record, wave: number) {
  const by = new Map<number, NonNullable<typeof record.head.findings>>()
  const w = record.windows[wave]?.window
  for (const f of record.head.findings ?? []) {
    if (!f.text || !w || f.wave !== w.wave || f.group.some((g, i) => g !== w.group[i])) continue
    by.set(f.step, [...(by.get(f.step) ?? []), f])
  }
  return by
}
