// Two runs side by side: what they did in numbers, and where their lanes went.

import { useEffect, useState } from 'preact/hooks'
import { AccessView } from './access'
import { until, type Engine } from './engine'
import { many } from './facts'
import { bytes, type Answer } from './playground'
import { lanesOf, read, vectorName, type Record } from './record'
import type { Scenario } from './scenario'
import { noExtra } from './viewer'

/** Side is one of the two: step is the step whose access is drawn, of the wave in a window of the record. */
interface Side {
  name: string
  scenario: Scenario
  wave: number
  step: number
}

interface Ran {
  answer: Answer
  record: Record
}

/** Compare runs both sides and shows what differs. Each has a record of its own. */
export function Compare({ engine, sides }: { engine: Engine; sides: [Side, Side] }) {
  const [ran, setRan] = useState<(Ran | undefined)[]>()
  const [lane, setLane] = useState(0)
  useEffect(
    () =>
      until(
        Promise.all(
          sides.map(async s => {
            const answer = await engine.call<Answer>('run', s.scenario)
            return answer.record ? { answer, record: await read(bytes(answer.record)) } : undefined
          }),
        ),
        setRan,
        () => setRan([]),
      ),
    [],
  )
  if (!ran) return <p role="status">Both are run…</p>
  const [a, b] = ran.map((r, i) => facts(r, sides[i].wave))
  if (!a || !b) return <p role="status">One of the two has no steps.</p>
  const names = [...new Set([...a.keys(), ...b.keys()])]
  const differ = names.filter(n => a.get(n) !== b.get(n)).length
  return (
    <section class="compare viewer" aria-label="Two runs side by side">
      <div class="scroll" tabIndex={0} role="region" aria-label="What differs">
        <table>
          <caption>{many(differ, 'row')} of this table differ and are marked</caption>
          <thead>
            <tr>
              <th></th>
              {sides.map(s => (
                <th scope="col">{s.name}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            {names.map(n => (
              <tr class={a.get(n) === b.get(n) ? '' : 'changed'}>
                <th scope="row">
                  {a.get(n) === b.get(n) ? '' : '≠ '}
                  {n}
                </th>
                <td>{a.get(n) ?? '—'}</td>
                <td>{b.get(n) ?? '—'}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <div class="sides">
        {sides.map((s, i) => (
          <div>
            <h3>{s.name}</h3>
            <Drawn run={ran[i]!} wave={s.wave} step={s.step} lane={lane} setLane={setLane} />
          </div>
        ))}
      </div>
    </section>
  )
}

/** Drawn is the map of the access of a step, or of the first one. */
function Drawn({
  run: { record, answer },
  wave,
  step: at,
  lane,
  setLane,
}: {
  run: Ran
  wave: number
  step: number
  lane: number
  setLane: (lane: number) => void
}) {
  const w = record.windows[Math.min(wave, record.windows.length - 1)]
  let n = Math.min(at, w.count)
  if (n < 1 || !w.step(n - 1).access)
    n = 1 + Array.from({ length: w.count }, (_, i) => i).findIndex(i => w.step(i).access)
  const step = n > 0 ? w.step(n - 1) : undefined
  if (!step?.access) return <p class="note">It touches no memory.</p>
  return (
    <AccessView
      step={step}
      access={step.access}
      inst={record.head.insts[step.inst]}
      state={w.stateAt(n)}
      extra={answer.extra ?? noExtra}
      lane={lane}
      setLane={setLane}
      rule={id => <>rule {id}</>}
      cite={text => <>{text}</>}
    />
  )
}

/** facts are what a run did, by name: of the run, of each access of a wave, and the registers it leaves. */
function facts(ran: Ran | undefined, wave: number): Map<string, string> | undefined {
  if (!ran) return undefined
  const { record, answer } = ran
  const list = new Map<string, string>()
  list.set('instructions', `${answer.reply.instructions ?? 0}`)
  if (!record.head.names) {
    list.set('cycles', `${answer.cycles ?? 0}`)
    list.set('findings', answer.reply.diagnostics?.map(d => d.kind).join(', ') || 'none')
  }
  const w = record.windows[Math.min(wave, record.windows.length - 1)]
  let accesses = 0
  for (let i = 0; i < Math.min(w.count, 2000); i++) {
    const { access: a, times } = w.step(i)
    if (!a || accesses++ >= 8) continue
    const clocks = Math.round(a.turns.reduce((sum, t) => sum + t.clocks, 0))
    list.set(
      `access ${accesses}`,
      (record.head.names
        ? many(lanesOf(a.exec).length, 'thread')
        : `${many(a.turns.length, 'group')}, ${many(clocks, 'clock')}`) +
        (times?.lines ? `, ${many(times.lines, 'line')}` : '') +
        (a.rule ? `, out of range by ${a.rule}` : ''),
    )
  }
  const end = w.stateAt(w.count)
  for (let r = 0; r < Math.min(end.v.length, 16); r++)
    if (end.v[r].some(x => x !== 0))
      list.set(
        `${vectorName(record.head, r)} of lanes 0, 1, 63`,
        [0, 1, 63].map(l => end.v[r][l].toString(16)).join(' '),
      )
  return list
}
