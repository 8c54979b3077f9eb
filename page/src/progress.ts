// What one has done of the course and how one arranged the page, kept in the browser.

import type { Scenario, Verdict } from './scenario'

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

const tries = 'gcnsim-tries'

/** Try is a program that somebody ran for an exercise, and what the page said of it. */
interface Try {
  scenario: Scenario
  verdict: Verdict
}

/** Work are the tries of all exercises, by "lesson/number" with numbers from 1. gcnsim grade reads it as a file. */
export interface Work {
  gcnsim: string
  exercises: { [exercise: string]: Try }
}

const format = 'hand-in 1'

/** work is what the browser keeps. */
export function work(): Work {
  return { gcnsim: format, exercises: (stored(tries) ?? {}) as Work['exercises'] }
}

/** keepTry keeps a try of exercise k of a lesson, unless an earlier one solved it and this one does not. */
export function keepTry(lesson: string, k: number, t: Try) {
  const all = work().exercises
  const name = `${lesson}/${k + 1}`
  if (t.verdict.ok || !all[name]?.verdict.ok) store(tries, { ...all, [name]: t })
}

/** takeWork adds the work of a link or a file to what the browser keeps. */
export function takeWork(w: Work) {
  if (w.gcnsim !== format) throw new Error('this is no hand-in of the page')
  const solved = new Set(progress())
  for (const [name, t] of Object.entries(w.exercises)) {
    const [lesson, number] = name.split('/')
    const k = Number(number) - 1
    keepTry(lesson, k, t)
    if (t.verdict.ok) solved.add(`${lesson}/${k}`)
    if (!ownProgram(lesson)) keepProgram(lesson, t.scenario)
  }
  keep(solved)
}

/** forget forgets what was solved, and the programs. */
export function forget() {
  store(tries, {})
  keep(new Set())
  store(programs, {})
}
