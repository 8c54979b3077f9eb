// The viewer in a report: the record is in the page.

import { render } from 'preact'
import { read } from './record'
import { Viewer, type Extra, type Place } from './viewer'

const text = (id: string) => document.getElementById(id)?.textContent ?? ''
const root = document.getElementById('gcnsim-viewer')

/** keep puts what is shown into the address, so that it leads there again. */
function keep({ wave, step, lane }: Required<Place>) {
  history.replaceState(history.state, '', `#wave=${wave}&step=${step}&lane=${lane}`)
}

async function start() {
  if (!root) return
  const record = await read(Uint8Array.from(atob(text('gcnsim-record').trim()), c => c.charCodeAt(0)))
  // A link can lead to a place: report.html#wave=1&step=20.
  const place = new URLSearchParams(location.hash.slice(1))
  const start = {
    wave: Math.min(Number(place.get('wave')) || 0, Math.max(record.windows.length - 1, 0)),
    step: Number(place.get('step')) || 0,
    lane: Math.min(Number(place.get('lane')) || 0, 63),
  }
  const extra = JSON.parse(text('gcnsim-extra')) as Extra
  render(<Viewer record={record} extra={extra} start={start} moved={keep} debug={text('gcnsim-debug')} />, root)
}

start().catch((e: unknown) => {
  if (root) root.textContent = `The record cannot be shown: ${e instanceof Error ? e.message : e}`
})
