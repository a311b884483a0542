import { classNames } from './class-names.ts'

/** A placeholder while content loads. Give it the size of the content, to avoid layout shifts. */
export function Skeleton({ className }: { className?: string }) {
  return <div aria-hidden className={classNames('shimmer h-3', className)} />
}
