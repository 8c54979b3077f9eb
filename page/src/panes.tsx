// The panes of a workbench: text, code, machine, and in the machine what a step touched. On a wide window they stand
// side by side, are resized and folded; on a narrow one they are tabs.

import { useEffect, useState } from 'preact/hooks'
import { store, stored } from './progress'

export type Pane = 'text' | 'code' | 'machine'

/** Sizes are in percent: of the window, of the bench, of the machine, and how large the machine is drawn. */
interface Sizes {
  text: number
  code: number
  touched: number
  zoom: number
}

/** limits of each size, and what it is at first. */
const limits: { [size in keyof Sizes]: { least: number; first: number; most: number } } = {
  text: { least: 12, first: 25, most: 60 },
  code: { least: 15, first: 34, most: 80 },
  touched: { least: 15, first: 52, most: 85 },
  zoom: { least: 50, first: 100, most: 200 },
}

/** zoomStep is how much a press of a key or a button zooms. */
const zoomStep = 25

const between = (size: keyof Sizes, v: number) => Math.min(limits[size].most, Math.max(limits[size].least, v))

/** wide is when panes stand side by side. entry.style.css has the same condition. */
const wide = matchMedia('(min-width: 75em) and (min-height: 36em)')

/** kept is what somebody chose of the panes, for what is shown next. The browser keeps the sizes for later. */
let kept: { closed?: Pane[]; sizes: Partial<Sizes> } = { sizes: numbers(stored('gcnsim-panes')) }

/** numbers takes sizes from what the browser kept. */
function numbers(all: unknown): Partial<Sizes> {
  const found = Object.entries((all ?? {}) as Sizes).filter(([name, v]) => name in limits && typeof v === 'number')
  return Object.fromEntries(found.map(([name, v]) => [name, between(name as keyof Sizes, v as number)]))
}

/** Panes are how the panes stand, and how to change that. */
export interface Panes {
  list: Pane[]
  sizes: Sizes
  /** classes and style of the element that has the panes. */
  classes: string
  style: { [variable: string]: string }
  shows: (p: Pane) => boolean
  /** show makes a pane the tab of a narrow window. */
  show: (p: Pane) => void
  toggle: (p: Pane) => void
  resize: (sizes: Partial<Sizes>) => void
}

/** usePanes has the panes of a list, of which some are closed at first. */
export function usePanes(list: Pane[], closed: Pane[] = []): Panes {
  const [tab, setTab] = useState(closed.length ? list[list.length - 1] : list[0])
  const [folded, fold] = useState((closed.length ? closed : kept.closed) ?? [])
  const [chosen, choose] = useState(kept.sizes)
  const [side, setSide] = useState(wide.matches) // by side
  useEffect(() => {
    const changed = () => setSide(wide.matches)
    wide.addEventListener('change', changed)
    return () => wide.removeEventListener('change', changed)
  }, [])
  const sizes = Object.fromEntries(
    Object.entries(limits).map(([name, l]) => [name, chosen[name as keyof Sizes] ?? l.first]),
  ) as unknown as Sizes
  const resize = (some: Partial<Sizes>) => {
    kept.sizes = { ...kept.sizes, ...numbers(some) }
    store('gcnsim-panes', kept.sizes)
    choose(kept.sizes)
  }
  const toggle = (p: Pane) => {
    if (!side) {
      setTab(p)
      return scrollTo(0, 0)
    }
    const rest = list.filter(q => !folded.includes(q) || q === p)
    const closed = folded.includes(p) ? folded.filter(q => q !== p) : [...folded, p]
    if (!rest.some(q => q !== p)) return // the last one stays
    kept.closed = closed
    fold(closed)
  }
  return {
    list,
    sizes,
    classes: `${folded.map(p => `no-${p}`).join(' ')} tab-${tab}${sizes.zoom > 100 ? ' large' : ''}`,
    style: {
      '--text-width': `${sizes.text}%`,
      '--code-width': `${sizes.code}%`,
      '--touched': `${sizes.touched}%`,
      '--zoom': `${sizes.zoom / 100}`,
    },
    shows: p => (side ? !folded.includes(p) : tab === p),
    show: setTab,
    toggle,
    resize,
  }
}

