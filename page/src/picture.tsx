// The small picture of a lesson: where the lanes of its step go, or which of them are on.

const cell = 8

/** Picture draws rows of letters: a letter is a colour, a dot nothing. It says nothing to screen readers. */
export function Picture({ rows }: { rows: string[] }) {
  const columns = Math.max(1, ...rows.map(r => r.length))
  return (
    <svg
      class="card-picture"
      viewBox={`0 0 ${columns * cell} ${Math.max(rows.length, 4) * cell}`}
      aria-hidden="true"
      preserveAspectRatio="xMidYMid meet"
    >
      {rows.flatMap((row, y) =>
        [...row].map((c, x) => (
          <rect
            x={x * cell + 0.5}
            y={y * cell + 0.5}
            width={cell - 1}
            height={cell - 1}
            rx={1}
            class={c === '.' ? 'nothing' : `fill${(c.charCodeAt(0) - 97) % 8}`}
          />
        )),
      )}
    </svg>
  )
}
