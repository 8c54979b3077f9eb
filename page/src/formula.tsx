// The formula of an address, with the numbers of a lane.

import type { VNode } from 'preact'
import { M0, type Access, type Inst, type State, type Step } from './record'
import { address } from './facts'

/** Term is a number of a formula: where it comes from, and what it is there. */
interface Term {
  name: string
  value: number
  times?: Term
}

const sum = (terms: Term[]): number => terms.reduce((s, t) => s + t.value * (t.times ? sum([t.times]) : 1), 0)

/** small writes a number as people read it: those of addresses in hexadecimal. */
const small = (v: number) => (v >= 4096 ? address(v) : `${v}`)

const termText = (t: Term): string => `${t.name} ${small(t.value)}${t.times ? ` × ${termText(t.times)}` : ''}`

/** operands returns the operands of an instruction's text, and what follows them. */
function operands(text: string): { list: string[]; flags: string } {
  const list = text.slice(text.indexOf(' ') + 1).split(', ')
  const [last, ...flags] = list[list.length - 1].split(' ')
  list[list.length - 1] = last
  return { list, flags: flags.join(' ') }
}

const flag = (flags: string, name: string) => new RegExp(`(^| )${name}( |$)`).test(flags)
const offsetOf = (flags: string) => Number(/(?:^| )offset:(-?\w+)/.exec(flags)?.[1] ?? 0)

/** Lane reads the registers that an instruction of a step found. */
class Lane {
  constructor(
    private step: Step,
    private state: State,
    private lane: number,
  ) {}
  v(reg: number): number {
    const changed = this.step.vectors.find(c => c.reg === reg)
    return (changed ? changed.old : this.state.v[reg])?.[this.lane] ?? 0
  }
  s(code: number): number {
    return this.step.scalars.find(c => c.code === code)?.old ?? this.state.s[code]
  }
  /** scalar is a scalar operand, undefined if it is another. */
  scalar(text: string): Term | undefined {
    if (/^-?(0x)?[\da-f]+$/i.test(text)) return { name: '', value: Number(text) >>> 0 }
    if (text === 'm0') return { name: 'm0', value: this.s(M0) }
    const n = /^s(\d+)$/.exec(text)?.[1]
    return n === undefined ? undefined : { name: `s${n}`, value: this.s(+n) }
  }
}

