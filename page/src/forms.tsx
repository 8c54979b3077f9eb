// Forms for buffers, images and samplers, with their descriptors field by field.

import { useEffect, useState } from 'preact/hooks'
import { until, type Engine } from './engine'
import { bitsOf, withBits, type Buffer, type ImageSpec, type Scenario } from './scenario'

interface Bits {
  name: string
  shift: number
  width: number
  meaning: string
  choices?: string[]
}
interface Explained {
  fields: Bits[]
  text: string
}
/** Props: set gets what changes the scenario as it is then, since the one that is shown may be older. */
interface Props {
  scenario: Scenario
  set: (change: (s: Scenario) => Scenario) => void
  engine: Engine
}

/** Kind is a key of a scenario with a list of resources. */
type Kind = 'buffers' | 'images' | 'samplers'

const number = (text: string, fallback: number) =>
  Number.isFinite(Number(text)) && text.trim() !== '' ? Number(text) : fallback

/**
 * Line is an input of one line. What is typed belongs to the input until it is finished by Enter or by leaving it,
 * whatever renders meanwhile; then commit gets it.
 */
function Line({
  value,
  commit,
  numeric,
  ...rest
}: {
  value: string | number
  commit: (text: string) => void
  numeric?: boolean
  size?: number
  placeholder?: string
  'aria-label'?: string
}) {
  const [draft, setDraft] = useState<string>()
  const own = {
    ...rest,
    value: draft ?? `${value}`,
    onBlur: () => setDraft(undefined),
    onInput: (e: { currentTarget: HTMLInputElement }) => setDraft(e.currentTarget.value),
    onChange: (e: { currentTarget: HTMLInputElement }) => {
      commit(e.currentTarget.value)
      setDraft(undefined)
    },
  }
  return numeric ? <input type="number" min={0} {...own} /> : <input {...own} />
}

function Num({ label, value, set }: { label: string; value: number; set: (v: number) => void }) {
  return (
    <label>
      {label} <Line numeric value={value} commit={text => set(number(text, value))} />
    </label>
  )
}

function Choice({
  label,
  value,
  of,
  set,
}: {
  label: string
  value: string
  of: [string, string][]
  set: (v: string) => void
}) {
  return (
    <label>
      {label}{' '}
      <select value={value} onChange={e => set(e.currentTarget.value)}>
        {of.map(([v, name]) => (
          <option value={v}>{name}</option>
        ))}
        {!of.some(([v]) => v === value) && <option value={value}>{value}</option>}
      </select>
    </label>
  )
}

/** Resources are the forms of all buffers, images and samplers. */
export function Resources({ scenario: s, set, engine }: Props) {
  const buffers = s.buffers ?? [],
    images = s.images ?? [],
    samplers = s.samplers ?? []
  const change = (kind: Kind, f: (list: object[]) => object[]) => set(s => ({ ...s, [kind]: f(s[kind] ?? []) }))
  const put = (kind: Kind, i: number) => (x: object) =>
    change(kind, list => list.map((y, k) => (k === i ? { ...y, ...x } : y)))
  const remove = (kind: Kind, i: number) => () => change(kind, list => list.filter((_, k) => k !== i))
  const free = (n: number) => {
    const used = [...buffers.map(b => [b.sgpr, 4]), ...images.map(b => [b.sgpr, 8]), ...samplers.map(b => [b.sgpr, 4])]
    for (let at = 0; at < 100; at += 4) if (used.every(([f, w]) => at + n <= f || at >= f + w)) return at
    return 0
  }
  return (
    <details class="resources" open={buffers.length + images.length > 0}>
      <summary>Buffers, images and samplers</summary>
      {buffers.map((b, i) => (
        <BufferForm
          key={`b${i}`}
          buffer={b}
          set={put('buffers', i)}
          remove={remove('buffers', i)}
          mcpu={s.mcpu}
          engine={engine}
        />
      ))}
      {images.map((b, i) => (
        <ImageForm
          key={`i${i}`}
          image={b}
          set={put('images', i)}
          remove={remove('images', i)}
          mcpu={s.mcpu}
          engine={engine}
          scenario={s}
        />
      ))}
      {samplers.map((b, i) => (
        <fieldset key={`s${i}`}>
          <legend>
            sampler in s[{b.sgpr}:{b.sgpr + 3}]
          </legend>
          <Num label="first SGPR" value={b.sgpr} set={sgpr => put('samplers', i)({ sgpr })} />
          <button onClick={remove('samplers', i)}>remove</button>
          <Descriptor
            kind="ssharp"
            name="S#"
            words={b.words}
            set={words => put('samplers', i)({ words })}
            mcpu={s.mcpu}
            engine={engine}
          />
        </fieldset>
      ))}
      <M0Form value={s.m0 ?? undefined} set={m0 => set(s => ({ ...s, m0 }))} />
      {s.trap && (
        <details>
          <summary>Trap handler</summary>
          <pre tabIndex={0}>{s.trap}</pre>
        </details>
      )}
      <p class="actions">
        <button
          onClick={() =>
            change('buffers', list => [
              ...list,
              { name: `buffer${list.length}`, sgpr: free(4), size: 256, fill: 'index' },
            ])
          }
        >
          add a buffer
        </button>
        <button
          onClick={() =>
            change('images', list => [
              ...list,
              {
                name: `image${list.length}`,
                sgpr: free(8),
                data: 10,
                num: 0,
                width: 16,
                height: 16,
                levels: 1,
                picture: 'gradient',
              },
            ])
          }
        >
          add an image
        </button>
        <button
          onClick={() =>
            change('samplers', list => [
              ...list,
              { sgpr: free(4), words: ['0x00000092', '0x00fff000', '0x00500000', '0x00000000'] },
            ])
          }
        >
          add a sampler
        </button>
      </p>
    </details>
  )
}

