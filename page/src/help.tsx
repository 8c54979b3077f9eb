// What an instruction does, what its operands hold, and which instructions a wait waits for.

import { EXEC, M0, VCC, toFloat, type Inst, type State, type Steps } from './record'
import { hex } from './facts'
import { looksFloat } from './registers'

const named: { [name: string]: number } = {
  m0: M0,
  vcc_lo: VCC,
  vcc_hi: VCC + 1,
  exec_lo: EXEC,
  exec_hi: EXEC + 1,
}

/** registers finds the registers of an instruction's text. */
const registers = /\b(?:[vs]\d+|[vs]\[\d+:\d+\]|(?:vcc|exec)(?:_lo|_hi)?|m0|scc)(?!\w)/g

/** maxDwords is how many dwords of an operand are shown. */
const maxDwords = 8

/** holds says what a register of an instruction's text holds: a vector register in a lane. */
function holds(name: string, state: State, lane: number): string {
  if (name === 'scc') return `${state.scc}`
  if (name in named) return hex(state.s[named[name]])
  if (name === 'vcc' || name === 'exec')
    return hex(state.s[named[`${name}_hi`]]) + hex(state.s[named[`${name}_lo`]]).slice(2)
  const [first, last] = (/\d+(:\d+)?/.exec(name)?.[0] ?? '0').split(':').map(Number)
  const list = Array.from({ length: Math.min((last ?? first) - first + 1, maxDwords) }, (_, i) =>
    name[0] === 's' ? state.s[first + i] : state.v[first + i]?.[lane],
  )
  const text = list.map(v => (v === undefined ? 'never written' : hex(v))).join(' ')
  if (name[0] === 's') return text
  const float = list.length === 1 && list[0] !== undefined && looksFloat(Uint32Array.of(list[0]))
  return `${text} in lane ${lane}${float ? `, as a float ${toFloat(list[0]!).toPrecision(4)}` : ''}`
}

interface Props {
  inst: Inst
  state: State
  lane: number
  /** plain says that the names of registers are not those of GCN. */
  plain?: boolean
}

/** Operands is the text of an instruction whose registers show what they hold to a pointer that rests on them. */
export function Operands({ inst: { text }, state, lane, plain }: Props) {
  if (plain) return <>{text}</>
  const names = text.match(registers) ?? []
  return (
    <>
      {text.split(registers).map((between, i) => (
        <>
          {between}
          {names[i] && <span title={`${names[i]} holds ${holds(names[i], state, lane)}`}>{names[i]}</span>}
        </>
      ))}
    </>
  )
}

const counters = ['vm', 'exp', 'lgkm'] as const

/** maxBefore is how many steps before a wait are looked at. */
const maxBefore = 1000

/**
 * waitsFor returns which of the first n steps of a wave the last one waits for: the counter that it names counts them,
 * and no wait between has waited for them. Steps are numbered from 1.
 */
export function waitsFor(insts: Inst[], steps: Steps, n: number): number[] {
  const open = { vm: [] as number[], exp: [] as number[], lgkm: [] as number[] }
  let dropped: number[] = []
  for (let i = Math.max(1, n - maxBefore); i <= n; i++) {
    const inst = insts[steps.step(i - 1).inst]
    dropped = []
    for (const c of counters) {
      if (!inst.wait) for (let k = 0; k < (inst[c] ?? 0); k++) open[c].push(i)
      const most = inst.wait ? new RegExp(`${c}cnt\\((\\d+)\\)`).exec(inst.text)?.[1] : undefined
      if (most !== undefined) dropped.push(...open[c].splice(0, Math.max(0, open[c].length - Number(most))))
    }
  }
  return [...new Set(dropped)].sort((a, b) => a - b)
}
