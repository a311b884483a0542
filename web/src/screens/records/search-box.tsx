import { Search, X } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { inputLook } from '../../components/input.tsx'
import { useShortcut } from '../../keyboard/shortcuts.ts'
import { useListState } from './list-state.ts'

const PAUSE_MS = 180

/** The quick search of a list. Typing never waits: the list follows when there is a pause. */
export function SearchBox({ label }: { label: string }) {
  const [{ q = '' }, change] = useListState()
  const [typed, setTyped] = useState(q)
  const input = useRef<HTMLInputElement>(null)
  useShortcut('/', label, () => input.current?.focus())
  useEffect(() => setTyped(q), [q])
  useEffect(() => {
    if (typed === q) return
    const timer = setTimeout(() => change({ q: typed }), PAUSE_MS)
    return () => clearTimeout(timer)
  })
  return (
    <div className="relative w-44 min-w-28 shrink sm:w-56">
      <Search aria-hidden className="pointer-events-none absolute top-2 left-2.5 size-4 text-faint" />
      <input
        ref={input}
        type="search"
        aria-label={label}
        placeholder="Search"
        autoComplete="off"
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return
          setTyped('')
          input.current?.blur()
        }}
        className={`${inputLook} pl-8 [&::-webkit-search-cancel-button]:hidden`}
      />
      {typed !== '' && (
        <button
          type="button"
          aria-label="Clear the search"
          onClick={() => setTyped('')}
          className="absolute top-1.5 right-1.5 grid size-5 place-items-center rounded-sm text-faint hover:bg-hover"
        >
          <X aria-hidden className="size-3.5" />
        </button>
      )}
    </div>
  )
}
