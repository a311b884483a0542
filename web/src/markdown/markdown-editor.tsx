import { TaskItem } from '@tiptap/extension-list/task-item'
import { TaskList } from '@tiptap/extension-list/task-list'
import { Placeholder } from '@tiptap/extension-placeholder'
import { Markdown } from '@tiptap/markdown'
import { type Editor, EditorContent, useEditor } from '@tiptap/react'
import { StarterKit } from '@tiptap/starter-kit'
import { useEffect, useLayoutEffect, useRef } from 'react'
import { EditorButtons } from './editor-buttons.tsx'
import { EditorFrame } from './editor-frame.tsx'
import { type EditorProps, PlainEditor } from './plain-editor.tsx'

const extensions = [
  StarterKit.configure({ link: { openOnClick: false, protocols: ['http', 'https', 'mailto'] } }),
  TaskList,
  TaskItem.configure({ nested: true }),
  Placeholder.configure({ placeholder: 'Write something…' }),
  Markdown,
]

/** Tables, pictures and HTML, which the editor would take away. */
const beyond = /!\[|<[a-z!/]|^\s*\|.*\|\s*$/im

/** Edits Markdown. A text that holds what the editor does not know is edited as it is written. */
export function MarkdownEditor(props: EditorProps) {
  return beyond.test(props.initial) ? <PlainEditor {...props} /> : <LaidOutEditor {...props} />
}

/** Writes Markdown without showing its marks. Ctrl or Cmd with Enter and Escape close it; nothing is lost. */
function LaidOutEditor({ label, initial, revision, onType, ...frame }: EditorProps) {
  const begun = useRef(initial)
  const isTouched = useRef(false)
  const editor = useEditor({
    extensions,
    content: initial,
    contentType: 'markdown',
    // The editor's own spelling of an untouched text is no change of it.
    onUpdate({ editor: it }) {
      const isChanged = it.can().undo()
      if (isChanged) isTouched.current = true
      if (isTouched.current) onType(isChanged ? it.getMarkdown().trim() : begun.current)
    },
    editorProps: {
      attributes: {
        'aria-label': label,
        role: 'textbox',
        'aria-multiline': 'true',
        dir: 'auto',
        class: 'prose-text outline-none min-h-24 text-base',
      },
    },
  })
  // Its own autofocus is lost if the page is drawn after it.
  useEffect(() => {
    if (!editor.isDestroyed) editor.commands.focus('end')
  }, [editor])
  useTakenOver(editor, { initial, revision })
  return (
    <EditorFrame {...frame}>
      <EditorButtons editor={editor} />
      <div className="max-h-[60vh] overflow-y-auto px-3 py-2">
        <EditorContent editor={editor} />
      </div>
    </EditorFrame>
  )
}

/** Goes on with the text of another tab. */
function useTakenOver(editor: Editor, { initial, revision }: Pick<EditorProps, 'initial' | 'revision'>): void {
  const known = useRef(revision)
  useLayoutEffect(() => {
    if (known.current === revision) return
    known.current = revision
    const { doc, selection } = editor.state
    const isAtEnd = selection.to >= doc.content.size - 1
    editor.commands.setContent(initial, { contentType: 'markdown', emitUpdate: false })
    editor.commands.setTextSelection(isAtEnd ? editor.state.doc.content.size : selection.from)
  }, [editor, initial, revision])
}
