// Registers: those that a step changed, masks, special registers and counters.

import { useState } from 'preact/hooks'
import { EXEC, M0, VCC, has, toFloat, vectorName } from './record'
import type { Head, Mask, State, Step, Steps } from './record'
import { hex, modeFields, scalarName } from './facts'
import { Lanes, type Cell } from './lanes'

type Format = 'hex' | 'unsigned' | 'signed' | 'float'

const formats: { [name in Format]: (v: number) => string } = {
  hex: v => v.toString(16).padStart(8, '0'),
  unsigned: v => `${v}`,
  signed: v => `${v | 0}`,
  float: v => short(toFloat(v)),
}

const short = (v: number) =>
  Number.isInteger(v) && Math.abs(v) < 1e7 ? `${v}` : v.toPrecision(4).replace(/\.?0+(e|$)/, '$1')

/** looksFloat guesses whether values are floats: all have the exponent of a moderate number. */
export function looksFloat(v: Uint32Array): boolean {
  return v.some(x => x !== 0) && v.every(x => x === 0 || (((x >>> 23) & 255) > 97 && ((x >>> 23) & 255) < 157))
}

function Choice({ value, set }: { value: Format; set: (f: Format) => void }) {
  return (
    <label class="choice">
      as{' '}
      <select value={value} onChange={e => set(e.currentTarget.value as Format)}>
        {Object.keys(formats).map(f => (
          <option>{f}</option>
        ))}
      </select>
    </label>
  )
}

interface LaneProps {
  head: Head
  lane: number
  setLane: (lane: number) => void
}

/** scalarsOf are the scalar registers that a step changed, but for the masks, which are shown by themselves. */
const scalarsOf = (step: Step) => step.scalars.filter(c => ![EXEC, EXEC + 1, VCC, VCC + 1].includes(c.code))

/** hasChanges reports whether Changes shows something. */
export const hasChanges = (step: Step) => scalarsOf(step).length + step.vectors.length > 0

