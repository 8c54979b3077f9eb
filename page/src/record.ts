// The reader of records: docs/RECORD.md describes the file.

export interface Site {
  pc: number
  group: number[]
  wave: number
  step: number
  text?: string
}

/** Finding is a diagnostic of docs/CLI.md, with the places that it leaves out. */
export interface Finding extends Site {
  kind: string
  severity: 'error' | 'warning' | 'note' | 'doubt'
  message: string
  fix?: string
  rule?: string
  reg?: string
  producer?: Site
}

/** Written is a site of a diagnostic. */
type Written = Partial<Omit<Site, 'pc'>> & { pc?: string; inst?: number }

/** found returns a finding of a file: diagnostics leave out what is 0, and their addresses count from a base. */
function found(f: Finding, base: number): Finding {
  const site = (s: Written, group: number[]) => ({
    pc: Number(s.pc ?? 0) + base,
    step: s.inst ?? 0,
    group: s.group ?? group,
    wave: s.wave ?? 0,
    text: s.text,
  })
  const at = site(f as unknown as Written, [0, 0, 0])
  return { ...f, ...at, producer: f.producer && site(f.producer as unknown as Written, at.group) }
}

export interface Inst {
  pc: number
  text: string
  source?: string
  class: string
  vm?: number
  exp?: number
  lgkm?: number
  wait?: boolean
  resource?: number
  kind?: string
  sampler?: number
  formula?: string
}

export interface Turn {
  lanes: string
  element?: number
  clocks: number
}

export interface Picture {
  words: number[]
  format: string
  slice: number
  levels: { width: number; height: number; rgba?: string }[]
}

/** Fault is why a run ended early. Its address is in digits: a number would not hold all 64 bits. */
export interface Fault extends Site {
  kind: string
  message: string
  lane: number
  addr?: string
}

export interface Window {
  group: number[]
  wave: number
  name?: string
  from: number
  count: number
  vgprs: number
  lds?: number
  cu: number
  simd: number
  slot: number
  timed: boolean
}

export interface Head {
  version: number
  title?: string
  target: string
  chip?: string
  cycles?: number
  base?: number
  insts: Inst[]
  /** names are those of vector registers, of a run on a chip before GCN. */
  names?: string[]
  rules?: string[]
  turns?: Turn[][]
  pictures?: Picture[]
  findings?: Finding[]
  fault?: Fault
  left_out: {
    waves: number
    instructions: number
    turns: number
    pictures: number
    untimed_steps: number
    registers?: number
  }
  windows: Window[]
}

/** Mask is a set of lanes as two halves of 32 bits. */
export type Mask = [number, number]

export const full: Mask = [0xffffffff, 0xffffffff]
export const has = (m: Mask, lane: number) => ((m[lane >> 5] >>> (lane & 31)) & 1) === 1
export const isEmpty = (m: Mask) => (m[0] | m[1]) === 0
export const equal = (a: Mask, b: Mask) => a[0] === b[0] && a[1] === b[1]
export const lanesOf = (m: Mask) => Array.from({ length: 64 }, (_, i) => i).filter(i => has(m, i))
export const parseMask = (hex: string): Mask => [parseInt(hex.slice(8), 16) >>> 0, parseInt(hex.slice(0, 8), 16) >>> 0]
export const maskText = (m: Mask) =>
  '0x' + (m[1] >>> 0).toString(16).padStart(8, '0') + (m[0] >>> 0).toString(16).padStart(8, '0')

/** State is what a wave holds; it is changed from step to step. */
export interface State {
  s: Uint32Array
  v: Uint32Array[]
  scc: number
  mode: number
  trapsts: number
  vm: number
  exp: number
  lgkm: number
}

export interface Access {
  op: number
  space: number
  elem: number
  count: number
  regs: number
  reg: number
  scalar: boolean
  split: boolean
  exec: Mask
  out: Mask[]
  misaligned: Mask
  lds: Mask
  scratch: Mask
  rule: string
  turns: Turn[]
  /** addrs[i] are the addresses of element i of the lanes; one list unless the elements are split. */
  addrs: Float64Array[]
}

export interface Tap {
  lanes: Mask
  border: Mask
  level: Uint32Array
  x: Uint32Array
  y: Uint32Array
  z: Uint32Array
  weight: Float64Array
}

export interface Times {
  ready: number
  issue: number
  free: number
  done: number
  why: number
  ta?: [number, number]
  lds?: [number, number]
  lines: number
  hits: number
  misses: number
}

