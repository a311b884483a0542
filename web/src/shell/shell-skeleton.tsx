import { Skeleton } from '../components/skeleton.tsx'

const widths = ['w-16', 'w-24', 'w-20', 'w-28', 'w-14', 'w-16']

/** The outline of the application, for the moment before anything is known. */
export function ShellSkeleton() {
  return (
    <div role="status" aria-label="Loading" className="flex h-dvh">
      <div className="hidden w-55 shrink-0 space-y-4 border-r border-line bg-sunk p-4 md:block">
        {widths.map((width, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: they have nothing but their place
          <Skeleton key={place} className={width} />
        ))}
      </div>
      <div className="flex-1">
        <div className="flex h-12 items-center border-b border-line px-4">
          <Skeleton className="w-32" />
        </div>
      </div>
    </div>
  )
}
