// The viewer: steps forward and back through what waves did.

import type { VNode } from 'preact'
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import { lanesOf, vectorName, type Fault, type Head, type Finding, type Mask, type Record, type Step } from './record'
import { AccessView } from './access'
import { Details } from './details'
import { address, citations, hex, many, opNames, scalarName } from './facts'
import { Operands, waitsFor } from './help'
import { ImageView } from './image'
import { Listing } from './listing'
import { KeyHelp, keys, rests, Toolbar, useNavigation, type Navigation } from './navigation'
import { Changes, hasChanges, Registers, Special, Vectors } from './registers'
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
  /** does says what an instruction does, by its text. */
  does: { [text: string]: string }
}

/** noExtra explains nothing. */
export const noExtra: Extra = { rules: {}, descriptors: {}, does: {} }

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
  /** debug is the command that debugs the run, if there is one. */
  debug?: string
  /** divider lies below what the step touched. */
  divider?: VNode
}

/** Viewer shows a record. */
export function Viewer(props: Props) {
  const { record, extra, old, ruleLink, debug, divider } = props
  const nav = useNavigation(props)
  const root = useRef<HTMLDivElement>(null)
  // What has the focus can go with a step; the keys work on.
  const focused = root.current?.contains(document.activeElement)
  useLayoutEffect(() => {
    if (focused && !root.current?.contains(document.activeElement)) root.current?.focus({ preventScroll: true })
  })
  const touched = useRef<HTMLElement>(null)
  useLayoutEffect(() => {
    // In a workbench the picture of another step is looked at from its beginning, wherever one has scrolled.
    const e = touched.current
    if (!divider || !e?.checkVisibility()) return
    e.scrollTop = 0
    const { top } = e.getBoundingClientRect()
    if (top < parseFloat(getComputedStyle(e).scrollMarginTop) - 1 || top > innerHeight / 2) e.scrollIntoView()
  }, [record, nav?.wave, nav?.n])
  if (!nav) return <p class="empty">No instruction was recorded.</p>
  const { steps, n, step, inst, state, lane, setLane, go, findings } = nav
  const fault = old ? undefined : faultOf(nav)
  const timeline = <Timeline record={record} steps={steps} n={n} go={go} />
  const touches = step && (step.access || step.taps || hasChanges(step))
  return (
    <div
      class="viewer"
      ref={root}
      onKeyDown={e => keys(nav, e)}
      tabIndex={-1}
      role="group"
      aria-label="Steps of the run"
    >
      <Toolbar nav={nav} />
      <LeftOut record={record} from={steps.window.from} />
      {fault && <Ended fault={fault} head={record.head} />}
      <div class="columns2">
        <section class="now" aria-label="The step">
          <Current nav={nav} does={extra.does} />
          <Spoken text={sentence(record.head, inst?.text, nav.number, step, nav.here)} />
        </section>
        <section class="touched" aria-label="What the step touched" tabIndex={0} ref={touched}>
          {step?.taps && inst && (
            <ImageView record={record} inst={inst} taps={step.taps} state={state} lane={lane} setLane={setLane} />
          )}
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
          {step && <Changes head={record.head} step={step} lane={lane} setLane={setLane} />}
          {!touches && timeline}
        </section>
        {divider}
        <Listing
          {...{ record, steps, at: n, state, lane, findings, go, breaks: nav.breaks, toggle: nav.toggle }}
          does={extra.does}
        />
        <div class="rest">
          {fault?.here && (
            <div class="finding error">
              <FaultText fault={fault.fault} head={record.head} extra={extra} link={ruleLink} />
            </div>
          )}
          {nav.here.map(f => (
            <FindingNote finding={f} go={to => go(to - steps.window.from + 1)} extra={extra} link={ruleLink} />
          ))}
          <Special {...{ head: record.head, steps, n, state, step, lane, setLane, go }} />
          {touches && timeline}
          <Details
            name="All vector registers"
            content={() => <Vectors head={record.head} state={state} lane={lane} setLane={setLane} />}
          />
          {!record.head.names && (
            <Details name="All scalar registers" content={() => <Registers state={state} step={step} />} />
          )}
          {debug && !record.head.names && (
            <Details name="Debug this step in an editor" content={() => <Debug command={debug} nav={nav} />} />
          )}
          <KeyHelp />
        </div>
      </div>
    </div>
  )
}

/** LeftOut says what is not in a record, whose wave is shown from an instruction on. */
function LeftOut({ record, from }: { record: Record; from: number }) {
  const left = record.head.left_out
  if (left.instructions === 0 && left.waves === 0 && !left.registers) return null
  return (
    <p class="note">
      Not in this record: {left.instructions.toLocaleString('en')} instructions
      {left.waves > 0 && `, among them all of ${left.waves.toLocaleString('en')} waves`}
      {left.registers && `, and ${left.registers} components of registers`}.
      {from > 0 && ` This wave is shown from its instruction ${from} on.`}
    </p>
  )
}

