import { Placeholder } from '@tiptap/extension-placeholder'
import { Markdown } from '@tiptap/markdown'
import { EditorContent, useEditor } from '@tiptap/react'
import { StarterKit } from '@tiptap/starter-kit'
import type { KeyboardEvent } from 'react'
import { Button } from '../components/button.tsx'
import { EditorButtons } from './editor-buttons.tsx'

type Props = { label: string; initial: string; onSave(markdown: string): void; onCancel(): void }

const extensions = [
  StarterKit.configure({ link: { openOnClick: false, protocols: ['http', 'https', 'mailto'] } }),
  Placeholder.configure({ placeholder: 'Write something …' }),
  Markdown,
]

/** Writes Markdown without showing its marks. Ctrl or Cmd with Enter saves, Escape leaves everything as it was. */
export function MarkdownEditor({ label, initial, onSave, onCancel }: Props) {
  const editor = useEditor({
    extensions,
    content: initial,
    contentType: 'markdown',
    autofocus: 'end',
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
  // The editor's own spelling of an untouched text is no change of it.
  const save = () => onSave(editor.can().undo() ? editor.getMarkdown().trim() : initial)
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') onCancel()
    else if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) save()
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <div onKeyDownCapture={onKeyDown} className="rounded-md border border-edge focus-within:border-accent">
      <EditorButtons editor={editor} />
      <div className="max-h-[60vh] overflow-y-auto px-3 py-2">
        <EditorContent editor={editor} />
      </div>
      <div className="flex justify-end gap-2 border-t border-line p-2">
        <Button size="small" onClick={onCancel}>
          Cancel
        </Button>
        <Button size="small" look="primary" onClick={save}>
          Save
        </Button>
      </div>
    </div>
  )
}
