import { CodeXml } from 'lucide-react'
import { Suspense, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { chunk } from '../../components/chunk.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Skeleton } from '../../components/states.tsx'
import type { RelativeFilter } from './calls.tsx'
import type { ApiCall } from './list-calls.ts'

const Calls = chunk(async () => (await import('./calls.tsx')).Calls)

/** Shows the calls of the public API that return the data on the screen. */
export function UseInApi(props: {
  /** The effect of the calls. */
  description: string
  /** Made when the dialog is opened, so that the code that writes them can be loaded then. */
  calls(): Promise<ApiCall[]>
  /** The filter as the list states it, where it depends on the reader and the day. */
  relative?: RelativeFilter | undefined
}) {
  const { description, calls, relative } = props
  const [made, setMade] = useState<Promise<ApiCall[]>>()
  return (
    <>
      <Button look="quiet" onClick={() => setMade(calls())}>
        <CodeXml aria-hidden />
        <span className="max-md:sr-only">Use in API</span>
      </Button>
      {made && (
        <Dialog open onOpenChange={() => setMade(undefined)} title="Use in API" description={description} wide>
          <Suspense fallback={<Skeleton className="w-60" />}>
            <Calls made={made} relative={relative} />
          </Suspense>
        </Dialog>
      )}
    </>
  )
}
