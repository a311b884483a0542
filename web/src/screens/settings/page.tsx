import type { ReactNode } from 'react'
import { classNames } from '../../components/class-names.ts'

type PageProps = {
  title: string
  text?: ReactNode
  /** The one thing to do on this page. */
  action?: ReactNode
  wide?: boolean
  children: ReactNode
}

/** The frame of a settings page. */
export function Page({ title, text, action, wide = false, children }: PageProps) {
  return (
    <div className={classNames('mx-auto w-full px-4 py-6 sm:px-6 sm:py-8', wide ? 'max-w-240' : 'max-w-180')}>
      <header className="flex flex-wrap items-start justify-between gap-x-4 gap-y-3">
        <div className="min-w-0 flex-1 basis-64">
          <h2 className="text-lg font-semibold tracking-tight">{title}</h2>
          {text && <p className="mt-1 max-w-130 text-sm text-quiet">{text}</p>}
        </div>
        {action}
      </header>
      <div className="mt-6">{children}</div>
    </div>
  )
}

type SectionProps = { title: string; text?: ReactNode; extra?: ReactNode; children?: ReactNode }

/** A part of a page, under a line of its own. */
export function Section({ title, text, extra, children }: SectionProps) {
  return (
    <section aria-label={title} className="mt-8 border-t border-line pt-6 first:mt-0 first:border-0 first:pt-0">
      <div className="flex flex-wrap items-start justify-between gap-x-4 gap-y-2">
        <div className="min-w-0 flex-1 basis-60">
          <h3 className="text-sm font-semibold">{title}</h3>
          {text && <p className="mt-1 max-w-130 text-sm text-quiet">{text}</p>}
        </div>
        {extra}
      </div>
      {children && <div className="mt-4">{children}</div>}
    </section>
  )
}

/** The lines of a list in the settings. */
export function Rows({ label, children }: { label: string; children: ReactNode }) {
  return (
    <ul aria-label={label} className="divide-y divide-line">
      {children}
    </ul>
  )
}
