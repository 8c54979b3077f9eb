// The course: its list, and a lesson with its variants and exercises beside the machine.

import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { Engine } from './engine'
import { citations, glossary, many } from './facts'
import { Prose } from './handbook'
import { Divider, PaneBar, reveal, usePanes } from './panes'
import { Picture } from './picture'
import { Playground, type Info } from './playground'
import { keepProgram, keepTry, ownProgram, work, type Progress } from './progress'
import {
  change,
  download,
  share,
  type Exercise,
  type Lesson,
  type Scenario,
  type Verdict,
  type WhatIf,
} from './scenario'
import type { Place } from './viewer'

const solvedOf = (l: Lesson, done: Progress) => l.exercises.filter((_, i) => done.has(`${l.name}/${i}`)).length

/** parts returns the lessons by the part of the course. */
function parts(lessons: Lesson[]): [string, Lesson[]][] {
  const by = new Map<string, Lesson[]>()
  for (const l of lessons) by.set(l.part, [...(by.get(l.part) ?? []), l])
  return [...by]
}

/** LessonList lists the lessons by parts, with what one has solved. */
export function LessonList({ lessons, done, forget }: { lessons: Lesson[]; done: Progress; forget: () => void }) {
  const all = lessons.reduce((n, l) => n + l.exercises.length, 0)
  const solved = lessons.reduce((n, l) => n + solvedOf(l, done), 0)
  const [to, setTo] = useState('')
  const link = async () => setTo(`${location.href.replace(/#.*/, '')}#work=${await share(work())}`)
  return (
    <>
      <h1>Lessons</h1>
      <p>
        Each has a program that runs, changes to try, a question, and exercises that the simulator checks. The parts
        build on one another; within a part any order will do.
      </p>
      {lessons.length === 0 && <p role="status">The lessons are loading…</p>}
      {all > 0 && (
        <p class="actions">
          <label>
            <progress max={all} value={solved} /> {solved} of {all} exercises solved
          </label>{' '}
          <button id="hand-in" onClick={() => download('hand-in.json', work())}>
            hand in
          </button>{' '}
          <button id="work" onClick={() => void link()}>
            link to my work
          </button>{' '}
          {solved > 0 && <button onClick={forget}>begin anew</button>}
        </p>
      )}
      {to && (
        <p>
          <label>
            link{' '}
            <input class="link" readOnly value={to} ref={e => e?.focus()} onFocus={e => e.currentTarget.select()} />
          </label>
        </p>
      )}
      {parts(lessons).map(([name, list]) => (
        <section>
          <h2>{name}</h2>
          <ol class="contents">
            {list.map(l => (
              <li>
                <a href={`#/lesson/${l.name}`}>{l.title}</a>{' '}
                <span class="note">
                  {l.minutes} min, {solvedOf(l, done)} of {many(l.exercises.length, 'exercise')} solved
                  {solvedOf(l, done) === l.exercises.length && ' ✓'}
                </span>
              </li>
            ))}
          </ol>
        </section>
      ))}
    </>
  )
}