/** firstVGPR returns the first register of an operand such as v3 or v[4:5]. */
function firstVGPR(text: string): number | undefined {
  const n = /^v\[?(\d+)/.exec(text)?.[1]
  return n === undefined ? undefined : +n
}

/** ofBuffer is the formula of rules A2 to A6 and A8. */
function ofBuffer(inst: Inst, lane: Lane, number: number): { terms: Term[]; note: string } | undefined {
  const { list, flags } = operands(inst.text)
  const k = list.findIndex(o => /^(s|ttmp)\[/.test(o))
  if (k < 0 || !inst.resource || k + 1 >= list.length) return undefined
  const [w0, w1, , w3] = [0, 1, 2, 3].map(i => lane.s(inst.resource! - 1 + i))
  const soffset = lane.scalar(list[k + 1])
  if (!soffset) return undefined
  const terms: Term[] = [{ name: 'BASE', value: w0 + (w1 & 0xffff) * 2 ** 32 }]
  if (soffset.value) terms.push({ name: `SOFFSET ${soffset.name}`.trim(), value: soffset.value })
  let reg = firstVGPR(list[k - 1] ?? '') ?? 0
  const immediate = offsetOf(flags)
  if (flag(flags, 'addr64')) {
    terms.push({ name: `v[${reg}:${reg + 1}]`, value: lane.v(reg) + lane.v(reg + 1) * 2 ** 32 })
    if (immediate) terms.push({ name: 'offset', value: immediate })
    return { terms, note: '(rule A8)' }
  }
  const parts: Term[] = []
  if (flag(flags, 'idxen')) parts.push({ name: `index v${reg}`, value: lane.v(reg++) })
  if ((w3 >>> 23) & 1) parts.push({ name: 'index: the lane', value: number })
  const index = sum(parts) % 2 ** 32
  const offsets: Term[] = []
  if (flag(flags, 'offen')) offsets.push({ name: `offset v${reg}`, value: lane.v(reg) })
  if (immediate) offsets.push({ name: 'offset', value: immediate })
  const offset = sum(offsets) % 2 ** 32
  const stride = (w1 >>> 16) & 0x3fff
  if (w1 >>> 31) {
    const element = 2 << ((w3 >>> 19) & 3),
      group = 8 << ((w3 >>> 21) & 3)
    const high = Math.floor(index / group),
      rest = offset % element
    terms.push({
      name: `(${high} × STRIDE ${stride} + ${offset - rest}) × INDEX_STRIDE`,
      value: (high * stride + offset - rest) * group,
    })
    terms.push({ name: `${index % group} × ELEMENT_SIZE`, value: (index % group) * element })
    if (rest) terms.push({ name: 'rest of the offset', value: rest })
    return {
      terms,
      note: `with index ${index}, offset ${offset}, INDEX_STRIDE ${group}, ELEMENT_SIZE ${element} (rules A3, A5 and A6)`,
    }
  }
  if (parts.length > 0)
    terms.push({
      name: parts.length > 1 ? `index (${parts.map(termText).join(' + ')})` : parts[0].name,
      value: index,
      times: { name: 'STRIDE', value: stride },
    })
  return { terms: [...terms, ...offsets], note: '(rules A2 to A6)' }
}

/** ofPair is the formula of FLAT and of scalar loads: a pair of registers and an offset. */
function ofPair(inst: Inst, a: Access, lane: Lane): { terms: Term[]; note: string } | undefined {
  const { list, flags } = operands(inst.text)
  if (a.scalar) {
    const first = /^s\[(\d+):/.exec(list[1] ?? '')?.[1]
    const offset = lane.scalar(list[2] ?? '0')
    if (first === undefined || !offset) return undefined
    const terms = [
      { name: `s[${first}:${+first + 1}]`, value: lane.s(+first) + (lane.s(+first + 1) & 0xffff) * 2 ** 32 },
    ]
    for (const unit of [1, 4]) {
      const all = [...terms, { name: `offset ${offset.name}`.trim(), value: offset.value * unit }]
      if (sum(all) === a.addrs[0][0]) return { terms: all, note: '(rules SM1 and SM2)' }
    }
    return undefined
  }
  for (const o of list) {
    const reg = /^v\[\d+:\d+\]$/.test(o) ? firstVGPR(o) : undefined
    if (reg === undefined) continue
    const terms = [{ name: `v[${reg}:${reg + 1}]`, value: lane.v(reg) + lane.v(reg + 1) * 2 ** 32 }]
    if (offsetOf(flags)) terms.push({ name: 'offset', value: offsetOf(flags) })
    return { terms, note: '(rule F10)' }
  }
  return undefined
}

/** ofLDS is the formula of rule DS1; which operand is the address follows from where the lane went. */
function ofLDS(inst: Inst, lane: Lane, at: number): { terms: Term[]; note: string } | undefined {
  const { list, flags } = operands(inst.text)
  for (const o of list) {
    const reg = /^v\d+$/.test(o) ? firstVGPR(o) : undefined
    if (reg === undefined) continue
    const terms = [{ name: `v${reg}`, value: lane.v(reg) }]
    if (offsetOf(flags)) terms.push({ name: 'offset', value: offsetOf(flags) })
    if (sum(terms) === at)
      return { terms, note: `(rule DS1); bank ${Math.floor(at / 4) % 32} = address / 4 mod 32 (rule CY10)` }
  }
  return undefined
}

interface Props {
  step: Step
  access: Access
  inst: Inst
  state: State
  lane: number
  cite: (text: string) => VNode
}

/**
 * Formula shows how the address of a lane comes about. It says nothing where the numbers do not give the address that
 * the lane went to: then another rule counts, too.
 */
export function Formula({ step, access: a, inst, state, lane, cite }: Props) {
  const at = a.addrs[0][a.scalar ? 0 : lane]
  const from = new Lane(step, state, lane)
  const isLDS = a.space === 1
  const f =
    isLDS && inst.text.startsWith('ds_')
      ? ofLDS(inst, from, at)
      : inst.kind === 'vsharp' && !a.scalar
        ? ofBuffer(inst, from, lane)
        : inst.kind === undefined || a.scalar
          ? ofPair(inst, a, from)
          : undefined
  if (!f || Math.abs(sum(f.terms) - at) > 3) return null
  return (
    <p class="formula">
      {f.terms.map((t, i) => (
        <>
          {i > 0 && ' + '}
          <span>{termText(t)}</span>
        </>
      ))}{' '}
      = <b>{address(at)}</b> {cite(f.note)}
    </p>
  )
}
