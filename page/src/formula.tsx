// The formula of an address, with the numbers of a lane: docs/RECORD.md describes its form.

import type { VNode } from 'preact'
import type { Access, State, Step } from './record'
import { address } from './facts'

/** small writes a number as people read it: those of addresses in hexadecimal. */
const small = (v: number) => (v >= 4096 ? address(v) : `${v}`)

const operators: { [name: string]: (a: number, b: number) => number } = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '/': (a, b) => Math.floor(a / b),
  '%': (a, b) => a % b,
  '&': (a, b) => (a & b) >>> 0,
  '>>': (a, b) => a >>> b,
  '<<': (a, b) => a * 2 ** b,
}

interface Props {
  formula: string
  step: Step
  access: Access
  state: State
  lane: number
  cite: (text: string) => VNode
}

/**
 * Formula shows how the address of a lane comes about. It says nothing where the numbers do not give the address that
 * the lane went to: then another rule counts, too.
 */
export function Formula({ formula, step, access: a, state, lane, cite }: Props) {
  const names = new Map([['lane', lane]])
  const read = (token: string): number => {
    const n = +token.slice(1)
    if (/^v\d/.test(token)) return (step.vectors.find(c => c.reg === n)?.old ?? state.v[n])?.[lane] ?? 0
    if (/^s\d/.test(token)) return step.scalars.find(c => c.code === n)?.old ?? state.s[n]
    return names.get(token) ?? +token
  }
  const value = (expression: string): number => {
    const stack: number[] = []
    for (const token of expression.split(' ')) {
      const op = operators[token]
      stack.push(op ? op(...(stack.splice(-2) as [number, number])) : read(token))
    }
    return stack[0]
  }
  const at = a.addrs[0][a.scalar ? 0 : lane]
  const terms: string[] = []
  let sum = 0,
    rules = ''
  for (const line of formula.split('\n')) {
    const [first, second, words] = line.split('\t')
    if (words === undefined) names.set(first, value(second))
    else if (!first || value(first)) {
      const text = words.replace(/{(.*?)}/g, (_, e) => small(value(e || second)))
      if (second) {
        terms.push(text)
        sum += value(second)
      } else rules = text
    }
  }
  if (!(Math.abs(sum - at) <= 3)) return null
  return (
    <p class="formula">
      {terms.map((t, i) => (
        <>
          {i > 0 && ' + '}
          <span>{t}</span>
        </>
      ))}{' '}
      = <b>{address(at)}</b> {cite(rules)}
    </p>
  )
}
