// The page: playground, lessons and handbook.

import { render } from 'preact'
import { useCallback, useEffect, useMemo, useState } from 'preact/hooks'
import { Gallery, LessonList, LessonPage } from './course'
import { Drop, Opened, type Dropped } from './drop'
import { open } from './engine'
import { Handbook, type Chapter } from './handbook'
import { PaneBar, reveal, usePanes } from './panes'
import { Playground, type Info } from './playground'
import { forget, keep, progress, takeWork, type Work } from './progress'
import { first, shared, type Lesson, type Scenario } from './scenario'
import type { Place } from './viewer'

const engine = open()

/** embed is the lesson that the address asks for alone, as in "?embed=linear&step=3", for slides and other pages. */
const embed = new URLSearchParams(location.search).get('embed')

/** placeIn reads wave, step and lane, undefined if no step is named. */
function placeIn(q: URLSearchParams): Place | undefined {
  if (!q.has('step')) return undefined
  const n = (name: string) => Math.max(0, Math.floor(Number(q.get(name)) || 0))
  return { wave: n('wave'), step: n('step'), lane: Math.min(n('lane'), 63) }
}

/**
 * where is where the address leads: "", "playground", "lessons", "lesson/NAME", "handbook/CHAPTER" or "rule/ID"; s=… is a
 * shared scenario, work=… what somebody made of exercises. What follows "&" is the place in its run.
 */
