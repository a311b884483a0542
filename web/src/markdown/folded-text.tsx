import { Suspense, useState } from 'react'
import { chunk } from '../components/chunk.tsx'
import { classNames } from '../components/class-names.ts'
import { Skeleton } from '../components/states.tsx'
import type { Mention } from './markdown-text.tsx'

// It is large, and comes once there is something to lay out.
const MarkdownText = chunk(async () => (await import('./markdown-text.tsx')).MarkdownText)

/** Texts up to this length are shown whole. */
const WHOLE = 600

/** Markdown laid out. Of a long text only the beginning is shown, until the reader wants to see all of it. */
export function FoldedText({ text, mentions }: { text: string; mentions?: readonly Mention[] }) {
  const [open, setOpen] = useState(false)
  const isLong = text.length > WHOLE || text.split('\n').length > 12
  return (
    <>
      <div className={classNames(isLong && !open && 'max-h-48 overflow-hidden')}>
        <Suspense fallback={<Skeleton className="my-2 w-2/3" />}>
          <MarkdownText text={open ? text : text.slice(0, 2 * WHOLE)} {...(mentions && { mentions })} />
        </Suspense>
      </div>
      {isLong && (
        <button
          type="button"
          aria-expanded={open}
          onClick={() => setOpen(!open)}
          className="mt-1 text-xs text-accent hover:underline"
        >
          {open ? 'Show less' : 'Show all'}
        </button>
      )}
    </>
  )
}
