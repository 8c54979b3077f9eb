// Names of things that the record numbers.

import { EXEC, M0, VCC } from './record'

export const opNames = ['', 'load', 'store', 'atomic', 'other']
export const spaceNames = ['memory', 'LDS', 'GDS', 'private memory']

/** stalls are what waves wait for, by timing.Stall: the name, and the class of its colour. */
export const stalls = [
  'instruction fetch',
  'vmcnt',
  'expcnt',
  'lgkmcnt',
  'full counter',
  'barrier',
  'sleep',
  'texture address unit',
  'LDS',
  'VALU',
  'issue',
]

/** scalarName returns the name of a scalar register by its operand code. */
export function scalarName(code: number): string {
  if (code === VCC) return 'vcc_lo'
  if (code === VCC + 1) return 'vcc_hi'
  if (code === M0) return 'm0'
  if (code === EXEC) return 'exec_lo'
  if (code === EXEC + 1) return 'exec_hi'
  if (code < 102) return `s${code}`
  return `register ${code}`
}

const rounding = ['nearest even', 'up', 'down', 'to zero']
const denormals = ['flush both', 'keep operands', 'keep results', 'keep both']

/** modeFields returns the fields of MODE by name (rule ST5). */
export function modeFields(mode: number): [string, string][] {
  const bit = (n: number) => ((mode >>> n) & 1 ? 'on' : 'off')
  return [
    ['round f32', rounding[mode & 3]],
    ['round f64, f16', rounding[(mode >> 2) & 3]],
    ['denormals f32', denormals[(mode >> 4) & 3]],
    ['denormals f64, f16', denormals[(mode >> 6) & 3]],
    ['DX10_CLAMP', bit(8)],
    ['IEEE', bit(9)],
    ['LOD_CLAMPED', bit(10)],
    ['DEBUG', bit(11)],
    ['EXCP_EN', '0x' + ((mode >> 12) & 127).toString(16)],
    ['FP16_OVFL', bit(23)],
    ['GPR_IDX_EN', bit(27)],
    ['VSKIP', bit(28)],
  ]
}

/** citations parts a text where it cites rules: what is one has its identifier. */
export function citations(text: string): { text: string; id?: string }[] {
  const parts: { text: string; id?: string }[] = []
  let at = 0
  for (const m of text.matchAll(/\brules?\s+[A-Z]{1,3}\d+(?:(?:,|,?\s+and|\s+to)\s+[A-Z]{1,3}\d+)*/g)) {
    for (const id of m[0].matchAll(/[A-Z]{1,3}\d+/g)) {
      const from = m.index + id.index
      parts.push({ text: text.slice(at, from) }, { text: id[0], id: id[0] })
      at = from + id[0].length
    }
  }
  parts.push({ text: text.slice(at) })
  return parts
}

/** many counts things. */
export const many = (n: number, what: string) => `${n} ${what}${n === 1 ? '' : /s$/.test(what) ? 'es' : 's'}`

export const hex = (v: number, digits = 8) => '0x' + v.toString(16).padStart(digits, '0')

/** address writes an address short. */
export const address = (v: number | bigint) => '0x' + v.toString(16)

/** glossary are the words that lessons take for known. */
export const glossary: { [word: string]: string } = {
  lane: 'one of the 64 work-items of a wave; all execute the same instruction.',
  EXEC: 'the mask of the lanes that an instruction executes for, 64 bits.',
  'VGPR, SGPR': 'v0 to v255 hold a dword for each lane, s0 to s101 one for the wave.',
  quad: 'four neighbouring lanes, such as 0 to 3: the unit that forms addresses takes them together.',
  'V#': 'the descriptor of a buffer, 4 SGPRs: its base, size, stride and format.',
  'T#': 'the descriptor of an image, 8 or 4 SGPRs: its base, size, format and tiling.',
  'S#': 'the descriptor of a sampler, 4 SGPRs: its filter and what lies beyond the edge.',
}
