// Where one is among the steps of a record, and the ways to go on: buttons, keys, a speed.

import { useEffect, useMemo, useState } from 'preact/hooks'
import type { Finding, Inst, Record, State, Step, Steps, Window } from './record'
import type { Place, Props } from './viewer'

/** Navigation is what is shown of a record, and how to show something else. */
export interface Navigation {
  record: Record
  steps: Steps
  wave: number
  lane: number
  /** n is how many steps are done, number is that of the last one in the wave. */
  n: number
  number: number
  step?: Step
  inst?: Inst
  state: State
  findings: Map<number, Finding[]>
  here: Finding[]
  breaks: ReadonlySet<number>
  playing: boolean
  speed: number
  setLane: (lane: number) => void
  setSpeed: (speed: number) => void
  go: (n: number) => void
  move: (wave: number, n: number) => void
  /** search goes to the next step that is wanted, by steps on or back. */
  search: (by: number, wanted: Wanted) => void
  toggle: (inst: number) => void
  playOrPause: () => void
}

type Wanted = 'access' | 'finding' | 'wait' | 'break'

/** rests is how many milliseconds a step must be shown before it is announced. */
export const rests = 500

/** useNavigation begins at the start that a viewer is given; undefined if nothing was recorded. */
export function useNavigation({ record, start, moved, at: shownAt }: Props): Navigation | undefined {
  const [wave, setWave] = useState(start?.wave ?? 0)
  const [at, setAt] = useState(start?.step ?? 0)
  const [lane, setLane] = useState(start?.lane ?? 0)
  const [breaks, setBreaks] = useState<ReadonlySet<number>>(new Set()) // numbers of instructions
  const [speed, setSpeed] = useState(4)
  const [playing, play] = useState(false)
  const steps: Steps | undefined = record.windows[wave]
  const [shown, setShown] = useState(record)
  const move = (wave: number, n: number) => {
    setWave(wave)
    setAt(n)
  }
  if (shown !== record) {
    // another run: its beginning is shown at once
    setShown(record)
    move(start?.wave ?? 0, start?.step ?? 0)
  }
  const n = steps ? Math.min(at, steps.count) : 0
  if (shownAt) shownAt.current = { wave, step: n, lane }
  const findings = useMemo(() => findingsOf(record, wave), [record, wave])
  useEffect(() => {
    const timer = setTimeout(() => moved?.({ wave, step: n, lane } satisfies Place), rests)
    return () => clearTimeout(timer)
  }, [wave, n, lane, moved])
  useEffect(() => {
    if (!playing) return
    if (n >= (steps?.count ?? 0)) return play(false)
    const timer = setTimeout(() => {
      if (breaks.has(steps!.step(n).inst)) play(false)
      setAt(n + 1)
    }, 1000 / speed)
    return () => clearTimeout(timer)
  }, [playing, n, speed])
  if (!steps) return undefined
  const step = n > 0 ? steps.step(n - 1) : undefined
  const go = (to: number) => setAt(Math.max(0, Math.min(steps.count, to)))
  const is: { [what in Wanted]: (i: number) => boolean } = {
    access: i => steps.step(i - 1).access !== undefined,
    finding: i => findings.has(steps.window.from + i - 1),
    wait: i => record.head.insts[steps.step(i - 1).inst].wait === true,
    break: i => breaks.has(steps.step(i - 1).inst),
  }
  return {
    record,
    steps,
    wave,
    lane,
    n,
    number: steps.window.from + n - 1,
    step,
    inst: step && record.head.insts[step.inst],
    state: steps.stateAt(n),
    findings,
    here: findings.get(steps.window.from + n - 1) ?? [],
    breaks,
    playing,
    speed,
    setLane,
    setSpeed,
    go,
    move,
    search: (by, wanted) => {
      for (let i = n + by; i >= 1 && i <= steps.count; i += by) if (is[wanted](i)) return go(i)
    },
    toggle: inst =>
      setBreaks(old => {
        const all = new Set(old)
        if (!all.delete(inst)) all.add(inst)
        return all
      }),
    playOrPause: () => {
      if (n >= steps.count) go(0)
      play(p => !p)
    },
  }
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

/** keys acts on a key. */
export function keys(nav: Navigation, e: KeyboardEvent) {
  const target = e.target as HTMLElement
  if (
    e.ctrlKey ||
    e.metaKey ||
    e.altKey ||
    target.tagName === 'SELECT' ||
    (target.matches('[type=range], [role=separator]') && e.key.length > 1)
  )
    return // the element has its own use for it
  const { n, go, search, step } = nav
  const far = e.shiftKey ? 10 : 1
  const todo: { [key: string]: () => void } = {
    ArrowRight: () => go(n + far),
    ArrowLeft: () => go(n - far),
    Home: () => go(0),
    End: () => go(nav.steps.count),
    m: () => search(1, 'access'),
    M: () => search(-1, 'access'),
    f: () => search(1, 'finding'),
    F: () => search(-1, 'finding'),
    w: () => search(1, 'wait'),
    W: () => search(-1, 'wait'),
    b: () => step && nav.toggle(step.inst),
    c: () => search(1, 'break'),
    p: nav.playOrPause,
  }
  if (!todo[e.key]) return
  e.preventDefault()
  todo[e.key]()
}

/** KeyHelp says what the keys do. */
export function KeyHelp() {
  return (
    <details class="keys">
      <summary>Keys</summary>
      <p>
        → and ← step (with Shift by ten), Home and End go to the ends, m and M to the next and last access of memory, f
        and F to the next and last finding, w and W to the next and last wait; b sets a breakpoint at the instruction or
        takes it away, c goes on to the next one, p steps at a speed; in the cells of lanes the arrow keys, Home and End
        choose a lane.
      </p>
    </details>
  )
}

/** windowName names the wave that a window shows, and its first step where that is not the wave's first. */
function windowName(w: Window): string {
  const groups = w.name && !w.group.some(g => g) ? '' : `group ${w.group.join(',')} `
  return (w.name ? `${w.name} ` : '') + `${groups}wave ${w.wave}` + (w.from ? `, from ${w.from}` : '')
}

/** Toolbar has the ways to another step as buttons. */
export function Toolbar({ nav }: { nav: Navigation }) {
  const { record, steps, n, go, search } = nav
  return (
    <div class="toolbar" role="group" aria-label="Steps">
      {record.windows.length > 1 && (
        <label>
          wave{' '}
          <select value={nav.wave} onChange={e => nav.move(+e.currentTarget.value, 0)}>
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
      <button onClick={() => search(1, 'access')} title="next access of memory (m)">
        next access
      </button>
      {!record.head.names && (
        <button onClick={() => search(1, 'wait')} title="next wait (w)">
          next wait
        </button>
      )}
      {nav.breaks.size > 0 && (
        <button id="continue" onClick={() => search(1, 'break')} title="to the next breakpoint (c)">
          to breakpoint
        </button>
      )}
      {nav.findings.size > 0 && (
        <button onClick={() => search(1, 'finding')} title="next finding (f)">
          next finding
        </button>
      )}
      <button id="play" onClick={nav.playOrPause} aria-pressed={nav.playing} title="step at a speed, or stop (p)">
        {nav.playing ? 'pause' : 'play'}
      </button>
      <select
        id="speed"
        aria-label="steps a second"
        value={nav.speed}
        onChange={e => nav.setSpeed(+e.currentTarget.value)}
      >
        {[1, 4, 16, 60].map(v => (
          <option value={v}>{v} a second</option>
        ))}
      </select>
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
  )
}
