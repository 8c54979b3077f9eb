// What one has done of the course, kept in the browser.

const key = 'gcnsim-course'

/** Progress are the exercises that were solved, as "lesson/number". */
export type Progress = ReadonlySet<string>

/** progress reads what is kept; a browser that keeps nothing for the page has none. */
export function progress(): Progress {
  try {
    const list: unknown = JSON.parse(localStorage.getItem(key) ?? '[]')
    return new Set(Array.isArray(list) ? list.map(String) : [])
  } catch {
    return new Set()
  }
}

/** keep keeps what was solved. */
export function keep(p: Progress) {
  try {
    localStorage.setItem(key, JSON.stringify([...p]))
  } catch {
    // then it holds until the page is closed
  }
}
