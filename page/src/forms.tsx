// Forms for buffers, images and samplers, with their descriptors field by field.

import { useEffect, useState } from 'preact/hooks'
import type { Engine } from './engine'
import type { Buffer, ImageSpec, Sampler, Scenario } from './scenario'

interface Field { name: string; width: number; value: number; meaning: string }
interface Explained { words: string[]; fields: Field[]; text: string }
interface Props { scenario: Scenario; set: (s: Scenario) => void; engine: Engine }

const number = (text: string, fallback: number) => (Number.isFinite(Number(text)) && text.trim() !== '' ? Number(text) : fallback)

function Num({ label, value, set }: { label: string; value: number; set: (v: number) => void }) {
  return <label>{label} <input type="number" min={0} value={value} onChange={e => set(number(e.currentTarget.value, value))} /></label>
}

function Pick({ label, value, of, set }: { label: string; value: string; of: [string, string][]; set: (v: string) => void }) {
  return <label>{label} <select value={value} onChange={e => set(e.currentTarget.value)}>{of.map(([v, name]) => <option value={v}>{name}</option>)}</select></label>
}

/** Resources are the forms of all buffers, images and samplers. */
export function Resources({ scenario: s, set, engine }: Props) {
  const buffers = s.buffers ?? [], images = s.images ?? [], samplers = s.samplers ?? []
  const put = <T,>(list: T[], i: number, x: T | undefined) => list.flatMap((y, k) => (k === i ? (x === undefined ? [] : [x]) : [y]))
  const free = (n: number) => {
    const used = [...buffers.map(b => [b.sgpr, 4]), ...images.map(b => [b.sgpr, 8]), ...samplers.map(b => [b.sgpr, 4])]
    for (let at = 0; at < 100; at += 4) if (used.every(([f, w]) => at + n <= f || at >= f + w)) return at
    return 0
  }
  return (
    <details class="resources" open={buffers.length + images.length > 0}><summary>Buffers, images and samplers</summary>
      {buffers.map((b, i) => <BufferForm key={`b${i}`} buffer={b} set={x => set({ ...s, buffers: put(buffers, i, x) })} mcpu={s.mcpu} engine={engine} />)}
      {images.map((b, i) => <ImageForm key={`i${i}`} image={b} set={x => set({ ...s, images: put(images, i, x) })} mcpu={s.mcpu} engine={engine} scenario={s} />)}
      {samplers.map((b, i) => (
        <fieldset key={`s${i}`}><legend>sampler in s[{b.sgpr}:{b.sgpr + 3}]</legend>
          <Num label="first SGPR" value={b.sgpr} set={v => set({ ...s, samplers: put(samplers, i, { ...b, sgpr: v }) })} />
          <button onClick={() => set({ ...s, samplers: put<Sampler>(samplers, i, undefined) })}>remove</button>
          <Descriptor kind="ssharp" name="S#" words={b.words} set={words => set({ ...s, samplers: put(samplers, i, { ...b, words }) })} mcpu={s.mcpu} engine={engine} />
        </fieldset>
      ))}
      <p class="actions">
        <button onClick={() => set({ ...s, buffers: [...buffers, { name: `buffer${buffers.length}`, sgpr: free(4), size: 256, fill: 'index' }] })}>add a buffer</button>
        <button onClick={() => set({ ...s, images: [...images, { name: `image${images.length}`, sgpr: free(8), data: 10, num: 0, width: 16, height: 16, levels: 1, picture: 'gradient' }] })}>add an image</button>
        <button onClick={() => set({ ...s, samplers: [...samplers, { sgpr: free(4), words: ['0x00000092', '0x00fff000', '0x00500000', '0x00000000'] }] })}>add a sampler</button>
      </p>
    </details>
  )
}

function BufferForm({ buffer: b, set, mcpu, engine }: { buffer: Buffer; set: (b?: Buffer) => void; mcpu: string; engine: Engine }) {
  const plain = ['0x00000000', '0x00000000', '0x' + b.size.toString(16).padStart(8, '0'), '0x00027fac']
  return (
    <fieldset><legend>buffer {b.name} in s[{b.sgpr}:{b.sgpr + 3}]</legend>
      <label>name <input value={b.name} size={8} onChange={e => set({ ...b, name: e.currentTarget.value })} /></label>
      <Num label="first SGPR" value={b.sgpr} set={v => set({ ...b, sgpr: v })} />
      <Num label="bytes" value={b.size} set={v => set({ ...b, size: v })} />
      <Pick label="holds" value={b.fill || 'zero'} of={[['zero', 'zeros'], ['index', '0, 1, 2, …'], ['float', '0.0, 1.0, 2.0, …'], ['bytes', 'bytes 0, 1, 2, …'], ['random', 'random dwords']]} set={v => set({ ...b, fill: v })} />
      <button onClick={() => set(undefined)}>remove</button>
      <Descriptor kind="vsharp" name="V#" words={b.words ?? plain} set={words => set({ ...b, words })} mcpu={mcpu} engine={engine} note="BASE is set to where the buffer lies." />
    </fieldset>
  )
}

