// What is shown only if one asks for it.

import type { ComponentChildren, VNode } from 'preact'
import { useState } from 'preact/hooks'

/** Details makes its content when it is opened, so that what is closed costs nothing at each step. */
export function Details({ name, content, ...rest }: { name: ComponentChildren; content: () => VNode; class?: string }) {
  const [open, setOpen] = useState(false)
  return (
    <details {...rest} onToggle={e => setOpen(e.currentTarget.open)}>
      <summary>{name}</summary>
      {open && content()}
    </details>
  )
}
