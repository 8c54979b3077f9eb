// The handbook, and other Markdown of the project: chapters and lessons.

import { marked } from 'marked'
import { useEffect, useMemo } from 'preact/hooks'
import { citations } from './facts'

export interface Rule {
  ID: string
  Title: string
  Chapter: string
}
export interface Chapter {
  Name: string
  Title: string
  Text: string
  Rules: Rule[] | null
}

/** html renders Markdown of the project: rules that it cites become links, identifiers of headings anchors. */
function html(text: string): string {
  const linked = text
    .replace(
      /!\[([^\]]*)\]\((\w+)\.svg\)/g,
      '<div class="scroll shown" tabindex="0" role="group" aria-label="Picture $2"><img src="$2.svg" alt="$1"></div>',
    )
    .replace(/\]\((\w+)\.md(#\w+)?\)/g, (_, chapter: string, id?: string) =>
      id ? `](#rule/${id.slice(1)})` : `](#/handbook/${chapter})`,
    )
  const cited = citations(linked)
    .map(p => (p.id ? `[${p.id}](#rule/${p.id})` : p.text))
    .join('')
  const out = marked.parse(cited, { async: false }) as string
  return out
    .replace(/<table>/g, '<div class="scroll" tabindex="0" role="group" aria-label="Table"><table>')
    .replace(/<\/table>/g, '</table></div>')
    .replace(/<pre>/g, '<pre tabindex="0">')
    .replace(/<h(\d)>(.*?) \{#(\w+)\}<\/h\1>/g, '<h$1 id="rule-$3" tabindex="-1">$2</h$1>')
    .replace(/<(\/?)h3/g, (h, end: string) => (out.includes('<h2') ? h : `<${end}h2`)) // no level is left out
}

/** Prose shows Markdown that is part of the project. */
export function Prose({ text }: { text: string }) {
  const __html = useMemo(() => html(text), [text])
  return <div class="prose" dangerouslySetInnerHTML={{ __html }} />
}

/** Handbook shows the list of chapters, a chapter, or a rule in its chapter. */
export function Handbook({ chapters, place }: { chapters: Chapter[]; place: string }) {
  const id = place.startsWith('rule/') ? place.slice(5) : ''
  const chapter = id
    ? chapters.find(c => c.Rules?.some(r => r.ID === id))
    : chapters.find(c => c.Name === place.slice('handbook/'.length))
  useEffect(() => {
    const heading = id && document.getElementById(`rule-${id}`)
    if (!heading) return
    const show = () => heading.scrollIntoView()
    show()
    heading.focus({ preventScroll: true })
    // Images that come later move what follows them.
    const late = [...document.querySelectorAll<HTMLImageElement>('.handbook img')].filter(i => !i.complete)
    for (const i of late) i.addEventListener('load', show)
    return () => {
      for (const i of late) i.removeEventListener('load', show)
    }
  }, [id, chapter])
  return (
    <div class="handbook">
      <nav aria-label="Chapters">
        <ul>
          {chapters.map(c => (
            <li>
              <a href={`#/handbook/${c.Name}`} aria-current={c === chapter ? 'page' : undefined}>
                {c.Title}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      {chapter ? (
        <Prose text={chapter.Text} />
      ) : (
        <div class="prose">
          <h1>Handbook</h1>
          <p>What the hardware does, rule by rule, with who says so and how sure it is.</p>
          <ul>
            {chapters.map(c => (
              <li>
                <a href={`#/handbook/${c.Name}`}>{c.Title}</a>, {c.Rules?.length ?? 0} rules
              </li>
            ))}
          </ul>
        </div>
      )}
    </div>
  )
}
