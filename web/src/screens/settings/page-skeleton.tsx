import { Skeleton } from '../../components/skeleton.tsx'

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