/** Shown is the fault of a record: here if the step that is shown has it, and go leads there if the record has it. */
interface Shown {
  fault: Fault
  here: boolean
  go?: () => void
}

/** faultOf returns the fault of the record. */
function faultOf({ record, wave, n, step, steps, move }: Navigation): Shown | undefined {
  const fault = record.head.fault
  if (!fault) return undefined
  const at = placeOf(record, fault)
  const here =
    wave === at &&
    steps.window.from + n === fault.step + (step?.fault ? 1 : 0) &&
    (step?.fault || n === steps.count) === true
  const w = record.windows[at]
  return { fault, here, go: w && (() => move(at, Math.min(w.count, fault.step - w.window.from + 1))) }
}

/** Ended says that a run ended early, and leads to the place. */
function Ended({ fault: { fault, here, go }, head }: { fault: Shown; head: Head }) {
  return (
    <p class="finding error ended">
      <b>The run ended early, {faultName(fault)}:</b> wave {fault.wave} of group {fault.group.join(',')} had executed{' '}
      {fault.step.toLocaleString('en')} instruction{fault.step === 1 ? '' : 's'} and was{' '}
      <FaultPlace fault={fault} head={head} />.{' '}
      {!go ? (
        'That place is not in this record.'
      ) : (
        <button id="fault" onClick={go} disabled={here}>
          show where
        </button>
      )}
    </p>
  )
}

/** Debug is the command of a debugger that stops at the step. */
function Debug({ command, nav: { steps, n } }: { command: string; nav: Navigation }) {
  const { group, wave, from } = steps.window
  const at = `${group.join(',')}:${wave}:${from + Math.max(n - 1, 0)}`
  return (
    <input
      id="debug"
      class="command"
      aria-label="command"
      readOnly
      value={command.replace(/^gcnsim debug/, `$& --at=${at}`)}
      onFocus={e => e.currentTarget.select()}
    />
  )
}

/** stepText names step i of the wave that is shown. */
const stepText = ({ record, steps }: Navigation, i: number) =>
  `step ${steps.window.from + i - 1} (${record.head.insts[steps.step(i - 1).inst].text.split(' ')[0]})`

/** Current names the step that is shown. */
function Current({ nav, does }: { nav: Navigation; does: Extra['does'] }) {
  const { record, steps, n, inst, step, number, state, lane, breaks } = nav
  const waits = useMemo(() => (inst?.wait ? waitsFor(record.head.insts, steps, n) : []), [steps, n])
  if (!inst || !step)
    return (
      <p class="current">
        <b>before the first instruction</b>
      </p>
    )
  return (
    <>
      <p class="current">
        <b>step {number}</b>
        {breaks.has(step.inst) && ' (breakpoint)'} <code>{hex(inst.pc - (record.head.base ?? 0), 4)}</code>{' '}
        <code class="text">
          <Operands {...{ inst, state, lane }} plain={record.head.names !== undefined} />
        </code>
        {inst.source && <span class="source">{inst.source}</span>}
        {step.times && <span class="note">{timesOf(step)}</span>}
      </p>
      {does[inst.text] && (
        <p class="does">
          {does[inst.text][0].toUpperCase() + does[inst.text].slice(1)}.
          {waits.length > 0 && ` What it waits for: ${waits.map(i => stepText(nav, i)).join(', ')}.`}
        </p>
      )}
    </>
  )
}

interface FindingProps {
  finding: Finding
  go: (number: number) => void
  extra: Extra
  link?: (id: string) => string
}

/** FindingNote says what the checks found at a step. */
function FindingNote({ finding: f, go, extra, link }: FindingProps) {
  return (
    <div class={`finding ${f.severity}`}>
      <b>
        {f.severity} {f.kind}
      </b>{' '}
      {f.reg && `${f.reg}: `}
      <Cited text={f.message} link={link} />
      {f.producer && (
        <div>
          after{' '}
          <button class="link" onClick={() => go(f.producer!.step)}>
            step {f.producer.step}
          </button>{' '}
          <code>{f.producer.text}</code>
        </div>
      )}
      {f.fix && <div>mend: {f.fix}</div>}
      {f.rule && <RuleNote id={f.rule} extra={extra} link={link} />}
    </div>
  )
}

/** Cited is text in which rules are links, if there is where to. */
function Cited({ text, link }: { text: string; link?: (id: string) => string }) {
  return <>{citations(text).map(p => (p.id && link ? <a href={link(p.id)}>{p.text}</a> : p.text))}</>
}

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