export interface Step {
  inst: number
  /** scalars and vectors are the registers that changed: what they were and what they became. */
  scalars: { code: number; old: number; now: number }[]
  vectors: { reg: number; old: Uint32Array; now: Uint32Array }[]
  special: { old: Special; now: Special }
  execBefore: Mask
  access?: Access
  taps?: Tap[]
  times?: Times
  fault: boolean
}

export type Special = Pick<State, 'scc' | 'mode' | 'trapsts' | 'vm' | 'exp' | 'lgkm'>

const magic = 'GCNREC1\n'
export const EXEC = 126,
  VCC = 106,
  M0 = 124

/** Record is a record that was read. */
export interface Record {
  head: Head
  windows: Steps[]
}

/** read reads a file. */
export async function read(file: Uint8Array): Promise<Record> {
  if (new TextDecoder().decode(file.subarray(0, 8)) !== magic) throw new Error('this is no record of gcnsim')
  const stream = new Blob([file.subarray(8) as BlobPart]).stream().pipeThrough(new DecompressionStream('gzip'))
  const r = new Reader(new Uint8Array(await new Response(stream).arrayBuffer()))
  const part = () => r.take(r.uint())
  const head = JSON.parse(new TextDecoder().decode(part()).replace(/"addr":(\d+)/g, '"addr":"$1"')) as Head
  if (head.version !== 2) throw new Error(`the record has version ${head.version}, this viewer reads version 2`)
  head.insts ??= []
  head.windows ??= []
  head.findings = head.findings?.map(f => found(f, head.base ?? 0))
  return { head, windows: head.windows.map(w => new Steps(head, w, part(), part())) }
}

class Reader {
  at = 0
  constructor(public b: Uint8Array) {}
  byte() {
    if (this.at >= this.b.length) throw new Error('the record ends early')
    return this.b[this.at++]
  }
  take(n: number) {
    if (this.at + n > this.b.length) throw new Error('the record ends early')
    return this.b.subarray(this.at, (this.at += n))
  }
  /** uint reads a number; those beyond 2^53 are not exact. */
  uint() {
    let v = 0,
      scale = 1
    for (;;) {
      const b = this.byte()
      v += (b & 127) * scale
      if (b < 128) return v
      scale *= 128
    }
  }
  int() {
    const v = this.uint()
    return v % 2 ? -(v + 1) / 2 : v / 2
  }
  uint32() {
    const b = this.take(4)
    return (b[0] | (b[1] << 8) | (b[2] << 16) | (b[3] << 24)) >>> 0
  }
  mask(): Mask {
    return [this.uint32(), this.uint32()]
  }
}

const word = new DataView(new ArrayBuffer(4))
export const toFloat = (v: number) => {
  word.setUint32(0, v)
  return word.getFloat32(0)
}
export const fromFloat = (v: number) => {
  word.setFloat32(0, v)
  return word.getUint32(0)
}

type Function3 = (a: number, b: number, c: number) => number
const float =
  (f: Function3): Function3 =>
  (a, b, c) =>
    fromFloat(f(toFloat(a), toFloat(b), toFloat(c)))

/** functions are what lanes can be derived by, with how many operands. */
const functions: [number, Function3][] = [
  [1, a => a],
  [1, a => ~a],
  [2, (a, b) => a + b],
  [2, (a, b) => a - b],
  [2, (a, b) => b - a],
  [2, (a, b) => a ^ b],
  [2, (a, b) => a & b],
  [2, (a, b) => a | b],
  [2, (a, b) => b << (a & 31)],
  [2, (a, b) => b >>> (a & 31)],
  [2, (a, b) => b >> (a & 31)],
  [2, (a, b) => Math.imul(a, b)],
  [2, float((a, b) => a + b)],
  [2, float((a, b) => a - b)],
  [2, float((a, b) => b - a)],
  [2, float((a, b) => a * b)],
  [3, (a, b, c) => a + b + c],
  [3, (a, b, c) => ((c & 31) === 0 ? b : (b >>> (c & 31)) | (a << (32 - (c & 31))))],
  [3, (a, b, c) => (a << (b & 31)) + c],
  [3, (a, b, c) => (a & b) | (~a & c)],
  [3, float((a, b, c) => Math.fround(a * b) + c)],
]

