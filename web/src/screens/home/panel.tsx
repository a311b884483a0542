import type { ReactNode } from 'react'

type Props = {
  title: string
  /** Shown at the end of the title's line. */
  extra?: ReactNode
  children: ReactNode
}

/** One part of the home screen. */
export function Panel({ title, extra, children }: Props) {
  return (
    <section aria-label={title} className="min-w-0">
      <header className="flex min-h-8 flex-wrap items-baseline justify-between gap-x-3 border-b border-line">
        <h2 className="text-sm font-medium">{title}</h2>
        {extra && <div className="max-w-full truncate text-sm text-quiet">{extra}</div>}
      </header>
      <div className="pt-3">{children}</div>
    </section>
  )
}

/** Said where there is nothing to show. */
export function Nothing({ children }: { children: ReactNode }) {
  return <p className="py-6 text-sm text-faint">{children}</p>
}