/** fieldsOfM0 are the fields that instructions take from M0 (rule ST18): name, first bit, width. */
const fieldsOfM0: [string, number, number][] = [
  ['size or base, bits 15:0', 0, 16],
  ['base in the GDS, bits 31:16', 16, 16],
  ['GWS resource, bits 21:16', 16, 6],
  ['GPR index, bits 7:0', 0, 8],
]

/** M0Form sets what M0 holds when the program begins. */
function M0Form({ value, set }: { value?: string; set: (m0: string | undefined) => void }) {
  const words = [value ?? '0x00000000']
  return (
    <details class="m0">
      <summary>
        M0 at the start <code>{words[0]}</code>
      </summary>
      {fieldsOfM0.map(([name, shift, width]) => {
        const v = bitsOf(words, { shift, width })
        const put = (x: number) => {
          if (Number.isInteger(x) && x >= 0 && x < 2 ** width) set(withBits(words, { shift, width }, x)[0])
        }
        return (
          <p>
            <Num label={name} value={v} set={put} />{' '}
            <input
              type="range"
              aria-label={`${name}, slider`}
              min={0}
              max={reach(v, width)}
              value={v}
              onInput={e => put(+e.currentTarget.value)}
            />
          </p>
        )
      })}
      <button onClick={() => set('0xffffffff')}>all ones: no bound on LDS</button>
    </details>
  )
}

interface FormProps<T> {
  set: (x: Partial<T>) => void
  remove: () => void
  mcpu: string
  engine: Engine
}

function BufferForm({ buffer: b, set, remove, mcpu, engine }: { buffer: Buffer } & FormProps<Buffer>) {
  const plain = ['0x00000000', '0x00000000', '0x' + b.size.toString(16).padStart(8, '0'), '0x00027fac']
  return (
    <fieldset>
      <legend>
        buffer {b.name} in s[{b.sgpr}:{b.sgpr + 3}]
      </legend>
      <label>
        name <Line value={b.name} size={8} commit={name => set({ name })} />
      </label>
      <Num label="first SGPR" value={b.sgpr} set={sgpr => set({ sgpr })} />
      <Num label="bytes" value={b.size} set={size => set({ size })} />
      <Choice
        label="holds"
        value={b.fill || 'zero'}
        of={[
          ['zero', 'zeros'],
          ['index', '0, 1, 2, …'],
          ['float', '0.0, 1.0, 2.0, …'],
          ['bytes', 'bytes 0, 1, 2, …'],
          ['random', 'random dwords'],
        ]}
        set={fill => set({ fill })}
      />
      <button onClick={remove}>remove</button>
      <Descriptor
        kind="vsharp"
        name="V#"
        words={b.words ?? plain}
        set={words => set({ words })}
        mcpu={mcpu}
        engine={engine}
        note="BASE is set to where the buffer lies."
      />
    </fieldset>
  )
}

const formats: [string, string][] = [
  ['10,0', '8_8_8_8 UNORM'],
  ['1,0', '8 UNORM'],
  ['4,7', '32 FLOAT'],
  ['14,7', '32_32_32_32 FLOAT'],
  ['10,9', '8_8_8_8 SRGB'],
  ['16,0', '5_6_5 UNORM'],
]

