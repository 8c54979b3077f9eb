// The lane-address map: 64 lanes to cache lines, or to the banks of LDS.

import type { VNode } from 'preact'
import { has, isEmpty, lanesOf, parseMask, toFloat, type Access, type Inst, type State, type Step } from './record'
import { address, many, opNames, spaceNames } from './facts'
import { Formula } from './formula'
import { Lanes, ranges, type Cell } from './lanes'
import type { Extra } from './viewer'

interface Props {
  step: Step
  access: Access
  inst: Inst
  state: State
  extra: Extra
  lane: number
  setLane: (lane: number) => void
  rule: (id: string) => VNode
  cite: (text: string) => VNode
}

const maxLines = 48

/** AccessView shows where the lanes of a step went. */
export function AccessView({ step, access: a, inst, state, extra, lane, setLane, rule, cite }: Props) {
  const isLDS = a.space === 1 || a.space === 2
  const unit = isLDS ? 128 : 64
  const lanes = a.scalar ? [0] : lanesOf(a.exec)
  const out = (l: number) => a.out.some(m => has(m, l))
  const turnOf = (l: number, element: number) =>
    a.turns.findIndex(t => (t.element ?? 0) === element && has(parseMask(t.lanes), l))
  const rows = new Map<number, Map<number, number[]>>() // by line, then dword: lanes
  const elementOut = (l: number, e: number) => (a.scalar ? has(a.out[0], e) : has(a.out[Math.min(e, 3)], l))
  for (const l of lanes) {
    for (let e = 0; e < Math.max(a.count, 1); e++) {
      if (elementOut(l, e) || (a.split && e >= a.addrs.length)) continue
      const start = a.split ? a.addrs[e][l] : a.addrs[0][l] + e * a.elem
      const last = Math.floor((start + Math.max(a.elem, 1) - 1) / 4)
      for (let d = Math.floor(start / 4); d <= last; d++) {
        const row = Math.floor((d * 4) / unit)
        const cells = rows.get(row) ?? rows.set(row, new Map()).get(row)!
        const column = d - (row * unit) / 4
        const here = cells.get(column) ?? []
        if (!here.includes(l)) cells.set(column, [...here, l])
      }
    }
  }
  const sorted = [...rows.keys()].sort((x, y) => x - y)
  const outLanes = lanes.filter(out)
  const clocks = a.turns.reduce((sum, t) => sum + t.clocks, 0)
  const cells = Array.from({ length: 64 }, (_, l): Cell => {
    if (!lanes.includes(l)) return { text: '', title: 'not active', class: 'off' }
    if (out(l)) {
      const where = `out of range at ${address(a.addrs[0][l])}`
      const why = (has(a.misaligned, l) ? ', misaligned' : '') + (a.rule && `, rule ${a.rule}`)
      return { text: '×', title: where + why, class: 'out' }
    }
    const turn = turnOf(l, 0)
    return {
      text: l,
      title: `${address(a.addrs[0][l])}${turn < 0 ? '' : `, taken in group ${turn + 1}`}`,
      color: turn < 0 ? 0 : turn,
    }
  })
  const size = `${a.count > 1 ? `${a.count} × ` : ''}${a.elem} bytes`
  const who = a.scalar ? 'for the wave' : `by ${many(lanes.length, 'lane')}`
  const what = `${opNames[a.op] || 'access'} of ${size} ${who}, ${spaceNames[a.space]}`
  return (
    <section class="access">
      <h3>Addresses</h3>
      <p>
        {what}: {isLDS ? `${many(sorted.length, 'row')} of banks` : many(sorted.length, 'cache line')}
        {a.turns.length > 0 && (
          <>
            , {isLDS ? 'LDS' : 'texture address unit'} {many(round(clocks), 'clock')}
          </>
        )}
        {step.times?.lines ? (
          <>
            , L1: {many(step.times.hits, 'hit')}, {many(step.times.misses, 'miss')}
          </>
        ) : null}
        .
      </p>
      {outLanes.length > 0 && (
        <div class="finding warning">
          <b>{many(outLanes.length, 'lane')} out of range</b> ({ranges(outLanes)}):{' '}
          {a.op === 1 ? 'the load gives 0' : 'nothing is done'}. {a.rule && rule(a.rule)}
        </div>
      )}
      {lanes.includes(lane) && (
        <p class="chosen">
          lane {lane}: {a.addrs.map(x => address(x[lane])).join(', ')}
          {isLDS && `, bank ${Math.floor(a.addrs[0][lane] / 4) % 32}`}
          {loaded(a, state, lane)}
        </p>
      )}
      {inst.formula && (a.scalar || lanes.includes(lane)) && (
        <Formula formula={inst.formula} step={step} access={a} state={state} lane={lane} cite={cite} />
      )}
      <div class="scroll" tabIndex={0} role="region" aria-label="Map of addresses">
        <table class={`map ${isLDS ? 'banks' : 'lines'}`}>
          <caption>
            {isLDS
              ? 'Banks of LDS: a row is 128 bytes, a column is a bank'
              : 'Cache lines: a row is 64 bytes, a column is a dword'}
          </caption>
          <thead>
            <tr>
              <th>{isLDS ? 'bank' : 'line'}</th>
              {Array.from({ length: unit / 4 }, (_, i) => (
                <th>{isLDS ? i : (i * 4).toString(16)}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            {sorted.slice(0, maxLines).map(row => (
              <tr>
                <th scope="row">
                  <code>{address(row * unit)}</code>
                </th>
                {Array.from({ length: unit / 4 }, (_, i) => {
                  const here = rows.get(row)!.get(i)
                  if (!here) return <td></td>
                  const turn = turnOf(here[0], 0)
                  return (
                    <td
                      class={`hue${Math.max(turn, 0) % 8}${here.includes(lane) ? ' chosen' : ''}`}
                      title={`lanes ${ranges(here)}`}
                      onClick={() => setLane(here[0])}
                    >
                      {here.length === 1 ? here[0] : here.length === 2 ? `${here[0]} ${here[1]}` : `${here.length}×`}
                    </td>
                  )
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {sorted.length > maxLines && <p class="note">and {sorted.length - maxLines} more</p>}
      {!a.scalar && <Lanes label="Addresses of lanes" lane={lane} setLane={setLane} cells={cells} />}
      {!a.scalar && (
        <p class="note">
          A number is a lane; <span class="cell out">×</span> is out of range.{' '}
          {a.turns.length > 0
            ? 'Lanes of one colour that stand side by side are taken together; equal colours again are later groups.'
            : ''}
        </p>
      )}
      {!isEmpty(a.lds) && <p>Lanes in LDS: {ranges(lanesOf(a.lds))}.</p>}
      {!isEmpty(a.scratch) && <p>Lanes in private memory: {ranges(lanesOf(a.scratch))}.</p>}
      <Descriptor inst={inst} state={state} extra={extra} />
      {a.turns.length > 0 && <Turns access={a} isLDS={isLDS} cite={cite} />}
    </section>
  )
}

const round = (v: number) => Math.round(v * 100) / 100

/** loaded says what a lane has loaded. */
function loaded(a: Access, state: State, lane: number): string {
  if (a.op !== 1 || a.scalar || a.regs === 0) return ''
  const values = Array.from({ length: Math.min(a.regs, 4) }, (_, i) => state.v[a.reg + i]?.[lane]).filter(
    v => v !== undefined,
  )
  return `, gave ${values.map(valueText).join(', ')}`
}

/** valueText is a dword in hexadecimal, and as a float where its exponent is that of a number of everyday size. */
function valueText(v: number): string {
  const exponent = (v >>> 23) & 255
  return `0x${v.toString(16)}` + (exponent > 97 && exponent < 157 ? ` (${toFloat(v).toPrecision(4)})` : '')
}

/** Turns lists the groups of lanes that are taken together, like ones as one row. */
function Turns({ access: a, isLDS, cite }: { access: Access; isLDS: boolean; cite: (text: string) => VNode }) {
  const rows: { from: number; to: number; lanes: string; clocks: number; many: number }[] = []
  a.turns.forEach((t, i) => {
    const lanes = lanesOf(parseMask(t.lanes))
    const last = rows[rows.length - 1]
    if (last && a.turns.length > 8 && last.clocks === t.clocks && last.many === lanes.length) {
      last.to = i + 1
      last.lanes = last.lanes.replace(/ … .*/, '') + ' … ' + ranges(lanes)
    } else rows.push({ from: i + 1, to: i + 1, lanes: ranges(lanes), clocks: t.clocks, many: lanes.length })
  })
  return (
    <details open={a.turns.length <= 8}>
      <summary>{isLDS ? 'Phases and bank conflicts' : 'Coalescing'}</summary>
      <table>
        <thead>
          <tr>
            <th>group</th>
            <th>lanes</th>
            <th class="n">clocks each</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(r => (
            <tr>
              <td>{r.from === r.to ? r.from : `${r.from}-${r.to}`}</td>
              <td>{r.lanes}</td>
              <td class="n">
                {round(r.clocks)}
                {isLDS && r.clocks > 1 && ' (conflict)'}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <p class="note">
        {cite(
          isLDS
            ? 'The LDS takes the lanes in phases; a phase takes as many clocks as its busiest bank has different ' +
                'dwords (rule CY10).'
            : 'The texture address unit takes lanes that coalesce together, others by quads (rules CY4 and CY5).',
        )}
      </p>
    </details>
  )
}

/** Descriptor explains the resource of an instruction. */
function Descriptor({ inst, state, extra }: { inst: Inst; state: State; extra: Extra }) {
  if (!inst.resource || !inst.kind) return null
  const list: [string, string, number, number][] = [
    [inst.kind === 'vsharp' ? 'V#' : 'T#', inst.kind, inst.resource - 1, inst.kind === 'vsharp' ? 4 : 8],
  ]
  if (inst.sampler) list.push(['S#', 'ssharp', inst.sampler - 1, 4])
  return (
    <>
      {list.map(([name, kind, first, n]) => {
        const words = Array.from(state.s.slice(first, first + n), w => w.toString(16).padStart(8, '0'))
        const text = extra.descriptors[`${kind} ${words.join(' ')}`]
        return text ? (
          <details>
            <summary>
              {name} in s[{first}:{first + n - 1}]
            </summary>
            <pre class="wide" tabIndex={0}>
              {text}
            </pre>
          </details>
        ) : null
      })}
    </>
  )
}
