import { useLayoutEffect, useRef } from 'react'
import { EditorFrame } from './editor-frame.tsx'

export type EditorProps = {
  label: string
  initial: string
  /** Changes when another tab has typed: then the editor goes on with `initial`, in place, so that no key is lost. */
  revision: number
  status: string | undefined
  onType(markdown: string): void
  onDone(): void
  onDiscard(): void
}

/** Markdown as it is written, marks and all. */
export function PlainEditor({ label, initial, revision, onType, ...frame }: EditorProps) {
  const place = useRef<HTMLTextAreaElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: only if another tab has typed
  useLayoutEffect(() => {
    if (place.current) place.current.value = initial
  }, [revision])
  const type = (written: string) => onType(written === initial ? initial : written.trim())
  return (
    <EditorFrame {...frame}>
      <p className="border-b border-line px-3 py-1.5 text-xs text-quiet">
        Shown as Markdown: it holds a table, a picture or HTML.
      </p>
      <textarea
        ref={place}
        // biome-ignore lint/a11y/noAutofocus: it opens where one has just pressed to write
        autoFocus
        aria-label={label}
        defaultValue={initial}
        onChange={(event) => type(event.target.value)}
        dir="auto"
        rows={12}
        className="block w-full resize-y bg-transparent px-3 py-2 font-mono text-sm outline-none"
      />
    </EditorFrame>
  )
}
