import type { Resource } from '@kith/contract/resource'
import { useMutation, useQueries, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { ArrowLeft } from 'lucide-react'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import { mergeRecords, undoMerge } from '../../api/merges.ts'
import { problemsOf } from '../../api/problems.ts'
import { type ApiRecord, nameOf, type RecordDocument, recordsKey } from '../../api/records.ts'
import { useSlug } from '../../api/workspace.ts'
import { Button } from '../../components/button.tsx'
import { ErrorState } from '../../components/error-state.tsx'
import { FormProblem } from '../../components/form-problem.tsx'
import { IconButton } from '../../components/icon-button.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { showToast } from '../../components/toast-store.ts'
import { useHeld } from '../../components/typed.ts'
import { includeOf } from '../../properties/property.ts'
import { type Included, includedIn } from '../../properties/related.ts'
import { useProperties } from '../../properties/use-properties.ts'
import { counted } from '../../resources.ts'
import { Header } from '../../shell/header.tsx'
import { attributesOf, type Choices, isMerged } from './merge-choices.ts'
import { MergeGrid } from './merge-grid.tsx'
import { MergeOutcome } from './merge-outcome.tsx'

type Props = { resource: Resource; ids: readonly string[] }

/** Two or more records side by side, to be made one. */
export function MergeScreen({ resource, ids }: Props) {
  const { records, included, error, retry } = useRecords(resource, ids)
  const navigate = useNavigate()
  const back = () => navigate({ to: '.', search: { of: resource.type } })
  return (
    <>
      <Header
        icon={
          <IconButton label="Back to the duplicates" onClick={back}>
            <ArrowLeft />
          </IconButton>
        }
        title={`Merge ${counted(ids.length, resource.type)}`}
      />
      <div className="min-h-0 flex-1 overflow-auto">
        {error && <ErrorState error={error} onRetry={retry} />}
        {!records && !error && <Skeleton className="m-6 h-80" />}
        {records && <Merge resource={resource} records={records} included={included} onDone={back} />}
      </div>
    </>
  )
}

type MergeProps = { resource: Resource; records: readonly ApiRecord[]; included: Included; onDone(): Promise<void> }

function Merge({ resource, records, included, onDone }: MergeProps) {
  const slug = useSlug()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const properties = useProperties(resource.type).filter(isMerged)
  const [chosenWinner, setWinner] = useState<string>()
  const [choices, setChoices] = useState<Choices>({})
  useHeld(chosenWinner !== undefined || Object.keys(choices).length > 0)
  // Other systems most likely know the oldest one.
  const winner = records.find(({ id }) => id === chosenWinner) ?? records[0]
  const merging = { winner: winner?.id ?? '', records, included, choices }
  const losers = records.filter((record) => record !== winner)
  const refresh = () => queries.invalidateQueries({ queryKey: [slug, 'records'] })
  const acting = useMutation({
    mutationFn: () =>
      mergeRecords(
        slug,
        { type: resource.type, id: merging.winner },
        {
          loser_ids: losers.map(({ id }) => id),
          attributes: attributesOf(properties, merging),
        },
      ),
    onSuccess: async ({ data, meta }) => {
      const undo = async () => {
        try {
          await undoMerge(slug, meta.merge_id)
        } catch (error) {
          showToast({ tone: 'danger', message: error instanceof Error ? error.message : 'Could not undo the merge.' })
        }
        await refresh()
      }
      showToast({ message: `Merged ${counted(records.length, resource.type)} into ${nameOf(data)}`, undo })
      // Do not fetch the merged records again.
      await onDone()
      await refresh()
    },
  })
  const leaveOut = (id: string) =>
    navigate({
      to: '.',
      search: { of: resource.type, merge: records.flatMap((one) => (one.id === id ? [] : one.id)).join(',') },
    })
  if (!winner) return null
  return (
    <div className="pb-8 md:min-w-fit">
      <MergeGrid
        properties={properties}
        merging={merging}
        onWinner={setWinner}
        onChoose={(key, source) => setChoices({ ...choices, [key]: source })}
        onLeaveOut={records.length > 2 ? leaveOut : undefined}
      />
      <div className="sticky left-0 w-[calc(100vw-32px)] max-w-150 px-4 pt-6 md:w-auto">
        <MergeOutcome resource={resource} winner={winner} losers={losers} />
        <div className="mt-4 grid gap-3">
          <FormProblem text={problemsOf(acting.error, []).general} />
          <div className="flex gap-2">
            <Button look="primary" disabled={acting.isPending} onClick={() => acting.mutate()}>
              {acting.isPending ? 'Merging…' : `Merge into ${shortened(nameOf(winner))}`}
            </Button>
            <Button onClick={onDone}>Cancel</Button>
          </div>
        </div>
      </div>
    </div>
  )
}

function useRecords(resource: Resource, ids: readonly string[]) {
  const slug = useSlug()
  const include = [
    ...new Set(
      useProperties(resource.type)
        .filter(isMerged)
        .flatMap((one) => includeOf(one) ?? []),
    ),
  ].join()
  const answers = useQueries({
    queries: ids.map((id) => ({
      queryKey: [...recordsKey(slug, resource.type), 'document', id, include],
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        call<RecordDocument>('GET', `/w/${slug}/v1/${resource.type}/${id}${include ? `?include=${include}` : ''}`, {
          signal,
        }),
    })),
  })
  const documents = answers.flatMap(({ data }) => data ?? [])
  const records = documents.map(({ data }) => data).sort((a, b) => (a.id < b.id ? -1 : 1))
  return {
    records: documents.length === ids.length ? records : undefined,
    included: includedIn({ included: documents.flatMap(({ included }) => included ?? []) }),
    error: answers.find(({ error }) => error)?.error,
    retry: () => Promise.all(answers.map(({ refetch }) => refetch())),
  }
}

function shortened(name: string): string {
  return name.length > 24 ? `${name.slice(0, 23)}…` : name
}
