import { useRef } from 'react'
import { EditorFrame } from './editor-frame.tsx'

export type EditorProps = { label: string; initial: string; onSave(markdown: string): void; onCancel(): void }

/** Markdown as it is written, marks and all. */
export function PlainEditor({ label, initial, onSave, onCancel }: EditorProps) {
  const text = useRef<HTMLTextAreaElement>(null)
  const save = () => {
    const written = text.current?.value ?? initial
    onSave(written === initial ? initial : written.trim())
  }
  return (
    <EditorFrame onSave={save} onCancel={onCancel}>
      <p className="border-b border-line px-3 py-1.5 text-xs text-quiet">
        Shown as Markdown: it holds a table, a picture or HTML.
      </p>
      <textarea
        ref={text}
        // biome-ignore lint/a11y/noAutofocus: it opens where one has just pressed to write
        autoFocus
        aria-label={label}
        defaultValue={initial}
        dir="auto"
        rows={12}
        className="block w-full resize-y bg-transparent px-3 py-2 font-mono text-sm outline-none"
      />
    </EditorFrame>
  )
}