/** Changes shows the registers that a step changed. */
export function Changes({ step, ...of }: { step: Step } & LaneProps) {
  if (!hasChanges(step)) return null
  const scalars = scalarsOf(step)
  return (
    <section class="changes">
      <h3>Changed registers</h3>
      {scalars.length > 0 && (
        <table>
          <thead>
            <tr>
              <th>register</th>
              <th>was</th>
              <th>is</th>
            </tr>
          </thead>
          <tbody>
            {scalars.map(c => (
              <tr>
                <th scope="row">{scalarName(c.code)}</th>
                <td>
                  <code>{hex(c.old)}</code>
                </td>
                <td>
                  <code>{hex(c.now)}</code> <span class="dim">{c.now | 0}</span>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {step.vectors.map(c => (
        <Vector key={c.reg} reg={c.reg} old={c.old} now={c.now} {...of} />
      ))}
    </section>
  )
}

interface VectorProps extends LaneProps {
  reg: number
  old?: Uint32Array
  now: Uint32Array
}

function Vector({ head, reg, old, now, lane, setLane }: VectorProps) {
  const name = vectorName(head, reg)
  const [chosen, choose] = useState<Format | undefined>()
  const format = chosen ?? (looksFloat(now) ? 'float' : 'hex')
  const cells = Array.from(now, (v, i): Cell => {
    const text = formats[format](v)
    const changed = old && old[i] !== v
    return {
      text,
      title: changed ? `${text}, was ${formats[format](old[i])}` : text,
      class: changed ? 'changed' : old ? 'same' : '',
    }
  })
  return (
    <div class="vector">
      <h4>
        {name} <Choice value={format} set={choose} />
      </h4>
      <Lanes label={name} lane={lane} setLane={setLane} cells={cells} wide />
    </div>
  )
}

/** Vectors shows all vector registers, those of zeros apart. */
export function Vectors({ state, ...of }: { state: State } & LaneProps) {
  const some = state.v.map((v, i) => ({ v, i })).filter(x => x.v.some(y => y !== 0))
  return (
    <>
      {some.map(x => (
        <Vector key={x.i} reg={x.i} now={x.v} {...of} />
      ))}
      <p class="note">Registers that are 0 in all lanes are left out.</p>
    </>
  )
}

/** Registers shows all scalar registers that are not 0. */
export function Registers({ state, step }: { state: State; step?: Step }) {
  const changed = new Set(step?.scalars.map(c => c.code))
  const codes = Array.from(state.s, (_, i) => i).filter(i => state.s[i] !== 0)
  return (
    <ul class="scalars">
      {codes.map(c => (
        <li class={changed.has(c) ? 'changed' : ''}>
          <b>{scalarName(c)}</b> <code>{hex(state.s[c])}</code>
        </li>
      ))}
    </ul>
  )
}

function maskCells(m: Mask, old: Mask | undefined): Cell[] {
  return Array.from({ length: 64 }, (_, i) => {
    const on = has(m, i),
      changed = old !== undefined && has(old, i) !== on
    return {
      text: i,
      title: (on ? '1' : '0') + (changed ? ', changed' : ''),
      class: (on ? 'on' : 'off') + (changed ? ' changed' : ''),
    }
  })
}

interface SpecialProps extends LaneProps {
  steps: Steps
  n: number
  state: State
  step?: Step
  go: (n: number) => void
}

/** Special shows EXEC, VCC, SCC, M0, MODE and the counters. */
export function Special({ head, steps, n, state, step, lane, setLane, go }: SpecialProps) {
  const was = (code: number) => step?.scalars.find(c => c.code === code)?.old ?? state.s[code]
  const pair = (code: number): Mask => [state.s[code], state.s[code + 1]]
  const old = (code: number): Mask => [was(code), was(code + 1)]
  const before = step?.special.old
  const mark = (changed: boolean) => (changed ? 'changed' : '')
  const masks = (
    <div class="masks">
      {[EXEC, VCC].map((code, i) => {
        const name = (head.names ? ['active threads', 'threads that nothing has killed'] : ['EXEC', 'VCC'])[i]
        return (
          <div>
            <h3>{name}</h3>
            <Lanes label={name} lane={lane} setLane={setLane} cells={maskCells(pair(code), old(code))} />
          </div>
        )
      })}
    </div>
  )
  if (head.names) return <section class="special">{masks}</section>
  return (
    <section class="special">
      {masks}
      <dl class="facts">
        <div class={mark(!!before && before.scc !== state.scc)}>
          <dt>SCC</dt>
          <dd>{state.scc}</dd>
        </div>
        <div class={mark(was(M0) !== state.s[M0])}>
          <dt>M0</dt>
          <dd>
            <code>{hex(state.s[M0])}</code>
          </dd>
        </div>
        {(['vm', 'exp', 'lgkm'] as const).map(c => (
          <div class={mark(!!before && before[c] !== state[c])}>
            <dt>{c}cnt</dt>
            <dd>
              {state[c]}{' '}
              {outstanding(steps, n, c, state[c]).map(i => (
                <button class="link" title={steps.head.insts[steps.step(i).inst].text} onClick={() => go(i + 1)}>
                  step {steps.window.from + i}
                </button>
              ))}
            </dd>
          </div>
        ))}
      </dl>
      {step && steps.head.insts[step.inst].wait && <WaitedFor steps={steps} n={n} go={go} />}
      <details>
        <summary>
          MODE <code>{hex(state.mode)}</code>
        </summary>
        <ul class="scalars">
          {modeFields(state.mode).map(([name, value]) => (
            <li>
              <b>{name}</b> {value}
            </li>
          ))}
        </ul>
      </details>
    </section>
  )
}

type Counter = 'vm' | 'exp' | 'lgkm'

/** outstanding returns the steps before n whose operations a counter of that value counts: the latest ones. */
export function outstanding(steps: Steps, n: number, counter: Counter, value: number): number[] {
  const list: number[] = []
  for (let i = n - 1; i >= 0 && value > 0; i--) {
    const adds = steps.head.insts[steps.step(i).inst][counter] ?? 0
    if (adds > 0) {
      list.unshift(i)
      value -= adds
    }
  }
  return list
}

/** waitedFor returns the steps whose operations step n-1 took off a counter. */
export function waitedFor(steps: Steps, n: number): number[] {
  const { old, now } = steps.step(n - 1).special
  const list = new Set<number>()
  for (const c of ['vm', 'exp', 'lgkm'] as const) {
    const still = new Set(outstanding(steps, n - 1, c, now[c]))
    for (const i of outstanding(steps, n - 1, c, old[c])) if (!still.has(i)) list.add(i)
  }
  return [...list].sort((a, b) => a - b)
}

function WaitedFor({ steps, n, go }: { steps: Steps; n: number; go: (n: number) => void }) {
  const list = waitedFor(steps, n)
  if (list.length === 0) return <p class="note">There was nothing to wait for.</p>
  return (
    <div class="waited">
      <h3>It waited for</h3>
      <ul>
        {list.map(i => (
          <li>
            <button class="link" onClick={() => go(i + 1)}>
              step {steps.window.from + i}
            </button>{' '}
            <code>{steps.head.insts[steps.step(i).inst].text}</code>
          </li>
        ))}
      </ul>
    </div>
  )
}