function useWhere(): string {
  const [hash, setHash] = useState(location.hash.replace(/&.*/, ''))
  useEffect(() => {
    const changed = () => {
      setHash(location.hash.replace(/&.*/, ''))
      if (!location.hash.startsWith('#rule/')) scrollTo(0, 0)
    }
    addEventListener('hashchange', changed)
    return () => removeEventListener('hashchange', changed)
  }, [])
  return hash.replace(/^#\/?/, '')
}

function App() {
  const place = useWhere()
  const shown = useMemo(() => placeIn(new URLSearchParams(embed ? location.search : location.hash)), [place])
  const [info, setInfo] = useState<Info>()
  const [lessons, setLessons] = useState<Lesson[]>([])
  const [chapters, setChapters] = useState<Chapter[]>([])
  const [failed, setFailed] = useState('')
  const [start, setStart] = useState<Start>()
  useEffect(() => {
    const fail = (e: Error) => setFailed(e.message)
    engine.call<Info>('info', {}).then(setInfo, fail)
    engine.call<Lesson[]>('lessons', {}).then(setLessons, fail)
    engine.call<Chapter[]>('handbook', {}).then(setChapters, fail)
  }, [])
  useEffect(() => {
    const begin = (scenario: Scenario) => setStart({ at: place, scenario })
    if (place.startsWith('s='))
      shared(place.slice(2)).then(begin, () => {
        setFailed('the address holds no program, or is cut off')
        begin(first)
      })
    else if (place.startsWith('work='))
      shared<Work>(place.slice(5))
        .then(takeWork)
        .then(
          () => {
            setDone(progress())
            location.hash = '#/lessons'
          },
          () => setFailed('the address holds no work, or is cut off'),
        )
    else setStart(s => s ?? { at: place, scenario: first, example: { wave: 0, step: 2 } })
  }, [place])
  useEffect(() => {
    // What somebody opens comes into the window, once its content is there.
    const opened = ({ target }: Event) => {
      const e = target instanceof Element && target.closest('summary')?.parentElement
      const show = () => requestAnimationFrame(() => e && e.hasAttribute('open') && reveal(e))
      if (e) e.addEventListener('toggle', show, { once: true })
    }
    addEventListener('click', opened)
    return () => removeEventListener('click', opened)
  }, [])
  const [done, setDone] = useState(progress)
  const [opened, setOpened] = useState<Dropped & { at: string; id: number }>()
  const solved = useCallback(
    (key: string) =>
      setDone(old => {
        if (old.has(key)) return old
        const all = new Set(old).add(key)
        keep(all)
        return all
      }),
    [],
  )
  const moved = useCallback(({ wave, step, lane }: Required<Place>) => {
    if (embed) return
    const base = location.hash.replace(/&.*/, '')
    history.replaceState(history.state, '', `${base}&step=${step}&lane=${lane}${wave ? `&wave=${wave}` : ''}`)
  }, [])
  const lesson = embed
    ? lessons.find(l => l.name === embed || l.name.replace(/^\d+-/, '') === embed)
    : place.startsWith('lesson/')
      ? lessons.find(l => l.name === place.slice(7))
      : undefined
  const section =
    place.startsWith('lesson') || embed
      ? 'lessons'
      : /^(handbook|rule)/.test(place)
        ? 'handbook'
        : place === ''
          ? 'start'
          : 'playground'
  const plays = info && start && section === 'playground' && !(opened && !('scenario' in opened))
  const edit = (scenario: Scenario, example?: Place) => {
    setStart({ at: `${Date.now()}`, scenario, example })
    location.hash = '#/playground'
  }
  const take = (d: Dropped) => {
    setOpened({ ...d, at: place, id: Date.now() })
    if ('scenario' in d) edit(d.scenario)
  }
  useEffect(() => {
    if (opened && opened.at !== place && !('scenario' in opened)) setOpened(undefined)
  }, [place])
  useEffect(() => {
    document.title = `${lesson?.title ?? section[0].toUpperCase() + section.slice(1)} · gcnsim`
  }, [lesson, section])
  return (
    <>
      {embed === null && (
        <a
          class="skip"
          href="#main"
          onClick={e => {
            e.preventDefault()
            document.getElementById('main')?.focus()
          }}
        >
          to the content
        </a>
      )}
      {embed === null && (
        <header>
          <b class="brand">gcnsim</b>
          <nav aria-label="Sections">
            {[
              ['', 'Start'],
              ['playground', 'Playground'],
              ['lessons', 'Lessons'],
              ['handbook', 'Handbook'],
            ].map(([to, name]) => (
              <a href={`#/${to}`} aria-current={section === name.toLowerCase() ? 'page' : undefined}>
                {name}
              </a>
            ))}
          </nav>
          {info && <Drop engine={engine} opened={take} />}
        </header>
      )}
      <main id="main" tabIndex={-1} class={lesson || plays ? 'wide full' : section === 'playground' ? 'wide' : ''}>
        {failed && (
          <p class="problem" role="alert">
            {failed}
          </p>
        )}
        {!info && !failed && <Loading />}
        {opened && 'note' in opened && opened.note && section === 'playground' && <p class="note">{opened.note}</p>}
        {opened && !('scenario' in opened) && <Opened what={opened} edit={edit} engine={engine} key={opened.id} />}
        {info && section === 'start' && !opened && <Gallery lessons={lessons} done={done} />}
        {plays && (
          <Play key={start.at} info={info} start={start} place={shown} moved={moved} lessons={lessons} choose={edit} />
        )}
        {info &&
          section === 'lessons' &&
          !opened &&
          (lesson ? (
            <LessonPage
              key={lesson.name}
              engine={engine}
              lesson={lesson}
              lessons={lessons}
              info={info}
              done={done}
              solved={solved}
              place={shown}
              moved={moved}
              embedded={embed !== null}
            />
          ) : embed !== null && lessons.length > 0 ? (
            <p class="problem" role="alert">
              There is no lesson “{embed}”: give one of {lessons.map(l => l.name.replace(/^\d+-/, '')).join(', ')}.
            </p>
          ) : (
            <LessonList
              lessons={lessons}
              done={done}
              forget={() => {
                forget()
                setDone(new Set())
              }}
            />
          ))}
        {section === 'handbook' && chapters.length > 0 && <Handbook chapters={chapters} place={place} />}
      </main>
    </>
  )
}

/** Start is what the playground begins with: at is the address that it is from, an example begins with its run. */
interface Start {
  at: string
  scenario: Scenario
  example?: Place
}

interface PlayProps {
  info: Info
  start: Start
  place?: Place
  moved: (p: Required<Place>) => void
  lessons: Lesson[]
  choose: (s: Scenario, shown: Place) => void
}

/** Play is the playground, with the programs of lessons as examples. */
function Play({ info, start, place, moved, lessons, choose }: PlayProps) {
  const panes = usePanes(['code', 'machine'])
  return (
    <div class={`workbench ${panes.classes}`} style={panes.style}>
      <div class="switch actions">
        <h1>Playground</h1>
        <PaneBar panes={panes} />
        <select
          id="examples"
          aria-label="examples"
          onChange={e => {
            const l = lessons[+e.currentTarget.value]
            if (l) choose(l.scenario, { wave: l.wave, step: l.start })
            else choose(first, { wave: 0, step: 2 })
          }}
        >
          <option value="">an example…</option>
          <option value="-1">squares of floats</option>
          {lessons.map((l, i) => (
            <option value={i}>{l.title}</option>
          ))}
        </select>
        <span class="hint">v0 holds the number of the lane.</span>
      </div>
      <Playground
        engine={engine}
        info={info}
        start={start.scenario}
        first={place ?? start.example ?? { wave: 0, step: 0 }}
        autorun={start.example !== undefined}
        moved={moved}
        panes={panes}
        changed={s => {
          start.scenario = s
          start.example = undefined
        }}
      />
    </div>
  )
}

/** Loading says how far the simulator is loaded. */
function Loading() {
  const [part, setPart] = useState(0)
  useEffect(() => engine.loading?.(setPart), [])
  return (
    <p role="status">
      <label>
        The simulator is being loaded… <progress max={1} value={part || undefined} />
        {part > 0 && ` ${Math.round(part * 100)} %`}
      </label>
    </p>
  )
}

const root = document.getElementById('gcnsim-page')
if (root) {
  root.replaceChildren() // the frame that is painted before this script is there
  render(<App />, root)
}
