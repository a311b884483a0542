import { type ReactNode, useId } from 'react'
import { classNames } from '../../components/class-names.ts'
import { Skeleton } from '../../components/states.tsx'
import { Switch } from '../../components/switch.tsx'

/** The frame of a settings page. */
export function Page(props: {
  title: string
  text?: ReactNode
  /** The one thing to do on this page. */
  action?: ReactNode
  wide?: boolean
  children: ReactNode
}) {
  const { title, text, action, wide = false, children } = props
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

/** A part of a page, under a line of its own. */
export function Section(props: { title: string; text?: ReactNode; extra?: ReactNode; children?: ReactNode }) {
  const { title, text, extra, children } = props
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

/** The outline of a page of the settings. */
export function PageSkeleton() {
  return (
    <div role="status" aria-label="Loading" className="mx-auto w-full max-w-180 px-4 py-6 sm:px-6 sm:py-8">
      <Skeleton className="h-5 w-40" />
      <Skeleton className="mt-3 w-72 max-w-full" />
      <RowSkeletons />
    </div>
  )
}

/** Lines of a list that is on its way. */
export function RowSkeletons({ count = 4 }: { count?: number }) {
  return (
    <div className="mt-4 divide-y divide-line border-y border-line">
      {Array.from({ length: count }, (_, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they have nothing but their place
        <div key={place} className="flex h-14 items-center gap-3">
          <Skeleton className="size-8 rounded-full" />
          <div className="grid flex-1 gap-2">
            <Skeleton className="w-40" />
            <Skeleton className="w-24" />
          </div>
        </div>
      ))}
    </div>
  )
}

/** A rule that is on or off, with an explanation. */
export function RuleSwitch(props: {
  label: string
  hint: ReactNode
  checked: boolean
  onChange(checked: boolean): void
}) {
  const { label, hint, checked, onChange } = props
  const id = useId()
  return (
    <div className="flex items-start justify-between gap-4">
      <div className="min-w-0">
        <label htmlFor={id} className="text-sm font-medium">
          {label}
        </label>
        <div id={`${id}-hint`} className="text-xs text-faint">
          {hint}
        </div>
      </div>
      <Switch id={id} aria-describedby={`${id}-hint`} checked={checked} onCheckedChange={onChange} className="mt-0.5" />
    </div>
  )
}
