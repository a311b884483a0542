import { useQueryClient } from '@tanstack/react-query'
import { lazy, Suspense, useEffect } from 'react'
import { useSlug, useWorkspace } from '../../api/workspace.ts'
import { Skeleton } from '../../components/skeleton.tsx'
import { Header } from '../../shell/header.tsx'
import { homeFigures } from './figures.ts'
import { FirstSteps } from './first-steps.tsx'
import { MyTasks } from './my-tasks.tsx'
import { Touched } from './touched.tsx'

// The chart library is loaded separately; the lists do not wait for it.
const Pipeline = lazy(() => import('./pipeline.tsx').then((it) => ({ default: it.Pipeline })))
const NewRecords = lazy(() => import('./new-records.tsx').then((it) => ({ default: it.NewRecords })))

/** What a day begins with: the pipeline, what is due, what moved. */
export function Home() {
  const { name, counts } = useWorkspace()
  const slug = useSlug()
  const queries = useQueryClient()
  // The figures do not wait for the charts. An effect of this screen comes after those of its lists, which are faster.
  useEffect(() => {
    for (const query of homeFigures(slug)) void queries.prefetchQuery(query)
  }, [slug, queries])
  const isEmpty = Object.values(counts).every((count) => count === 0)
  return (
    <>
      <Header title={name} />
      <div className="min-h-0 flex-1 overflow-y-auto px-4 py-6 md:px-8">
        {isEmpty ? (
          <FirstSteps />
        ) : (
          <div className="mx-auto grid max-w-300 gap-x-10 gap-y-8 lg:grid-cols-2">
            <Suspense fallback={<ChartSkeleton />}>
              <Pipeline />
            </Suspense>
            <Suspense fallback={<ChartSkeleton />}>
              <NewRecords />
            </Suspense>
            <MyTasks />
            <Touched />
          </div>
        )}
      </div>
    </>
  )
}

function ChartSkeleton() {
  return <Skeleton className="h-77 w-full" />
}