/** PaneBar opens and closes panes, and draws the machine smaller or larger. */
export function PaneBar({ panes }: { panes: Panes }) {
  const zoom = panes.sizes.zoom
  return (
    <span class="panes">
      <span role="group" aria-label="panes">
        {panes.list.map(p => (
          <button id={p} aria-pressed={panes.shows(p)} onClick={() => panes.toggle(p)}>
            {p}
          </button>
        ))}
      </span>
      {panes.shows('machine') && (
        <span role="group" aria-label="size of the machine" class="zoom">
          {[
            { id: 'smaller', text: '−', title: 'smaller (-)', to: zoom - zoomStep, end: zoom === limits.zoom.least },
            { id: 'size', text: `${zoom} %`, title: 'as large as the text (0)', to: 100, end: false },
            { id: 'larger', text: '+', title: 'larger (+)', to: zoom + zoomStep, end: zoom === limits.zoom.most },
          ].map(b => (
            <button
              id={b.id}
              aria-label={b.id === 'size' ? undefined : b.id}
              title={b.title}
              aria-disabled={b.end}
              onClick={() => panes.resize({ zoom: b.to })}
            >
              {b.text}
            </button>
          ))}
        </span>
      )}
    </span>
  )
}

/** zoomKeys acts on keys of the machine that draw it larger and smaller. */
export function zoomKeys({ sizes, resize }: Panes, e: KeyboardEvent) {
  const to = { '+': sizes.zoom + zoomStep, '-': sizes.zoom - zoomStep, '0': 100 }[e.key]
  if (to === undefined || e.ctrlKey || e.metaKey || e.altKey || (e.target as Element).matches('input, select')) return
  e.preventDefault()
  resize({ zoom: to })
}

/** Divider lies behind the pane whose size it changes: it is dragged, or moved by keys. */
export function Divider({ of: size, label, panes }: { of: keyof Sizes; label: string; panes: Panes }) {
  const flat = size === 'touched' // between panes that lie above each other
  const { least, most } = limits[size]
  const now = panes.sizes[size]
  const to = (v: number) => panes.resize({ [size]: v })
  return (
    <div
      class={`divider ${size}-divider`}
      role="separator"
      aria-orientation={flat ? 'horizontal' : 'vertical'}
      aria-label={label}
      aria-valuemin={least}
      aria-valuemax={most}
      aria-valuenow={Math.round(now)}
      tabIndex={0}
      title={`drag it, or press ${flat ? '↑ and ↓' : '← and →'}`}
      onPointerDown={e => e.currentTarget.setPointerCapture(e.pointerId)}
      onPointerMove={e => {
        if (!e.currentTarget.hasPointerCapture(e.pointerId)) return
        const box = e.currentTarget.parentElement!.getBoundingClientRect()
        to(flat ? (100 * (e.clientY - box.top)) / box.height : (100 * (e.clientX - box.left)) / box.width)
      }}
      onKeyDown={e => {
        const [less, more] = flat ? ['ArrowUp', 'ArrowDown'] : ['ArrowLeft', 'ArrowRight']
        const v = { [less]: now - 4, [more]: now + 4, Home: least, End: most }[e.key]
        if (v === undefined) return
        e.preventDefault()
        to(v)
      }}
    />
  )
}

/** reveal scrolls what is around e as little as shows it, from its beginning if it is too high. */
export function reveal(e: Element) {
  let room = e.parentElement
  while (room?.parentElement && getComputedStyle(room).overflowY === 'visible') room = room.parentElement
  const high = e.getBoundingClientRect().height > Math.min(room?.clientHeight ?? innerHeight, innerHeight) * 0.7
  e.scrollIntoView({ block: high ? 'start' : 'nearest' })
}
