import { classNames } from './class-names.ts'

/** A place where something will stand. Give it the size of what comes, so that nothing jumps. */
export function Skeleton({ className }: { className?: string }) {
  return <div aria-hidden className={classNames('shimmer h-3', className)} />
}
