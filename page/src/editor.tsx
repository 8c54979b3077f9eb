// The editor: colours, completion of mnemonics, and errors at their line.

import { autocompletion, completeFromList, completionKeymap } from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { HighlightStyle, StreamLanguage, syntaxHighlighting } from '@codemirror/language'
import { lintGutter, lintKeymap, setDiagnostics, type Diagnostic } from '@codemirror/lint'
import { Compartment, EditorState } from '@codemirror/state'
import { EditorView, drawSelection, highlightActiveLine, keymap, lineNumbers } from '@codemirror/view'
import { tags } from '@lezer/highlight'
import { useEffect, useRef } from 'preact/hooks'

const language = StreamLanguage.define({
  token(s) {
    if (s.eatSpace()) return null
    if (s.match(/^(\/\/|;|#).*/)) return 'comment'
    if (s.match(/^[A-Za-z_.$][\w.$]*:/)) return 'labelName'
    if (s.match(/^\.[A-Za-z]\w*/)) return 'meta'
    if (s.match(/^(v|s|ttmp)(\d+\b|\[)/) || s.match(/^(vcc|exec|m0|scc|flat_scratch)(_lo|_hi)?\b/))
      return 'variableName'
    if (s.match(/^-?0x[\da-f]+/i) || s.match(/^-?\d+(\.\d+)?/)) return 'number'
    if (s.match(/^[a-z]\w*_\w+/)) return 'keyword'
    if (s.match(/^[a-z]\w*/)) return 'propertyName'
    s.next()
    return null
  },
})

const colours = HighlightStyle.define([
  { tag: tags.keyword, color: 'var(--code-op)', fontWeight: '600' },
  { tag: tags.variableName, color: 'var(--code-reg)' },
  { tag: tags.number, color: 'var(--code-num)' },
  { tag: tags.comment, color: 'var(--dim)', fontStyle: 'italic' },
  { tag: tags.labelName, color: 'var(--accent)' },
  { tag: tags.meta, color: 'var(--accent)' },
  { tag: tags.propertyName, color: 'var(--text)' },
])

export interface TextError {
  line: number
  col: number
  message: string
}

interface Props {
  start: string
  onChange: (text: string) => void
  names: string[]
  errors: TextError[]
  run: () => void
}

/**
 * Editor is a CodeMirror that begins with the text start. From then on the text is the editor's alone: it reports
 * each change and never takes one back, since what comes back is older than what was typed meanwhile. Another text
 * takes another Editor, with another key. Escape, then Tab, leaves it.
 */
export function Editor({ start, onChange, names, errors, run }: Props) {
  const box = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView | undefined>(undefined)
  const latest = useRef({ onChange, run })
  latest.current = { onChange, run }
  const complete = useRef(new Compartment())
  useEffect(() => {
    view.current = new EditorView({
      parent: box.current!,
      state: EditorState.create({
        doc: start,
        extensions: [
          lineNumbers(),
          history(),
          drawSelection(),
          highlightActiveLine(),
          lintGutter(),
          language,
          syntaxHighlighting(colours),
          complete.current.of([]),
          keymap.of([
            {
              key: 'Mod-Enter',
              run: () => {
                latest.current.run()
                return true
              },
            },
            ...completionKeymap,
            ...lintKeymap,
            ...historyKeymap,
            ...defaultKeymap,
          ]),
          EditorView.contentAttributes.of({ 'aria-label': 'program', 'aria-multiline': 'true', tabindex: '0' }),
          EditorView.updateListener.of(u => {
            if (u.docChanged) latest.current.onChange(u.state.doc.toString())
          }),
        ],
      }),
    })
    return () => view.current?.destroy()
  }, [])
  useEffect(() => {
    view.current?.dispatch({
      effects: complete.current.reconfigure(
        autocompletion({ override: [completeFromList(names.map(label => ({ label, type: 'keyword' })))] }),
      ),
    })
  }, [names])
  useEffect(() => {
    const v = view.current
    if (!v) return
    const found: Diagnostic[] = errors
      .filter(e => e.line >= 1 && e.line <= v.state.doc.lines)
      .map(e => {
        const line = v.state.doc.line(e.line)
        return {
          from: Math.min(line.from + Math.max(e.col - 1, 0), line.to),
          to: line.to,
          severity: 'error',
          message: e.message,
        }
      })
    v.dispatch(setDiagnostics(v.state, found))
  }, [errors])
  return <div class="editor" ref={box} />
}
