// What one has done of the course and how one arranged the page, kept in the browser.

/** stored reads what is kept under a name; undefined if nothing is, or if the browser keeps nothing for the page. */
export function stored(name: string): unknown {
  try {
    return JSON.parse(localStorage.getItem(name) ?? 'null') ?? undefined
  } catch {
    return undefined
  }
}

/** store keeps a value under a name. */
export function store(name: string, value: unknown) {
  try {
    localStorage.setItem(name, JSON.stringify(value))
  } catch {
    // then it holds until the page is closed
  }
}

const key = 'gcnsim-course'

/** Progress are the exercises that were solved, as "lesson/number". */
export type Progress = ReadonlySet<string>

/** progress reads what is kept. */
export function progress(): Progress {
  const list = stored(key)
  return new Set(Array.isArray(list) ? list.map(String) : [])
}

/** keep keeps what was solved. */
export function keep(p: Progress) {
  store(key, [...p])
}
