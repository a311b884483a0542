import { Suspense } from 'react'
import { useBulkJob } from '../api/bulk.ts'
import { chunk } from '../components/chunk.tsx'

// A change of many records begins while the service is there.
const BulkPanel = chunk(async () => (await import('./bulk-panel.tsx')).BulkPanel)

/** Where the panel of a change of many records appears, over any screen. */
export function BulkPlace() {
  const found = useBulkJob()
  return found ? (
    <Suspense>
      <BulkPanel job={found.job} />
    </Suspense>
  ) : null
}
