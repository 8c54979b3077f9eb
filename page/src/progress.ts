// What one has done of the course and how one arranged the page, kept in the browser.

import type { Scenario } from './scenario'

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

const programs = 'gcnsim-programs'

/** ownPrograms are the scenarios that somebody made of lessons, by the name of the lesson. */
function ownPrograms(): { [lesson: string]: Scenario } {
  const all = stored(programs)
  return typeof all === 'object' && !Array.isArray(all) ? (all as { [lesson: string]: Scenario }) : {}
}

/** ownProgram is the scenario that somebody made of a lesson, undefined if there is none. */
export function ownProgram(lesson: string): Scenario | undefined {
  const s = ownPrograms()[lesson]
  return typeof s?.asm === 'string' && typeof s.mcpu === 'string' ? s : undefined
}

/** keepProgram keeps what somebody made of a lesson. */
export function keepProgram(lesson: string, s: Scenario) {
  store(programs, { ...ownPrograms(), [lesson]: s })
}

/** forget forgets what was solved, and the programs. */
export function forget() {
  keep(new Set())
  store(programs, {})
}
