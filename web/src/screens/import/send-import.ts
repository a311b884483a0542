import type { ResourceName } from '@kith/contract/resource'
import { KithError } from '@kith/sdk'
import { createImport, type Job, readJob } from '../../api/jobs.ts'
import { uploadFile } from '../../api/upload.ts'
import type { Plan } from './columns/plan.ts'
import type { Draft, ImportChoices } from './draft.ts'

type Sending = {
  slug: string
  resource: ResourceName
  draft: Draft
  choices: ImportChoices
  plan: Plan
  signal: AbortSignal
  onStep(step: SendStep): void
}

/** `share` is missing while nothing can be said about how long it takes. */
export type SendStep = { what: 'Preparing the file' | 'Sending the file'; share?: number }

/** A job that got no file yet: the next try uses it. */
export type Begun = { job: Job; key: string }

/** Sends the file as a dry run: the service checks every row and writes none. */
export async function sendCheck(sending: Sending, begun: { current: Begun | undefined }): Promise<Job> {
  const { slug, resource, draft, choices, plan, signal, onStep } = sending
  const { file, sheet, scanned } = draft
  onStep({ what: 'Preparing the file' })
  const width = scanned.header.length
  const content = await file.rewrite(sheet, { columns: plan.columns, width, decimal: choices.decimal })
  signal.throwIfAborted()
  const wanted = { resource, mapping: plan.mapping, dry_run: true, name: file.name.slice(0, 255), ...choices }
  const key = JSON.stringify(wanted)
  if (begun.current?.key !== key) begun.current = { job: await createImport(slug, wanted), key }
  const { id } = begun.current.job
  onStep({ what: 'Sending the file', share: 0 })
  const onProgress = (share: number) => onStep({ what: 'Sending the file', share })
  try {
    return await uploadFile({ slug, id, file: content, signal, onProgress })
  } catch (error) {
    const taken = await takenAlready(error, sending, id)
    // A job that is gone cannot be used again.
    if (error instanceof KithError && error.kind === 'not_found') begun.current = undefined
    if (taken) return taken
    throw error
  }
}

/** The file may have arrived although its answer did not: then the second one is refused. */
async function takenAlready(error: unknown, { slug }: Sending, id: string): Promise<Job | undefined> {
  if (!(error instanceof KithError) || !('state' in error.errors)) return undefined
  const job = await readJob(slug, id)
  return job.attributes.state === 'waiting' || job.attributes.state === 'cancelled' ? undefined : job
}
