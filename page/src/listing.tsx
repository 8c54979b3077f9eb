// The listing: executed instructions in program order, with source lines, times and findings.

import { useEffect, useMemo, useRef } from 'preact/hooks'
import type { Finding, Record, State, Steps } from './record'
import { hex } from './facts'
import { Operands } from './help'

interface Props {
  record: Record
  steps: Steps
  at: number
  state: State
  lane: number
  /** does says what an instruction does, by its text. */
  does: { [text: string]: string }
  findings: Map<number, Finding[]>
  go: (n: number) => void
  breaks: ReadonlySet<number>
  toggle: (inst: number) => void
}

/** maxRows is how many instructions are shown at a time. */
const maxRows = 400

/** Listing shows the program; a click goes to the next execution of an instruction. */
export function Listing({ record, steps, at, state, lane, does, findings, go, breaks, toggle }: Props) {
  const insts = record.head.insts
  const order = useMemo(() => insts.map((_, i) => i).sort((a, b) => insts[a].pc - insts[b].pc), [record])
  const worst = useMemo(() => {
    const rank = { error: 4, warning: 3, note: 2, doubt: 1 }
    const by = new Map<number, Finding>()
    for (const f of record.head.findings ?? []) {
      const old = by.get(f.pc)
      if (f.text && (!old || rank[f.severity] > rank[old.severity])) by.set(f.pc, f)
    }
    return by
  }, [record])
  const stalls = useMemo(() => stallsOf(record), [record])
  const current = at > 0 ? steps.step(at - 1).inst : -1
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const row = box.current?.querySelector<HTMLElement>('tr.current'),
      b = box.current
    if (!row || !b) return
    if (row.offsetTop < b.scrollTop + 40 || row.offsetTop + row.offsetHeight > b.scrollTop + b.clientHeight)
      b.scrollTop = row.offsetTop - b.clientHeight / 2
  }, [current])
  const place = Math.max(0, order.indexOf(current))
  const first = Math.max(0, Math.min(place - maxRows / 2, order.length - maxRows))
  const shown = order.slice(first, first + maxRows)
  const sources = insts.some(i => i.source)
  const timed = record.windows.some(w => w.window.timed)
  const next = (inst: number) => {
    for (let i = at + 1; i <= steps.count; i++) if (steps.step(i - 1).inst === inst) return go(i)
    for (let i = 1; i <= at; i++) if (steps.step(i - 1).inst === inst) return go(i)
  }
  return (
    <section class="listing-box" aria-label="Listing" ref={box} tabIndex={0}>
      <table class="code-listing">
        <caption>Executed instructions{shown.length < order.length && `, ${shown.length} of ${order.length}`}</caption>
        <thead>
          <tr>
            <th>pc</th>
            <th>instruction</th>
            {timed && <th class="n">waits</th>}
            {sources && <th>source</th>}
          </tr>
        </thead>
        <tbody>
          {shown.map(i => {
            const f = worst.get(insts[i].pc)
            return (
              <tr class={i === current ? 'current' : ''} aria-current={i === current ? 'step' : undefined}>
                <td>
                  <button
                    class={`code break${breaks.has(i) ? ' set' : ''}`}
                    tabIndex={-1}
                    aria-pressed={breaks.has(i)}
                    title="breakpoint (b at the step)"
                    onClick={() => toggle(i)}
                  >
                    {hex(insts[i].pc - (record.head.base ?? 0), 4)}
                  </button>
                </td>
                <td>
                  <button class="code" title={does[insts[i].text]} onClick={() => next(i)}>
                    <Operands inst={insts[i]} {...{ state, lane }} plain={record.head.names !== undefined} />
                  </button>
                  {f && (
                    <span class={`badge ${f.severity}`} title={f.message}>
                      {f.kind}
                    </span>
                  )}
                </td>
                {timed && <td class="n">{stalls.get(i) ? stalls.get(i) : ''}</td>}
                {sources && <td class="source">{insts[i].source}</td>}
              </tr>
            )
          })}
        </tbody>
      </table>
    </section>
  )
}

/** maxTimed bounds how many steps are read for the times of the listing. */
const maxTimed = 20000

/** stallsOf returns, by instruction, how many cycles waves waited before it on average. */
function stallsOf(record: Record): Map<number, number> {
  const sum = new Map<number, [number, number]>()
  let left = maxTimed
  for (const w of record.windows) {
    for (let i = 0; i < w.count && left > 0; i++, left--) {
      const s = w.step(i)
      if (!s.times) continue
      const [n, cycles] = sum.get(s.inst) ?? [0, 0]
      sum.set(s.inst, [n + 1, cycles + s.times.issue - s.times.ready])
    }
  }
  return new Map([...sum].map(([i, [n, cycles]]) => [i, Math.round(cycles / n)]))
}
