// Scenarios as package engine reads them, and sharing them in an address.

export interface Buffer {
  name: string
  sgpr: number
  size: number
  fill: string
  words?: string[]
}
export interface ImageSpec {
  name: string
  sgpr: number
  data: number
  num: number
  width: number
  height: number
  levels: number
  tile?: number
  type?: string
  picture: string
  words?: string[]
}
export interface Sampler {
  sgpr: number
  words: string[]
}

export interface Scenario {
  mcpu: string
  rules: string
  asm: string
  buffers?: Buffer[] | null
  images?: ImageSpec[] | null
  samplers?: Sampler[] | null
  waves?: number
  sgpr?: { [first: string]: (string | number)[] } | null
  lds?: number
  trap?: string
  m0?: string | null
  wants?: string[]
}

/** Verdict says whether a run does what an exercise asks for. */
export interface Verdict {
  ok: boolean
  say: string
}

export interface Exercise {
  task: string
  want: string
  hint: string
  solution: WhatIf
}

export interface WhatIf {
  label: string
  replace?: [string, string][]
  set?: { [key: string]: unknown }
  /** changes say what set changes, field by field; solutions have them. */
  changes?: string[]
  start?: number
  say: string
}

export interface Lesson {
  name: string
  title: string
  text: string
  scenario: Scenario
  start: number
  wave: number
  question: string
  answer: string
  what_if: WhatIf[]
  part: string
  minutes: number
  for: string
  exercises: Exercise[]
  /** picture has a row of letters a row of the picture: a letter is a colour, a dot nothing. */
  picture: string[]
}

/** change applies a what-if. */
export function change(s: Scenario, w: WhatIf): Scenario {
  let asm = s.asm
  for (const [from, to] of w.replace ?? []) asm = asm.replace(from, to)
  return { ...s, asm, ...w.set }
}

/** bitsOf returns the number in a field of words; words[0] holds the lowest bits. */
export function bitsOf(words: string[], { shift, width }: { shift: number; width: number }): number {
  let v = 0
  for (let at = shift + width - 1; at >= shift; at--) v = v * 2 + ((Number(words[at >> 5]) >>> (at & 31)) & 1)
  return v
}

/** withBits returns words with a field of the number value, which fits. */
export function withBits(words: string[], { shift, width }: { shift: number; width: number }, value: number): string[] {
  const list = words.map(w => Number(w) >>> 0)
  for (let at = shift; at < shift + width; at++, value = Math.floor(value / 2))
    list[at >> 5] = ((list[at >> 5] & ~(1 << (at & 31))) | ((value % 2) << (at & 31))) >>> 0
  return list.map(v => '0x' + v.toString(16).padStart(8, '0'))
}

async function through(bytes: Uint8Array, stream: GenericTransformStream): Promise<Uint8Array> {
  return new Uint8Array(
    await new Response(
      new Blob([bytes as BlobPart]).stream().pipeThrough(stream as ReadableWritablePair),
    ).arrayBuffer(),
  )
}

/** share returns a scenario, or work, as a part of an address. */
export async function share(s: unknown): Promise<string> {
  const packed = await through(new TextEncoder().encode(JSON.stringify(s)), new CompressionStream('deflate-raw'))
  return btoa(String.fromCharCode(...packed))
    .replace(/\+/g, '-')
    .replace(/\//g, '_')
    .replace(/=+$/, '')
}

/** shared is the inverse of share. */
export async function shared<T = Scenario>(text: string): Promise<T> {
  const packed = Uint8Array.from(atob(text.replace(/-/g, '+').replace(/_/g, '/')), c => c.charCodeAt(0))
  return JSON.parse(new TextDecoder().decode(await through(packed, new DecompressionStream('deflate-raw')))) as T
}

/** download gives the reader a file of JSON. */
export function download(name: string, content: unknown) {
  const a = document.createElement('a')
  a.href = URL.createObjectURL(new Blob([JSON.stringify(content) + '\n'], { type: 'application/json' }))
  a.download = name
  a.click()
  URL.revokeObjectURL(a.href)
}

export const first: Scenario = {
  mcpu: 'fiji',
  rules: 'seed',
  asm: `// v0 holds the number of the lane. s[0:3] is the buffer "in", s[4:7] the buffer "out".
v_lshlrev_b32 v1, 2, v0              // four bytes a lane
buffer_load_dword v2, v1, s[0:3], 0 offen
s_waitcnt vmcnt(0)
v_mul_f32 v3, v2, v2
buffer_store_dword v3, v1, s[4:7], 0 offen
s_endpgm
`,
  buffers: [
    { name: 'in', sgpr: 0, size: 256, fill: 'float' },
    { name: 'out', sgpr: 4, size: 192, fill: 'zero' },
  ],
}