/** lanes reads what the lanes of a mask become; v holds what they had. */
function lanes(r: Reader, way: number, v: Uint32Array, mask: Mask, state?: State) {
  const each = (f: (i: number) => number) => {
    for (let i = 0; i < 64; i++) if (has(mask, i)) v[i] = f(i)
  }
  switch (way) {
    case 0: {
      const x = r.uint()
      each(() => x)
      break
    }
    case 1: {
      const x = r.uint(),
        step = r.int()
      each(i => x + step * i)
      break
    }
    case 2: {
      const x = r.int(),
        step = r.int()
      each(i => v[i] + x + step * i)
      break
    }
    case 3: {
      const s = r.byte(),
        base = r.uint(),
        x = r.int(),
        y = r.int()
      each(i => base + x * (i & ((1 << s) - 1)) + y * (i >> s))
      break
    }
    case 4: {
      const x = toFloat(r.uint32()),
        step = toFloat(r.uint32())
      each(i => fromFloat(x + step * i))
      break
    }
    case 5: {
      const n = 1 << r.byte(),
        values = new Uint32Array(n)
      for (let i = 0, last = 0; i < n; i++) values[i] = last = (last + r.int()) >>> 0
      each(i => values[i % n])
      break
    }
    case 6: {
      let last = 0
      each(() => (last = (last + r.int()) >>> 0))
      break
    }
    case 7:
      each(i => v[i] ^ r.uint())
      break
    case 8:
      each(() => 0)
      for (let shift = 0; shift < 32; shift += 8) each(i => v[i] | (r.byte() << shift))
      break
    case 9: {
      const [n, f] = functions[r.byte()]
      const sources: ((i: number) => number)[] = [() => 0, () => 0, () => 0]
      for (let k = 0; k < n; k++) {
        const kind = r.byte(),
          value = r.uint()
        sources[k] = kind === 0 ? i => state!.v[value]?.[i] ?? 0 : kind === 1 ? () => state!.s[value] : () => value
      }
      each(i => f(sources[0](i), sources[1](i), sources[2](i)))
      break
    }
    default:
      throw new Error(`the record has lanes of way ${way}`)
  }
}

/** vectorName returns the name of a vector register. */
export const vectorName = (head: Head, reg: number) => head.names?.[reg] ?? `v${reg}`

/** Steps are the steps of a window. Those that were read are kept, so that one can go back. */
export class Steps {
  /** first is the state before the first step, list what was read. */
  readonly first: State
  readonly list: Step[] = []
  private readonly r: Reader
  private readonly t: Reader
  private readonly addrs = new Map<number, [Uint32Array, Uint32Array]>()
  private readonly state: State // after the last step of list
  private next = -1
  private free = 0
  private shown: { at: number; state: State }

  constructor(
    readonly head: Head,
    readonly window: Window,
    steps: Uint8Array,
    times: Uint8Array,
  ) {
    this.r = new Reader(steps)
    this.t = new Reader(times)
    this.state = { s: new Uint32Array(128), v: [], scc: 0, mode: 0, trapsts: 0, vm: 0, exp: 0, lgkm: 0 }
    for (let i = 0; i < Math.min(window.vgprs, 256); i++) this.state.v.push(new Uint32Array(64))
    this.readStep()
    this.first = copy(this.state)
    this.shown = { at: 0, state: copy(this.state) }
  }

  get count() {
    return this.window.count
  }

  /** step returns step n, from 0 on. */
  step(n: number): Step {
    while (this.list.length <= n && this.list.length < this.count) this.list.push(this.readStep())
    return this.list[n]
  }

  /** stateAt returns the state after n steps; it must not be changed, and holds until the next call. */
  stateAt(n: number): State {
    const { state } = this.shown
    while (this.shown.at < n) apply(state, this.step(this.shown.at++), true)
    while (this.shown.at > n) apply(state, this.step(--this.shown.at), false)
    return state
  }

  private readStep(): Step {
    const { r, state } = this
    const flags = r.byte()
    const exec: Mask = [state.s[EXEC], state.s[EXEC + 1]]
    let inst = -1
    if (this.next >= 0) inst = this.next + (flags & 1 ? r.int() : 0)
    this.next = inst + 1
    const special = ({ scc, mode, trapsts, vm, exp, lgkm }: State): Special => ({ scc, mode, trapsts, vm, exp, lgkm })
    const old = special(state)
    const step: Step = {
      inst,
      scalars: [],
      vectors: [],
      special: { old, now: old },
      execBefore: exec,
      fault: (flags & 64) !== 0,
    }
    if (flags & 2) {
      for (let n = r.uint(); n > 0; n--) {
        const code = r.byte() & 127,
          old = state.s[code]
        state.s[code] = old + r.int()
        step.scalars.push({ code, old, now: state.s[code] })
      }
    }
    if (flags & 4) {
      const which = r.byte()
      const names = ['scc', 'mode', 'trapsts', 'vm', 'exp', 'lgkm'] as const
      names.forEach((name, i) => {
        if ((which >> i) & 1) state[name] = r.uint()
      })
      step.special.now = special(state)
    }
    if (flags & 8) {
      for (let n = r.uint(); n > 0; n--) {
        const reg = r.byte(),
          way = r.byte()
        const mask = ((way >> 4) & 3) === 0 ? full : ((way >> 4) & 3) === 1 ? exec : r.mask()
        const old = state.v[reg].slice()
        lanes(r, way & 15, state.v[reg], mask, state)
        step.vectors.push({ reg, old, now: state.v[reg].slice() })
      }
    }
    if (flags & 16) step.access = this.readAccess(inst, exec)
    if (flags & 32) step.taps = this.readTaps()
    if (inst >= 0 && this.t.at < this.t.b.length) step.times = this.readTimes()
    return step
  }

