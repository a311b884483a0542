import { useDeferredValue } from 'react'
import { useWorkspace } from '../../api/workspace.ts'
import { Skeleton } from '../../components/skeleton.tsx'
import { Header } from '../../shell/header.tsx'
import { FirstSteps } from './first-steps.tsx'
import { MyTasks } from './my-tasks.tsx'
import { NewRecords } from './new-records.tsx'
import { Pipeline } from './pipeline.tsx'
import { Touched } from './touched.tsx'

/** What a day begins with: the pipeline, what is due, what moved. */
export function Home() {
  const { name, counts } = useWorkspace()
  // The charts ask for their figures after the lists, which are faster.
  const isDrawn = useDeferredValue(true, false)
  const isEmpty = Object.values(counts).every((count) => count === 0)
  return (
    <>
      <Header title={name} />
      <div className="min-h-0 flex-1 overflow-y-auto px-4 py-6 md:px-8">
        {isEmpty ? (
          <FirstSteps />
        ) : (
          <div className="mx-auto grid max-w-300 gap-x-10 gap-y-8 lg:grid-cols-2">
            {isDrawn ? <Pipeline /> : <ChartSkeleton />}
            {isDrawn ? <NewRecords /> : <ChartSkeleton />}
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
