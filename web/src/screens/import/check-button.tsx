import type { Resource, ResourceName } from '@kith/contract/resource'
import { KithError } from '@kith/sdk'
import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { cancelJob, createImport, type Job, readJob, uploadFile } from '../../api/jobs.ts'
import { useSlug } from '../../api/workspace.ts'
import { Button } from '../../components/button.tsx'
import { formatCount } from '../../format/numbers.ts'
import { FormProblem } from '../../forms/form.tsx'
import type { Plan } from './columns/plan.ts'
import { choicesOf, type ImportChoices, type ImportDraft } from './draft.ts'

/** Sends the file to be checked, and opens the page of the check. */
export function CheckButton(props: {
  draft: ImportDraft
  plan: Plan
  problems: readonly string[]
  resource: Resource
}) {
  const { draft, plan, problems, resource } = props
  const slug = useSlug()
  const navigate = useNavigate()
  const [step, setStep] = useState<CheckStep>()
  const abort = useRef<AbortController>(undefined)
  const begun = useRef<EmptyJob>(undefined)
  const leave = () => {
    abort.current?.abort()
    // A job that waits for its file would count among those that are open.
    if (begun.current) void cancelJob(slug, begun.current.job.id).catch(() => {})
    begun.current = undefined
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: only when the page is left
  useEffect(() => leave, [])
  const sending = useMutation({
    mutationFn: () => {
      const ending = new AbortController()
      abort.current = ending
      const about = { slug, resource: resource.type, draft, choices: choicesOf(draft, resource), plan }
      return sendCheck({ ...about, signal: ending.signal, onStep: setStep }, begun)
    },
    onSuccess: ({ id }) => {
      begun.current = undefined
      return navigate({
        to: '/$workspace/settings/$page',
        params: { workspace: slug, page: 'imports' },
        search: { job: id },
      })
    },
    onSettled: () => setStep(undefined),
  })
  const isSending = sending.isPending
  const failure = abort.current?.signal.aborted ? undefined : sending.error?.message
  // The file is in this page until the service has it.
  useEffect(() => {
    if (!isSending) return
    const warn = (event: BeforeUnloadEvent) => event.preventDefault()
    window.addEventListener('beforeunload', warn)
    return () => window.removeEventListener('beforeunload', warn)
  }, [isSending])

  const [problem] = problems
  const { total } = draft.scanned
  const rows = formatCount(total, 'row')
  return (
    <footer className="border-t border-line bg-paper py-3">
      <div className="mx-auto flex max-w-240 flex-wrap items-center justify-end gap-3 px-4 sm:px-6">
        <div className="min-w-0 flex-1 basis-60">
          {step && <WorkProgress text={step.what} share={step.share} />}
          {!step && failure !== undefined && <FormProblem text={`${failure} Your choices are kept.`} />}
          {!step && failure === undefined && problem !== undefined && <p className="text-sm text-quiet">{problem}</p>}
        </div>
        {step && <Button onClick={leave}>Cancel</Button>}
        <Button look="primary" disabled={isSending || problem !== undefined} onClick={() => sending.mutate()}>
          {failure === undefined ? `Check ${rows}` : 'Try again'}
        </Button>
      </div>
    </footer>
  )
}

type CheckRequest = {
  slug: string
  resource: ResourceName
  draft: ImportDraft
  choices: ImportChoices
  plan: Plan
  signal: AbortSignal
  onStep(step: CheckStep): void
}

/** `share` is missing while nothing can be said about how long it takes. */
type CheckStep = { what: 'Preparing the file' | 'Sending the file'; share?: number }

/** A job that got no file yet: the next try uses it. */
type EmptyJob = { job: Job; key: string }

/** Sends the file as a dry run: the service checks every row and writes none. */
async function sendCheck(sending: CheckRequest, begun: { current: EmptyJob | undefined }): Promise<Job> {
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
async function takenAlready(error: unknown, { slug }: CheckRequest, id: string): Promise<Job | undefined> {
  if (!(error instanceof KithError) || !('state' in error.errors)) return undefined
  const job = await readJob(slug, id)
  return job.attributes.state === 'waiting' || job.attributes.state === 'cancelled' ? undefined : job
}

/** How far something is that takes a while. Without a share it only says that it goes on. */
export function WorkProgress({ text, share }: { text: string; share?: number | undefined }) {
  return (
    <div className="w-full max-w-80">
      <p role="status" className="truncate text-sm text-quiet">
        {text}
        {share !== undefined && ` · ${Math.floor(share * 100)} %`}
      </p>
      <progress
        aria-label={text}
        className="bulk-progress mt-2 block h-1 w-full"
        {...(share === undefined ? {} : { value: share, max: 1 })}
      />
    </div>
  )
}
