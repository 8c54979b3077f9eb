// The page: playground, lessons and handbook.

import { render } from 'preact'
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import { open } from './engine'
import { Handbook, Prose, type Chapter } from './handbook'
import { Playground, type Info } from './playground'
import { change, first, shared, type Lesson, type Scenario } from './scenario'

const engine = open()

/** place is where the address leads: "", "lesson/NAME", "handbook/CHAPTER" or "rule/ID"; s=… is a shared scenario. */
function usePlace(): string {
  const [hash, setHash] = useState(location.hash)
  useEffect(() => {
    const changed = () => {
      setHash(location.hash)
      if (!location.hash.startsWith('#rule/')) scrollTo(0, 0)
    }
    addEventListener('hashchange', changed)
    return () => removeEventListener('hashchange', changed)
  }, [])
  return hash.replace(/^#\/?/, '')
}

function App() {
  const place = usePlace()
  const [info, setInfo] = useState<Info>()
  const [lessons, setLessons] = useState<Lesson[]>([])
  const [chapters, setChapters] = useState<Chapter[]>([])
  const [failed, setFailed] = useState('')
  const [start, setStart] = useState<{ at: string; scenario: Scenario }>() // at is the address that it is from
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
    else setStart(s => s ?? { at: place, scenario: first })
  }, [place])
  const lesson = place.startsWith('lesson/') ? lessons.find(l => l.name === place.slice(7)) : undefined
  const section = place.startsWith('lesson') ? 'lessons' : /^(handbook|rule)/.test(place) ? 'handbook' : 'playground'
  useEffect(() => {
    document.title = `${lesson?.title ?? section[0].toUpperCase() + section.slice(1)} · gcnsim`
  }, [lesson, section])
  return (
    <>
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
      <header>
        <b class="brand">gcnsim</b>
        <nav aria-label="Sections">
          {[
            ['', 'Playground'],
            ['lessons', 'Lessons'],
            ['handbook', 'Handbook'],
          ].map(([to, name]) => (
            <a href={`#/${to}`} aria-current={section === name.toLowerCase() ? 'page' : undefined}>
              {name}
            </a>
          ))}
        </nav>
      </header>
      <main id="main" tabIndex={-1}>
        {failed && (
          <p class="problem" role="alert">
            {failed}
          </p>
        )}
        {!info && !failed && <p role="status">The simulator is being loaded…</p>}
        {info && section === 'playground' && start && (
          <>
            <h1>Playground</h1>
            <p>Write GCN assembly, run it on 64 lanes, and step through it. v0 holds the number of the lane.</p>
            <Playground
              key={start.at}
              engine={engine}
              info={info}
              start={start.scenario}
              first={0}
              changed={s => {
                start.scenario = s
              }}
            />
          </>
        )}
        {info &&
          section === 'lessons' &&
          (lesson ? (
            <LessonPage key={lesson.name} lesson={lesson} lessons={lessons} info={info} />
          ) : (
            <LessonList lessons={lessons} />
          ))}
        {section === 'handbook' && chapters.length > 0 && <Handbook chapters={chapters} place={place} />}
      </main>
    </>
  )
}

function LessonList({ lessons }: { lessons: Lesson[] }) {
  return (
    <>
      <h1>Lessons</h1>
      <p>Each has a program that runs, a question, and changes to try.</p>
      <ol class="contents">
        {lessons.length === 0 && <li role="status">The lessons are loading…</li>}
        {lessons.map(l => (
          <li>
            <a href={`#/lesson/${l.name}`}>{l.title}</a>
          </li>
        ))}
      </ol>
    </>
  )
}

/** topOfPicture returns where in the window the picture of a step begins: what it touched, when it ran, what it changed. */
function topOfPicture(run: Element | null): number | undefined {
  for (const picture of ['.access .scroll', '.texels figure', '.timeline .chart', '.changes']) {
    const found = run?.querySelector(`.viewer .now ${picture}`)
    if (found) return found.getBoundingClientRect().top
  }
  return undefined
}

function LessonPage({ lesson: l, lessons, info }: { lesson: Lesson; lessons: Lesson[]; info: Info }) {
  const [tried, setTried] = useState(-1)
  const scenario = useMemo(() => (tried < 0 ? l.scenario : change(l.scenario, l.what_if[tried])), [tried, l])
  const i = lessons.indexOf(l)
  const page = useRef<HTMLElement>(null)
  const bar = useRef<HTMLDivElement>(null)
  const run = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    // What sticks below the switch must know its height.
    const seen = new ResizeObserver(() => page.current?.style.setProperty('--switch', `${bar.current?.offsetHeight}px`))
    if (bar.current) seen.observe(bar.current)
    return () => seen.disconnect()
  }, [])
  const top = useRef<number | undefined>(undefined) // of the picture in the window, before the variant that runs
  const attempt = (k: number) => {
    // The room of the run stays while the next one replaces it, and the picture stays where one looks at it.
    if (run.current) run.current.style.minHeight = `${run.current.offsetHeight}px`
    top.current = topOfPicture(run.current)
    setTried(k)
  }
  const ran = () => {
    if (!run.current) return
    const from = top.current
    const to = topOfPicture(run.current)
    if (from !== undefined && to !== undefined && from > 0 && from < innerHeight) scrollBy(0, to - from)
    top.current = undefined
    run.current.style.minHeight = ''
  }
  return (
    <article class="lesson" ref={page}>
      <Prose text={l.text} />
      <section class="question">
        <h2>Question</h2>
        <Prose text={l.question} />
        <details>
          <summary>Answer</summary>
          <Prose text={l.answer} />
        </details>
        <div class="printed">
          <h3>Answer</h3>
          <Prose text={l.answer} />
        </div>
      </section>
      <div class="switch actions" ref={bar} role="group" aria-labelledby="what-if">
        <h2 id="what-if">What if</h2>
        <button aria-pressed={tried < 0} onClick={() => attempt(-1)}>
          as it was
        </button>
        {l.what_if.map((w, k) => (
          <button aria-pressed={tried === k} onClick={() => attempt(k)}>
            {w.label}
          </button>
        ))}
        <div role="status">{tried >= 0 && <Prose text={l.what_if[tried].say} />}</div>
      </div>
      <dl class="printed">
        {l.what_if.map(w => (
          <>
            <dt>{w.label}</dt>
            <dd>
              <Prose text={w.say} />
            </dd>
          </>
        ))}
      </dl>
      <div ref={run}>
        <Playground
          key={tried}
          engine={engine}
          info={info}
          start={scenario}
          first={(tried >= 0 && l.what_if[tried].start) || l.start}
          autorun
          ran={ran}
        />
      </div>
      <nav class="turn" aria-label="Other lessons">
        {i > 0 && <a href={`#/lesson/${lessons[i - 1].name}`}>← {lessons[i - 1].title}</a>}{' '}
        {i + 1 < lessons.length && <a href={`#/lesson/${lessons[i + 1].name}`}>{lessons[i + 1].title} →</a>}
      </nav>
    </article>
  )
}

const root = document.getElementById('gcnsim-page')
if (root) render(<App />, root)
