import { Skeleton } from '../../components/states.tsx'

/** The outline of a board, while its code is loaded. */
export function BoardSkeleton({ columns }: { columns: number }) {
  return (
    <div role="status" aria-label="Loading" className="flex min-h-0 flex-1 gap-2 overflow-hidden px-3 py-3 md:px-4">
      {Array.from({ length: columns }, (_, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they have nothing but their place
        <div key={place} className="w-68 shrink-0 rounded-lg bg-sunk">
          <div className="flex h-10 items-center px-3">
            <Skeleton className="w-24" />
          </div>
          <CardSkeletons />
        </div>
      ))}
    </div>
  )
}

/** The outlines of a column's first cards. */
export function CardSkeletons({ count = 3 }: { count?: number }) {
  return (
    <div aria-hidden className="grid gap-1.5 px-1.5">
      {Array.from({ length: count }, (_, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they have nothing but their place
        <div key={place} className="grid h-22 content-center gap-2.5 rounded-md border border-line bg-paper px-3">
          <Skeleton className="w-3/4" />
          <Skeleton className="w-1/2" />
          <Skeleton className="w-1/3" />
        </div>
      ))}
    </div>
  )
}