  private readAccess(inst: number, exec: Mask): Access {
    const { r, head } = this
    const none: Mask = [0, 0]
    const flags = r.byte()
    const a: Access = {
      op: r.byte(),
      space: r.byte(),
      elem: r.byte(),
      count: r.byte(),
      regs: r.byte(),
      reg: r.uint(),
      scalar: (flags & 1) !== 0,
      split: (flags & 2) !== 0,
      exec,
      out: [none, none, none, none],
      misaligned: none,
      lds: none,
      scratch: none,
      rule: '',
      turns: [],
      addrs: [],
    }
    const turns = r.uint() // read whether or not the record has any
    a.turns = head.turns?.[turns - 1] ?? []
    if (flags & 4) a.exec = r.mask()
    if (flags & 8) {
      const rule = r.uint()
      a.rule = head.rules?.[rule - 1] ?? ''
      a.out = [r.mask(), r.mask(), r.mask(), r.mask()]
    }
    if (flags & 16) a.misaligned = r.mask()
    if (flags & 32) [a.lds, a.scratch] = [r.mask(), r.mask()]
    let last = this.addrs.get(inst)
    if (!last) this.addrs.set(inst, (last = [new Uint32Array(64), new Uint32Array(64)]))
    const mask: Mask = a.scalar ? [1, 0] : a.exec
    const addresses = (halves: [Uint32Array, Uint32Array]) => {
      for (const half of halves) lanes(r, r.byte(), half, mask)
      return Float64Array.from({ length: 64 }, (_, i) => halves[1][i] * 2 ** 32 + halves[0][i])
    }
    a.addrs.push(addresses(last))
    if (a.split) {
      const before: [Uint32Array, Uint32Array] = [last[0].slice(), last[1].slice()]
      for (let i = 1; i < Math.min(a.count, 4); i++) a.addrs.push(addresses(before))
    }
    return a
  }

  private readTaps(): Tap[] {
    const { r } = this
    const taps: Tap[] = []
    const last = Array.from({ length: 5 }, () => new Uint32Array(64))
    for (let n = r.uint(); n > 0; n--) {
      const taken = r.mask(),
        border = r.mask()
      for (const v of last) lanes(r, r.byte(), v, taken)
      const [level, x, y, z] = last.map(v => v.slice())
      taps.push({ lanes: taken, border, level, x, y, z, weight: Float64Array.from(last[4], w => w / 65536) })
    }
    return taps
  }

  private readTimes(): Times {
    const r = this.t,
      flags = r.byte()
    const ready = this.free + (flags & 1 ? r.int() : 0)
    const t: Times = { ready, issue: ready, free: 0, done: 0, why: 0, lines: 0, hits: 0, misses: 0 }
    if (flags & 2) {
      t.issue += r.uint()
      t.why = r.uint()
    }
    t.free = t.issue + (flags & 4 ? r.uint() : 4)
    t.done = t.free + (flags & 8 ? r.uint() : 0)
    if (flags & 16) t.ta = [t.issue + r.uint(), r.uint()]
    if (flags & 32) t.lds = [t.issue + r.uint(), r.uint()]
    if (flags & 64) [t.lines, t.hits, t.misses] = [r.uint(), r.uint(), r.uint()]
    this.free = t.free
    return t
  }
}

function copy(s: State): State {
  return { ...s, s: s.s.slice(), v: s.v.map(v => v.slice()) }
}

/** apply makes a state that after a step, or that before it. */
function apply(state: State, step: Step, forward: boolean) {
  for (const c of step.scalars) state.s[c.code] = forward ? c.now : c.old
  for (const c of step.vectors) state.v[c.reg].set(forward ? c.now : c.old)
  Object.assign(state, forward ? step.special.now : step.special.old)
}
