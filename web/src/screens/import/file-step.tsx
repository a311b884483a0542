import type { TargetContext } from '@kith/contract/import/target'
import { FileUp } from 'lucide-react'
import { type DragEvent, useEffect, useRef, useState } from 'react'
import { messageOf } from '../../api/problems.ts'
import { useSlug } from '../../api/workspace.ts'
import { Button } from '../../components/button.tsx'
import { classNames } from '../../components/class-names.ts'
import { FormProblem } from '../../components/form-problem.tsx'
import { keepDraft } from './draft-store.ts'
import { openFile } from './reading/open-file.ts'
import { recognise } from './recognise.ts'
import { WorkProgress } from './work-progress.tsx'

/** Takes a file that is dropped or chosen, and reads it. */
export function FileStep({ context }: { context: TargetContext }) {
  const slug = useSlug()
  const [reading, setReading] = useState<{ name: string; share?: number }>()
  const [problem, setProblem] = useState<string>()
  const [over, setOver] = useState(false)
  const input = useRef<HTMLInputElement>(null)
  const isShown = useRef(true)
  useEffect(() => {
    isShown.current = true
    return () => {
      isShown.current = false
    }
  }, [])

  const take = async (file: File | undefined) => {
    if (!file) return
    setProblem(undefined)
    setReading({ name: file.name })
    try {
      const open = await openFile(file, (share) => isShown.current && setReading({ name: file.name, share }))
      const draft = await recognise({ slug, file: open, sheet: 0 }, context).catch(closing(open))
      if (!isShown.current) return open.close()
      keepDraft(slug, context.resource.type, draft)
    } catch (error) {
      setProblem(messageOf(error))
    } finally {
      setReading(undefined)
      if (input.current) input.current.value = ''
    }
  }
  const drop = (event: DragEvent) => {
    event.preventDefault()
    setOver(false)
    void take(event.dataTransfer.files[0])
  }
  return (
    <div className="flex-1 overflow-y-auto p-4 sm:p-8">
      <section
        aria-label="File"
        onDragOver={(event) => {
          event.preventDefault()
          setOver(true)
        }}
        onDragLeave={() => setOver(false)}
        onDrop={drop}
        className={classNames(
          'mx-auto grid max-w-150 justify-items-center gap-2 rounded-lg border border-dashed px-6 py-14 text-center',
          over ? 'border-accent bg-accent-soft' : 'border-edge',
        )}
      >
        <FileUp aria-hidden strokeWidth={1.5} className="size-8 text-faint" />
        {reading ? (
          <WorkProgress text={`Reading ${reading.name}`} share={reading.share} />
        ) : (
          <>
            <h2 className="text-base font-medium">Drop a CSV or XLSX file here</h2>
            <p className="max-w-100 text-sm text-quiet">
              The first row has the names of the columns. Nothing is written before you have seen what will happen.
            </p>
            <Button look="primary" className="mt-3" onClick={() => input.current?.click()}>
              Choose a file
            </Button>
          </>
        )}
        <input
          ref={input}
          type="file"
          aria-label="File to import"
          accept=".csv,.tsv,.txt,.xlsx,text/csv,application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
          className="sr-only"
          tabIndex={-1}
          onChange={({ target }) => void take(target.files?.[0])}
        />
      </section>
      <div className="mx-auto mt-4 max-w-150">
        <FormProblem text={problem} />
        <p className="mt-3 text-center text-xs text-faint">
          Up to 1,000,000 rows. Exports from HubSpot, Pipedrive, Salesforce, Attio and Google Contacts are recognised.
        </p>
      </div>
    </div>
  )
}

/** A file that cannot be read is closed. */
function closing(open: { close(): void }): (error: unknown) => never {
  return (error) => {
    open.close()
    throw error
  }
}
