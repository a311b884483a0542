import type { TargetContext } from '@kith/contract/import/target'
import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { cancelJob } from '../../api/jobs.ts'
import { useSlug } from '../../api/workspace.ts'
import { Button } from '../../components/button.tsx'
import { FormProblem } from '../../components/form-problem.tsx'
import { formatCount } from '../../format/numbers.ts'
import type { Plan } from './columns/plan.ts'
import { choicesOf, type Draft } from './draft.ts'
import { type Begun, type SendStep, sendCheck } from './send-import.ts'
import { WorkProgress } from './work-progress.tsx'

type Props = { draft: Draft; plan: Plan; problems: readonly string[]; context: TargetContext }

/** Sends the file to be checked, and opens the page of the check. */
export function CheckButton({ draft, plan, problems, context }: Props) {
  const slug = useSlug()
  const navigate = useNavigate()
  const [step, setStep] = useState<SendStep>()
  const abort = useRef<AbortController>(undefined)
  const begun = useRef<Begun>(undefined)
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
      const about = { slug, resource: context.resource.type, draft, choices: choicesOf(draft, context), plan }
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