/** Gallery is the start: a card with a picture for the playground, each lesson, and the handbook. */
export function Gallery({ lessons, done }: { lessons: Lesson[]; done: Progress }) {
  return (
    <>
      <h1>See what a wave does</h1>
      <p>
        gcnsim runs the memory unit of a GCN wavefront. Write assembly and step through it in the{' '}
        <a href="#/playground">playground</a>, take the <a href="#/lessons">lessons</a>, look things up in the{' '}
        <a href="#/handbook">handbook</a>, or drop a code object, a program, a request or a record on this page.
      </p>
      {lessons.length === 0 && <p role="status">The lessons are loading…</p>}
      {parts(lessons).map(([name, list]) => (
        <section>
          <h2>{name}</h2>
          <ul class="cards">
            {list.map(l => (
              <li>
                <a class="card" href={`#/lesson/${l.name}`}>
                  <Picture rows={l.picture} />
                  <b>{l.title}</b>
                  <span class="note">
                    {l.minutes} min{solvedOf(l, done) > 0 && `, ${solvedOf(l, done)} of ${l.exercises.length} solved`}
                  </span>
                </a>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </>
  )
}

/** Solution shows what a change does to the program and to what it finds. */
function Solution({ of: s }: { of: WhatIf }) {
  return (
    <>
      {s.replace?.map(([from, to]) => (
        <pre tabIndex={0}>
          {from
            .trimEnd()
            .split('\n')
            .map(line => `- ${line}\n`)}
          {to &&
            to
              .trimEnd()
              .split('\n')
              .map(line => `+ ${line}\n`)}
        </pre>
      ))}
      {s.changes && (
        <ul>
          {s.changes.map(line => (
            <li>
              <code>{line}</code>
            </li>
          ))}
        </ul>
      )}
    </>
  )
}

/** State says how a run stands to an exercise: in words and with a sign, since colour alone is not enough. */
function Stands({ v, solved }: { v?: Verdict; solved: boolean }) {
  if (!v) return <span class="note">{solved ? 'Solved before.' : 'Not tried yet.'}</span>
  return (
    <span class={`verdict ${v.ok ? 'right' : 'wrong'}`}>
      {v.ok ? '✓' : '✗'} {v.say}
    </span>
  )
}

interface Props {
  engine: Engine
  info: Info
  lesson: Lesson
  lessons: Lesson[]
  done: Progress
  solved: (key: string) => void
  /** place is what the address asks to be shown, if it does. */
  place?: Place
  moved: (p: Required<Place>) => void
  embedded?: boolean
}

export function LessonPage({ engine, info, lesson: l, lessons, done, solved, place, moved, embedded }: Props) {
  const [answers, setAnswers] = useState(true) // on paper
  const [tried, setTried] = useState(-1) // a variant, or behind these a solution
  const [own, setOwn] = useState(() => (embedded ? undefined : ownProgram(l.name))) // what the reader made of it
  const [mine, setMine] = useState(own !== undefined) // that is shown
  const [round, setRound] = useState(0) // another one begins with another scenario
  const [verdicts, setVerdicts] = useState<(Verdict | undefined)[]>([])
  const variants = useMemo(() => [...l.what_if, ...l.exercises.map(x => x.solution)], [l])
  const variant: WhatIf | undefined = variants[tried]
  const scenario = useMemo(
    () => (mine && own ? own : variant ? change(l.scenario, variant) : l.scenario),
    [round, l], // what the reader types is the playground's
  )
  const edited = useCallback(
    (s: Scenario) => {
      setOwn(s)
      setMine(true)
      keepProgram(l.name, s)
    },
    [l],
  )
  const wants = useMemo(() => l.exercises.map(x => x.want), [l])
  const i = lessons.indexOf(l)
  const panes = usePanes(embedded ? ['code', 'machine'] : ['text', 'code', 'machine'], embedded ? ['code'] : [])
  const bar = useRef<HTMLDivElement>(null)
  const run = useRef<HTMLDivElement>(null)
  const text = useRef<HTMLElement>(null)
  useLayoutEffect(() => {
    // What sticks below the switch of a narrow window must know its height.
    const seen = new ResizeObserver(() =>
      bar.current?.parentElement?.style.setProperty('--switch', `${bar.current.offsetHeight}px`),
    )
    if (bar.current) seen.observe(bar.current)
    return () => seen.disconnect()
  }, [])
  const attempt = (k: number, mine = false) => {
    // The room of the run stays while the next one replaces it.
    if (run.current) run.current.style.minHeight = `${run.current.offsetHeight}px`
    panes.show('machine')
    setTried(k)
    setMine(mine)
    setRound(n => n + 1)
  }
  const ran = () => {
    if (run.current) run.current.style.minHeight = ''
  }
  useEffect(() => {
    const say = text.current?.querySelector('.verdict')
    if (say && mine) reveal(say)
  }, [verdicts])
  const judged = useCallback(
    (list: Verdict[], changed: boolean, ran: Scenario) => {
      const own = changed || mine
      setVerdicts(own ? list : list.map(v => (v.ok ? v : undefined))) // who tried nothing did nothing wrong
      if (!own) return
      list.forEach((verdict, k) => {
        keepTry(l.name, k, { scenario: { ...ran, wants: undefined }, verdict })
        if (verdict.ok) solved(`${l.name}/${k}`)
      })
    },
    [round, l],
  )
  const start: Place = tried < 0 && place ? place : { wave: l.wave, step: variant?.start || l.start, lane: place?.lane }
  const rules = [
    ...new Set(
      citations([l.text, l.question, l.answer, ...l.what_if.map(w => w.say)].join(' ')).flatMap(c => c.id ?? []),
    ),
  ]
  return (
    <article
      class={`lesson workbench ${panes.classes}${embedded ? ' embedded' : ''}${answers ? '' : ' no-answers'}`}
      style={panes.style}
    >
      {embedded && <h1>{l.title}</h1>}
      <div class="switch actions" ref={bar} role="group" aria-labelledby="what-if">
        <PaneBar panes={panes} />
        <h2 id="what-if">What if</h2>
        <button aria-pressed={!mine && tried < 0} onClick={() => attempt(-1)}>
          as it was
        </button>
        {own && (
          <button aria-pressed={mine} onClick={() => attempt(-1, true)}>
            yours
          </button>
        )}
        {l.what_if.map((w, k) => (
          <button aria-pressed={!mine && tried === k} onClick={() => attempt(k)}>
            {w.label}
          </button>
        ))}
        {!embedded && verdicts.some(v => v) && (
          <span class="verdicts">
            {verdicts.map(
              (v, k) =>
                v && (
                  <span class={`verdict ${v.ok ? 'right' : 'wrong'}`} title={`${l.exercises[k].task}\n${v.say}`}>
                    {v.ok ? '✓' : '✗'} {k + 1}
                  </span>
                ),
            )}
          </span>
        )}
        <div role="status">{variant && <Prose text={variant.say} />}</div>
      </div>
      {!embedded && (
        <section class="pane text-pane" ref={text} tabIndex={0} aria-label="Lesson">
          <Prose text={l.text} />
          <p class="note about">
            {l.part}, about {l.minutes} minutes. What it is for:{' '}
            {l.for
              .replace(/\.$/, '')
              .split('`')
              .map((x, k) => (k % 2 ? <code>{x}</code> : x))}
            . Rules:{' '}
            {rules.map((id, k) => (
              <>
                {k > 0 && ', '}
                <a href={`#rule/${id}`}>{id}</a>
              </>
            ))}
            .{' '}
            <label class="paper">
              <input type="checkbox" checked={answers} onChange={e => setAnswers(e.currentTarget.checked)} /> with
              answers on paper
            </label>
          </p>
          {i === 0 && (
            <details class="glossary">
              <summary>Words</summary>
              <dl>
                {Object.entries(glossary).map(([word, meaning]) => (
                  <>
                    <dt>
                      <b>{word}</b>
                    </dt>
                    <dd>{meaning}</dd>
                  </>
                ))}
              </dl>
            </details>
          )}
          <section class="question">
            <h2>Question</h2>
            <Prose text={l.question} />
            {l.answer && (
              <>
                <details>
                  <summary>Answer</summary>
                  <Prose text={l.answer} />
                </details>
                <div class="printed">
                  <h3>Answer</h3>
                  <Prose text={l.answer} />
                </div>
              </>
            )}
          </section>
          <section class="question exercises">
            <h2>Exercises</h2>
            <p class="hint">Change the program or what it finds, and run: Ctrl+Enter in the editor.</p>
            <ol>
              {l.exercises.map((x: Exercise, k) => (
                <li>
                  <Prose text={x.task} />
                  <p role="status">
                    <Stands v={verdicts[k]} solved={done.has(`${l.name}/${k}`)} />
                  </p>
                  {x.solution.say && (
                    <>
                      {[x.hint, x.solution.say].filter(Boolean).map((hint, h) => (
                        <details>
                          <summary>{h > 0 ? 'Another hint' : 'A hint'}</summary>
                          <Prose text={hint} />
                        </details>
                      ))}
                      <details>
                        <summary>A solution</summary>
                        <Solution of={x.solution} />
                        <button onClick={() => attempt(l.what_if.length + k)}>run it</button>
                      </details>
                      <div class="printed">
                        <b>A solution</b>
                        <Prose text={x.solution.say} />
                        <Solution of={x.solution} />
                      </div>
                    </>
                  )}
                </li>
              ))}
            </ol>
          </section>
          <nav class="turn" aria-label="Other lessons">
            {i > 0 && <a href={`#/lesson/${lessons[i - 1].name}`}>← {lessons[i - 1].title}</a>}{' '}
            {i + 1 < lessons.length && <a href={`#/lesson/${lessons[i + 1].name}`}>{lessons[i + 1].title} →</a>}
          </nav>
        </section>
      )}
      {!embedded && <Divider of="text" label="width of the text" panes={panes} />}
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
      <div class="run" ref={run}>
        <Playground
          key={round}
          engine={engine}
          info={info}
          start={scenario}
          first={start}
          autorun
          ran={ran}
          wants={wants}
          judged={judged}
          changed={embedded ? undefined : edited}
          moved={moved}
          panes={panes}
          base={{ name: 'as it was', scenario: l.scenario, wave: l.wave, step: l.start }}
        />
      </div>
      {embedded && (
        <p class="whole">
          <a href={`${location.pathname}#/lesson/${l.name}`} target="_blank" rel="noopener">
            the whole lesson
          </a>
        </p>
      )}
    </article>
  )
}
