// The timeline: when the steps around the current one waited, issued and completed.

import type { Record, Step, Steps } from './record'
import { Details } from './details'
import { stalls } from './facts'
import { waitedFor } from './registers'

interface Props {
  record: Record
  steps: Steps
  n: number
  go: (n: number) => void
}

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
  const times = rows.map(r => r.s.times!)
  const end = Math.max(...times.map(t => t.free), times[0].ready + 1)
  const fetched = times[0].issue - times[0].ready,
    rest = end - times[0].issue
  // A long first wait would leave no room for the others.
  const start = fetched > rest ? times[0].issue - rest / 4 : times[0].ready
  const limit = Math.max(...times.map(t => Math.min(t.done, end + (end - start))))
  const place = (from: number, to: number) => {
    const at = (t: number) => ((Math.max(start, Math.min(t, limit)) - start) / (limit - start)) * 100
    return { left: `${at(from).toFixed(2)}%`, width: `max(2px, ${(at(to) - at(from)).toFixed(2)}%)` }
  }
  const causes = [...new Set(times.filter(t => t.issue > t.ready).map(t => t.why))]
  const text = (s: Step) => record.head.insts[s.inst].text
  const number = (r: { i: number }) => steps.window.from + r.i
  const said = rows.map(r => `step ${number(r)} ${text(r.s)}, ${timesOf(r.s)}`)
  const label = `Times of steps ${number(rows[0])} to ${number(rows[rows.length - 1])}: ${said.join('; ')}`
  return (
    <section class="timeline">
      <h3>Timeline</h3>
      <div class="chart" role="img" aria-label={label}>
        <div class="bar head">
          <span>step</span>
          <span>instruction</span>
          <span class="n">waits</span>
          <span class="track">
            <span>cycle {Math.round(start)}</span>
            <span>{limit}</span>
          </span>
        </div>
        {rows.map(({ i, s }) => {
          const t = s.times!
          return (
            <div class={i === n - 1 ? 'bar current' : 'bar'} onClick={() => go(i + 1)}>
              <span>{steps.window.from + i}</span>
              <code title={text(s)}>{text(s)}</code>
              <span class="n">{t.issue > t.ready ? t.issue - t.ready : ''}</span>
              <span class="track">
                {t.issue > t.ready && (
                  <i
                    class={`stall${t.why}`}
                    style={place(t.ready, t.issue)}
                    title={`waits ${t.issue - t.ready} cycles for ${stalls[t.why]}`}
                  />
                )}
                <i class="busy" style={place(t.issue, t.free)} title={`issues at ${t.issue}`} />
                {t.done > t.free && (
                  <i
                    class="flight"
                    style={place(t.free, t.done)}
                    title={`complete at ${t.done}, ${t.done - t.issue} cycles after issue`}
                  />
                )}
              </span>
            </div>
          )
        })}
      </div>
      <p class="legend">
        <span>
          <i class="dot busy" />
          issuing
        </span>
        <span>
          <i class="dot way" />
          in flight until complete
        </span>
        {causes.map(c => (
          <span>
            <i class={`dot stall${c}`} />
            waits for {stalls[c]}
          </span>
        ))}
      </p>
      {record.head.insts.some(i => i.wait) && (
        <Details
          name="What each s_waitcnt waited for"
          content={() => <Waits record={record} steps={steps} go={go} />}
        />
      )}
    </section>
  )
}

/** timesOf says when a step waited, issued and completed. */
export function timesOf(s: Step): string {
  const t = s.times
  if (!t) return ''
  const waited = t.issue > t.ready ? `waits ${t.issue - t.ready} cycles for ${stalls[t.why]}, ` : ''
  const complete = t.done > t.free ? `, complete at ${t.done}` : ''
  return `${waited}issues at cycle ${t.issue} for ${t.free - t.issue} cycles${complete}`
}

/** maxWaits is how many waits are listed, maxLooked how many steps are looked at. */
const maxWaits = 60,
  maxLooked = 4000

function Waits({ record, steps, go }: { record: Record; steps: Steps; go: (n: number) => void }) {
  const list: { i: number; s: Step }[] = []
  let more = false
  for (let i = 0; i < steps.count; i++) {
    if (i === maxLooked || list.length === maxWaits) {
      more = true
      break
    }
    const s = steps.step(i)
    if (record.head.insts[s.inst].wait) list.push({ i, s })
  }
  return (
    <>
      <table>
        <thead>
          <tr>
            <th>step</th>
            <th>wait</th>
            <th class="n">cycles</th>
            <th>for</th>
          </tr>
        </thead>
        <tbody>
          {list.map(({ i, s }) => (
            <tr>
              <td>
                <button class="link" onClick={() => go(i + 1)}>
                  {steps.window.from + i}
                </button>
              </td>
              <td>
                <code>{record.head.insts[s.inst].text}</code>
              </td>
              <td class="n">{s.times ? s.times.issue - s.times.ready : ''}</td>
              <td>
                {waitedFor(steps, i + 1).map(k => (
                  <div>
                    <code>{record.head.insts[steps.step(k).inst].text}</code>
                  </div>
                ))}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {more && <p class="note">Later ones are left out.</p>}
    </>
  )
}
