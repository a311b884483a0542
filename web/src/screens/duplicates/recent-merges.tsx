import { roleMay } from '@kith/contract/permissions'
import type { ResourceName } from '@kith/contract/resource'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Undo2 } from 'lucide-react'
import { type Merge, mergesQuery, undoMerge } from '../../api/merges.ts'
import { useWorkspace } from '../../api/workspace.ts'
import { Button } from '../../components/button.tsx'
import { Pill } from '../../components/pill.tsx'
import { showToast } from '../../components/toast-store.ts'
import { formatAgo, formatMoment, formatMomentExactly } from '../../format/moments.ts'
import { counted } from '../../resources.ts'

/** What was merged in the last 30 days, each to be undone. */
export function RecentMerges({ resource }: { resource: ResourceName }) {
  const { slug } = useWorkspace()
  const { data: found } = useQuery(mergesQuery(slug, resource))
  if (!found || found.data.length === 0) return null
  return (
    <section aria-label="Merged in the last 30 days" className="mt-10">
      <h2 className="text-sm font-semibold">Merged in the last 30 days</h2>
      <ul className="mt-2 border-t border-line">
        {found.data.map((merge) => (
          <MergeLine key={merge.id} merge={merge} />
        ))}
      </ul>
    </section>
  )
}

function MergeLine({ merge }: { merge: Merge }) {
  const { slug, role } = useWorkspace()
  const queries = useQueryClient()
  const undoing = useMutation({
    mutationFn: () => undoMerge(slug, merge.id),
    onSuccess: () => showToast({ message: `${counted(merge.losers.length, merge.resource)} came back` }),
    onError: ({ message }) => showToast({ tone: 'danger', message }),
    // A merge moves records of other resources too.
    onSettled: () => queries.invalidateQueries({ queryKey: [slug, 'records'] }),
  })
  const winner = merge.winner.name ?? 'a record that is gone'
  return (
    <li className="flex items-center gap-3 border-b border-line py-2.5">
      <div className="min-w-0 flex-1">
        <p className="text-sm wrap-anywhere">
          {merge.losers.map(({ name }) => name ?? 'a record').join(', ')}
          <span className="text-faint"> into </span>
          <Link
            to="/$workspace/$resource/$id"
            params={{ workspace: slug, resource: merge.resource, id: merge.winner.id }}
            className="font-medium hover:underline"
          >
            {winner}
          </Link>
        </p>
        <p className="mt-0.5 text-xs text-faint">
          <time dateTime={merge.merged_at} title={formatMomentExactly(merge.merged_at)}>
            {formatAgo(merge.merged_at)}
          </time>
          {merge.merged_by && ` by ${merge.merged_by.name}`}
          {merge.undone_at === null && ` · can be undone until ${formatMoment(merge.undoable_until)}`}
        </p>
      </div>
      {merge.undone_at !== null ? (
        <Pill>Undone</Pill>
      ) : (
        roleMay(role, 'update') && (
          <Button
            size="small"
            disabled={undoing.isPending}
            aria-label={`Undo the merge into ${winner}`}
            onClick={() => undoing.mutate()}
          >
            <Undo2 aria-hidden />
            Undo
          </Button>
        )
      )}
    </li>
  )
}