const formats: [string, string][] = [['10,0', '8_8_8_8 UNORM'], ['1,0', '8 UNORM'], ['4,7', '32 FLOAT'], ['14,7', '32_32_32_32 FLOAT'], ['10,9', '8_8_8_8 SRGB'], ['16,0', '5_6_5 UNORM']]

function ImageForm({ image: b, set, mcpu, engine, scenario }: { image: ImageSpec; set: (b?: ImageSpec) => void; mcpu: string; engine: Engine; scenario: Scenario }) {
  const [words, setWords] = useState<string[]>()
  useEffect(() => {
    engine.call<{ request: { sgpr: { [k: string]: string[] } } }>('compile', scenario).then(r => setWords(r.request.sgpr[b.sgpr]), () => setWords(undefined))
  }, [JSON.stringify(b), mcpu])
  return (
    <fieldset><legend>image {b.name} in s[{b.sgpr}:{b.sgpr + 7}]</legend>
      <label>name <input value={b.name} size={8} onChange={e => set({ ...b, name: e.currentTarget.value })} /></label>
      <Num label="first SGPR" value={b.sgpr} set={v => set({ ...b, sgpr: v })} />
      <Num label="width" value={b.width} set={v => set({ ...b, width: v })} />
      <Num label="height" value={b.height} set={v => set({ ...b, height: v })} />
      <Num label="levels" value={b.levels || 1} set={v => set({ ...b, levels: v })} />
      <Pick label="format" value={`${b.data},${b.num}`} of={formats} set={v => { const [data, num] = v.split(',').map(Number); set({ ...b, data, num }) }} />
      <label>tile mode <input size={4} placeholder="linear" value={b.tile ?? ''} onChange={e => set({ ...b, tile: e.currentTarget.value.trim() === '' ? undefined : number(e.currentTarget.value, 0) })} /></label>
      <Pick label="picture" value={b.picture} of={[['gradient', 'gradient'], ['checker', 'checkerboard'], ['levels', 'a colour for each level']]} set={v => set({ ...b, picture: v })} />
      <button onClick={() => set(undefined)}>remove</button>
      {words && <Descriptor kind="tsharp" name="T#" words={words} mcpu={mcpu} engine={engine} />}
    </fieldset>
  )
}

/** Descriptor shows a descriptor field by field, with what it means beside; set, if given, makes it a form. */
function Descriptor({ kind, name, words, set, mcpu, engine, note }: { kind: string; name: string; words: string[]; set?: (words: string[]) => void; mcpu: string; engine: Engine; note?: string }) {
  const [open, setOpen] = useState(false)
  const [x, setX] = useState<Explained>()
  const [error, setError] = useState('')
  const ask = (field?: string, value?: number) => engine.call<Explained>('set', { mcpu, kind, words, field: field ?? '', value: value ?? 0 }).then(r => { setX(r); setError(''); if (field) set?.(r.words) }, (e: Error) => setError(e.message))
  useEffect(() => { if (open) void ask() }, [open, mcpu, words.join()])
  return (
    <details class="descriptor" onToggle={e => setOpen(e.currentTarget.open)}><summary>{name} <code>{words.map(w => w.replace(/^0x/, '').padStart(8, '0')).join(' ')}</code></summary>
      {error && <p class="problem" role="alert">{error}</p>}
      {note && <p class="note">{note}</p>}
      {x && <div class="fields"><table><thead><tr><th>field</th><th>value</th><th>means</th></tr></thead><tbody>
        {x.fields.map(f => <tr><th scope="row">{f.name}</th><td>{set ? <input type="number" min={0} aria-label={f.name} value={f.value} onChange={e => ask(f.name, number(e.currentTarget.value, f.value))} /> : f.value}</td><td>{f.meaning}</td></tr>)}
      </tbody></table><pre class="wide" tabIndex={0}>{x.text}</pre></div>}
    </details>
  )
}