function ImageForm({
  image: b,
  set,
  remove,
  mcpu,
  engine,
  scenario,
}: { image: ImageSpec; scenario: Scenario } & FormProps<ImageSpec>) {
  const [words, setWords] = useState<string[]>()
  const put = set
  set = x => put({ words: undefined, ...x }) // another image has another T#
  useEffect(
    () =>
      until(
        engine.call<{ request: { sgpr: { [k: string]: string[] } } }>('compile', scenario),
        r => setWords(r.request.sgpr[b.sgpr]),
        () => setWords(undefined),
      ),
    [JSON.stringify(b), mcpu],
  )
  return (
    <fieldset>
      <legend>
        image {b.name} in s[{b.sgpr}:{b.sgpr + 7}]
      </legend>
      <label>
        name <Line value={b.name} size={8} commit={name => set({ name })} />
      </label>
      <Num label="first SGPR" value={b.sgpr} set={sgpr => set({ sgpr })} />
      <Num label="width" value={b.width} set={width => set({ width })} />
      <Num label="height" value={b.height} set={height => set({ height })} />
      <Num label="levels" value={b.levels || 1} set={levels => set({ levels })} />
      <Choice
        label="format"
        value={`${b.data},${b.num}`}
        of={formats}
        set={v => {
          const [data, num] = v.split(',').map(Number)
          set({ data, num })
        }}
      />
      <label>
        tile mode{' '}
        <Line
          size={4}
          placeholder="linear"
          value={b.tile ?? ''}
          commit={text => set({ tile: text.trim() === '' ? undefined : number(text, b.tile ?? 0) })}
        />
      </label>
      <Choice
        label="picture"
        value={b.picture}
        of={[
          ['gradient', 'gradient'],
          ['checker', 'checkerboard'],
          ['levels', 'a colour for each level'],
        ]}
        set={picture => set({ picture })}
      />
      <button onClick={remove}>remove</button>
      {(b.words ?? words) && (
        <Descriptor
          kind="tsharp"
          name="T#"
          words={b.words ?? words!}
          set={words => put({ words })}
          mcpu={mcpu}
          engine={engine}
          note="The picture stays in memory as it is; BASE is set to where it lies."
        />
      )}
    </fieldset>
  )
}

/** maxSlider is the width of the widest field that has a slider: that of a count of 32 bits, not an address. */
const maxSlider = 32

/** reach is how far a slider goes: some times what is there, so that it can be set exactly. */
const reach = (v: number, width: number) => Math.min(2 ** width - 1, Math.max(64, 2 ** Math.ceil(Math.log2(2 * v + 1))))

/** Descriptor shows a descriptor field by field, with what it means; set, if given, makes it a form. */
function Descriptor({
  kind,
  name,
  words,
  set,
  mcpu,
  engine,
  note,
}: {
  kind: string
  name: string
  words: string[]
  set?: (words: string[]) => void
  mcpu: string
  engine: Engine
  note?: string
}) {
  const [open, setOpen] = useState(false)
  const [x, setX] = useState<Explained>()
  const [error, setError] = useState('')
  const explain = () =>
    until(
      engine.call<Explained>('describe', { mcpu, kind, words, choices: set !== undefined }),
      r => {
        setX(r)
        setError('')
      },
      e => setError(e.message),
    )
  useEffect(() => (open ? explain() : undefined), [open, mcpu, words.join()])
  const put = (f: Bits, text: string) => {
    const value = number(text, -1)
    const fits = Number.isInteger(value) && value >= 0 && value < 2 ** f.width
    if (fits) set?.(withBits(words, f, value))
    setError(fits ? '' : `${f.name} has ${f.width} bits: give a whole number from 0 to ${2 ** f.width - 1}`)
  }
  const value = (f: Bits) => {
    const v = bitsOf(words, f)
    if (!set)
      return (
        <>
          <td>{v}</td>
          <td>{f.meaning}</td>
        </>
      )
    if (!f.choices)
      return (
        <>
          <td>
            <Line numeric aria-label={f.name} value={v} commit={text => put(f, text)} />{' '}
            {f.width <= maxSlider && (
              <input
                type="range"
                aria-label={`${f.name}, slider`}
                min={0}
                max={reach(v, f.width)}
                value={v}
                onInput={e => put(f, e.currentTarget.value)}
              />
            )}
          </td>
          <td>{f.meaning}</td>
        </>
      )
    return (
      <td colSpan={2}>
        <select aria-label={f.name} value={v} onChange={e => put(f, e.currentTarget.value)}>
          {f.choices.map((means, i) => (
            <option value={i}>
              {i}: {means}
            </option>
          ))}
        </select>
      </td>
    )
  }
  return (
    <details class="descriptor" onToggle={e => setOpen(e.currentTarget.open)}>
      <summary>
        {name} <code>{words.map(w => w.replace(/^0x/, '').padStart(8, '0')).join(' ')}</code>
      </summary>
      {error && (
        <p class="problem" role="alert">
          {error}
        </p>
      )}
      {note && <p class="note">{note}</p>}
      {x && (
        <div class="fields">
          <table>
            <thead>
              <tr>
                <th>field</th>
                <th>value</th>
                <th>means</th>
              </tr>
            </thead>
            <tbody>
              {x.fields.map(f => (
                <tr>
                  <th scope="row">{f.name}</th>
                  {value(f)}
                </tr>
              ))}
            </tbody>
          </table>
          <pre class="wide" tabIndex={0}>
            {x.text}
          </pre>
        </div>
      )}
    </details>
  )
}
