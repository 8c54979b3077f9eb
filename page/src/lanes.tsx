// Cells of the 64 lanes.

import type { ComponentChildren } from 'preact'

export interface Cell {
  text: ComponentChildren
  title: string
  class?: string
  color?: number
}

interface Props {
  label: string
  lane: number
  setLane: (lane: number) => void
  cells: Cell[]
  wide?: boolean
}

/** Lanes shows 64 cells in rows of 16, or of 8 if they are wide; the arrow keys, Home and End choose a lane. */
export function Lanes({ label, lane, setLane, cells, wide }: Props) {
  const row = wide ? 8 : 16
  const keys = (e: KeyboardEvent) => {
    const by = {
      ArrowRight: 1,
      ArrowLeft: -1,
      ArrowDown: row,
      ArrowUp: -row,
      Home: -(lane % row),
      End: row - 1 - (lane % row),
    }[e.key]
    if (by === undefined) return
    e.preventDefault()
    e.stopPropagation()
    const to = lane + by
    if (to < 0 || to > 63) return
    setLane(to)
    const grid = e.currentTarget as HTMLElement
    ;(grid.querySelectorAll('[role=gridcell]')[to] as HTMLElement | undefined)?.focus()
  }
  return (
    <div class={`lanes${wide ? ' wide' : ''}`} role="grid" aria-label={label} onKeyDown={keys}>
      {Array.from({ length: 64 / row }, (_, r) => (
        <div role="row" class="lanerow">
          {cells.slice(r * row, r * row + row).map((c, i) => {
            const n = r * row + i
            return (
              <div
                role="gridcell"
                tabIndex={n === lane ? 0 : -1}
                aria-selected={n === lane}
                aria-label={`lane ${n}: ${c.title}`}
                title={`lane ${n}: ${c.title}`}
                class={`cell ${c.class ?? ''}${c.color === undefined ? '' : ` hue${c.color % 8}`}`}
                onClick={() => setLane(n)}
              >
                {c.text}
              </div>
            )
          })}
        </div>
      ))}
    </div>
  )
}

/** ranges writes lanes short: 0-15, 17. */
export function ranges(lanes: number[]): string {
  const parts: string[] = []
  for (let i = 0; i < lanes.length;) {
    let j = i
    while (j + 1 < lanes.length && lanes[j + 1] === lanes[j] + 1) j++
    parts.push(i === j ? `${lanes[i]}` : `${lanes[i]}-${lanes[j]}`)
    i = j + 1
  }
  return parts.join(', ')
}
