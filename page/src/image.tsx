// The texels that lanes took, on the picture.

import { useEffect, useRef, useState } from 'preact/hooks'
import { has, lanesOf, type Inst, type Picture, type Record, type State, type Tap } from './record'
import { many } from './facts'
import { Lanes, type Cell } from './lanes'

interface Props {
  record: Record
  inst: Inst
  taps: Tap[]
  state: State
  lane: number
  setLane: (lane: number) => void
}

interface Texel {
  x: number
  y: number
  z: number
  level: number
  weight: number
  border: boolean
}

const texelsOf = (taps: Tap[], lane: number): Texel[] =>
  taps
    .filter(t => has(t.lanes, lane))
    .map(t => ({
      x: t.x[lane],
      y: t.y[lane],
      z: t.z[lane],
      level: t.level[lane],
      weight: t.weight[lane],
      border: has(t.border, lane),
    }))

/** ImageView shows the texels of a step. */
export function ImageView({ record, inst, taps, state, lane, setLane }: Props) {
  const [all, setAll] = useState(true)
  const words = inst.resource ? Array.from(state.s.slice(inst.resource - 1, inst.resource + 7)) : []
  const picture = record.head.pictures?.find(p => p.words.every((w, i) => w === words[i] || (i >= 4 && w === 0)))
  const mine = texelsOf(taps, lane)
  const active = new Set<number>()
  for (const t of taps) for (const l of lanesOf(t.lanes)) active.add(l)
  const levels = [...new Set(mine.filter(t => !t.border).map(t => t.level))].sort((a, b) => a - b)
  const cells = Array.from({ length: 64 }, (_, l): Cell => {
    const n = texelsOf(taps, l)
    return active.has(l)
      ? {
          text: l,
          title: `${many(n.length, 'texel')}, level ${[...new Set(n.map(t => t.level))].join(' and ')}`,
          color: n[0].level,
        }
      : { text: '', title: 'takes none', class: 'off' }
  })
  return (
    <section class="texels">
      <h3>Texels</h3>
      <p class="legend">
        A number is a lane; the colour is its first level of detail.
        <label>
          <input type="checkbox" checked={all} onChange={e => setAll(e.currentTarget.checked)} /> mark the texels of all
          lanes
        </label>
      </p>
      {picture ? (
        (levels.length ? levels : [picture.levels.findIndex(l => l.rgba)]).map(level => (
          <Level
            key={level}
            picture={picture}
            level={level}
            taps={taps}
            mine={mine.filter(t => t.level === level)}
            lane={lane}
            all={all}
          />
        ))
      ) : (
        <p class="note">The picture is not in the record.</p>
      )}
      <Lanes label="Lanes that take texels" lane={lane} setLane={setLane} cells={cells} />
      {mine.length > 0 && (
        <table>
          <caption>Texels of lane {lane}</caption>
          <thead>
            <tr>
              <th>level</th>
              <th>x</th>
              <th>y</th>
              <th>slice</th>
              <th class="n">weight</th>
            </tr>
          </thead>
          <tbody>
            {mine.map(t => (
              <tr>
                <td>{t.level}</td>
                {t.border ? (
                  <td colSpan={3}>border, or outside</td>
                ) : (
                  <>
                    <td>{t.x}</td>
                    <td>{t.y}</td>
                    <td>{t.z}</td>
                  </>
                )}
                <td class="n">{Math.round(t.weight * 10000) / 10000}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  )
}

/** weighed is the side of the largest level on whose texels there is room for weights. */
const weighed = 8

interface LevelProps {
  picture: Picture
  level: number
  taps: Tap[]
  mine: Texel[]
  lane: number
  all: boolean
}

function Level({ picture, level, taps, mine, lane, all }: LevelProps) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const l = picture.levels[level]
  useEffect(() => {
    const context = canvas.current?.getContext('2d')
    if (!context || !l?.rgba) return
    const bytes = Uint8ClampedArray.from(atob(l.rgba), c => c.charCodeAt(0))
    for (let i = 3; i < bytes.length; i += 4) bytes[i] = 255
    context.putImageData(new ImageData(bytes, l.width, l.height), 0, 0)
  }, [l])
  if (!l) return null
  const others = new Set<string>()
  if (all) {
    for (const t of taps)
      for (const i of lanesOf(t.lanes)) if (t.level[i] === level && !has(t.border, i)) others.add(`${t.x[i]} ${t.y[i]}`)
  }
  const side = Math.max(l.width, l.height)
  return (
    <figure class="level">
      <figcaption>
        level {level}, {l.width} × {l.height}, format {picture.format}
        {!l.rgba && ': too large to be shown, or its format cannot be'}
      </figcaption>
      <div
        class="picture"
        style={{ aspectRatio: `${l.width} / ${l.height}`, maxWidth: side <= weighed ? '24rem' : '28rem' }}
      >
        <canvas
          ref={canvas}
          width={l.width}
          height={l.height}
          role="img"
          aria-label={`level ${level} of the image; lane ${lane} takes ${mine.length} texels of it, listed below`}
        />
        <svg viewBox={`0 0 ${l.width} ${l.height}`} aria-hidden="true">
          {[...others]
            .filter(o => !mine.some(t => o === `${t.x} ${t.y}`))
            .map(o => o.split(' ').map(Number))
            .map(([x, y]) => (
              <rect class="other" x={x + 0.35} y={y + 0.35} width="0.3" height="0.3" />
            ))}
          {mine
            .filter(t => !t.border)
            .map(t => (
              <g>
                <rect class="mine" x={t.x} y={t.y} width="1" height="1" stroke-width={side / 100} />
                {side <= weighed && (
                  <text x={t.x + 0.5} y={t.y + 0.62} font-size="0.34" text-anchor="middle">
                    {t.weight.toFixed(2)}
                  </text>
                )}
              </g>
            ))}
        </svg>
      </div>
    </figure>
  )
}
