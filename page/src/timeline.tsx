// The timeline: when the steps around the current one waited, issued and completed.

import type { Record, Step, Steps } from './record'
import { stalls } from './facts'
import { waitedFor } from './registers'

interface Props { record: Record; steps: Steps; n: number; go: (n: number) => void }

/** around is how many steps are drawn. */
const around = 18

/** Timeline shows waits as bars, and lists those of s_waitcnt. */
export function Timeline({ record, steps, n, go }: Props) {
  if (!steps.window.timed) return null
  const first = Math.max(0, Math.min(n - around / 2, steps.count - around))
  const rows: { i: number; s: Step }[] = []
  for (let i = first; i < Math.min(first + around, steps.count); i++) {
    const s = steps.step(i)
    if (s.times) rows.push({ i, s })
  }
  if (rows.length === 0) return null
  const start = rows[0].s.times!.ready
  const end = Math.max(...rows.map(r => r.s.times!.free), rows[0].s.times!.ready + 1)
  const limit = Math.max(...rows.map(r => Math.min(r.s.times!.done, end + (end - start))))
  const high = 22, wide = 840, left = 330
  const x = (t: number) => left + (Math.min(t, limit) - start) / (limit - start) * (wide - left - 6)
  const causes = [...new Set(rows.filter(r => r.s.times!.issue > r.s.times!.ready).map(r => r.s.times!.why))]
  const text = (s: Step) => record.head.insts[s.inst].text
  return (
    <section class="timeline"><h3>Timeline</h3>
      <div class="scroll" tabIndex={0} role="region" aria-label="Timeline of steps">
        <svg viewBox={`0 0 ${wide} ${rows.length * high + 26}`} role="img" aria-labelledby="timeline-title timeline-desc">
          <title id="timeline-title">Times of steps {steps.window.from + rows[0].i} to {steps.window.from + rows[rows.length - 1].i}</title>
          <desc id="timeline-desc">{rows.map(r => `step ${steps.window.from + r.i} ${text(r.s)}: waited ${r.s.times!.issue - r.s.times!.ready} cycles, complete at ${r.s.times!.done}`).join('; ')}</desc>
          {rows.map(({ i, s }, k) => {
            const t = s.times!, y = k * high + 2
            return (
              <g class={i === n - 1 ? 'bar current' : 'bar'} onClick={() => go(i + 1)}>
                <rect class="hit" x="0" y={y - 2} width={wide} height={high} />
                <text x="2" y={y + 14}>{steps.window.from + i}</text>
                {t.issue > t.ready && <rect class={`stall${t.why}`} x={x(t.ready)} y={y + 2} width={Math.max(1, x(t.issue) - x(t.ready))} height={high - 7}><title>{`waits ${t.issue - t.ready} cycles for ${stalls[t.why]}`}</title></rect>}
                <rect class="busy" x={x(t.issue)} y={y + 2} width={Math.max(2, x(t.free) - x(t.issue))} height={high - 7}><title>{`issues at ${t.issue}`}</title></rect>
                {t.done > t.free && <line class="flight" x1={x(t.free)} x2={x(t.done)} y1={y + high / 2 - 1} y2={y + high / 2 - 1}><title>{`complete at ${t.done}, ${t.done - t.issue} cycles after issue`}</title></line>}
                <text class="inst" x="46" y={y + 14}>{text(s).length > 38 ? text(s).slice(0, 37) + '…' : text(s)}</text>
              </g>
            )
          })}
          <text x={left} y={rows.length * high + 18}>cycle {start}</text>
          <text x={wide - 6} y={rows.length * high + 18} text-anchor="end">{limit}</text>
        </svg>
      </div>
      <p class="legend"><span><i class="dot busy" />issuing</span><span><i class="dot flight" />in flight until complete</span>
        {causes.map(c => <span><i class={`dot stall${c}`} />waits for {stalls[c]}</span>)}</p>
      <Waits record={record} steps={steps} go={go} />
    </section>
  )
}

/** maxWaits is how many waits are listed, maxLooked how many steps are looked at. */
const maxWaits = 60, maxLooked = 4000

function Waits({ record, steps, go }: { record: Record; steps: Steps; go: (n: number) => void }) {
  const list: { i: number; s: Step }[] = []
  let more = false
  for (let i = 0; i < steps.count; i++) {
    if (i === maxLooked || list.length === maxWaits) { more = true; break }
    const s = steps.step(i)
    if (record.head.insts[s.inst].wait) list.push({ i, s })
  }
  if (list.length === 0) return null
  return (
    <details><summary>What each s_waitcnt waited for</summary>
      <table><thead><tr><th>step</th><th>wait</th><th class="n">cycles</th><th>for</th></tr></thead><tbody>
        {list.map(({ i, s }) => (
          <tr><td><button class="link" onClick={() => go(i + 1)}>{steps.window.from + i}</button></td><td><code>{record.head.insts[s.inst].text}</code></td>
            <td class="n">{s.times ? s.times.issue - s.times.ready : ''}</td>
            <td>{waitedFor(steps, i + 1).map(k => <div><code>{record.head.insts[steps.step(k).inst].text}</code></div>)}</td></tr>
        ))}
      </tbody></table>
      {more && <p class="note">Later ones are left out.</p>}
    </details>
  )
}
