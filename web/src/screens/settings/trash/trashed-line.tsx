import type { Trashed } from '@kith/contract/app/trash'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { recordsKey } from '../../../api/records.ts'
import { restoreRecord } from '../../../api/trash.ts'
import { useSlug } from '../../../api/workspace.ts'
import { Button } from '../../../components/button.tsx'
import { showToast } from '../../../components/toast-store.ts'
import { formatAgo, formatMomentExactly } from '../../../format/moments.ts'
import { appearances } from '../../../resources.ts'

const DAY_MS = 86_400_000

export function TrashedLine({ trashed }: { trashed: Trashed }) {
  const { resource, id, name, deleted_at, deleted_by, restorable_until, merge_id } = trashed
  const slug = useSlug()
  const queries = useQueryClient()
  const restoring = useMutation({
    mutationFn: () => restoreRecord(slug, resource, id),
    onSuccess: () => showToast({ message: `Restored ${name}` }),
    onError: ({ message }) => showToast({ tone: 'danger', message }),
    onSettled: () =>
      Promise.all([
        queries.invalidateQueries({ queryKey: [slug, 'trash'] }),
        queries.invalidateQueries({ queryKey: recordsKey(slug, resource) }),
      ]),
  })
  const { icon: Icon, one } = appearances[resource]
  const days = Math.max(0, Math.ceil((Date.parse(restorable_until) - Date.now()) / DAY_MS))
  return (
    <li className="flex items-center gap-3 py-2.5">
      <Icon aria-label={one} role="img" className="size-4 shrink-0 text-faint" />
      <div className="min-w-0 flex-1">
        <p dir="auto" title={name} className="truncate text-sm font-medium">
          {name}
        </p>
        <p className="text-xs text-faint">
          <time dateTime={deleted_at} title={formatMomentExactly(deleted_at)}>
            {merge_id ? 'Merged away' : 'Deleted'} {formatAgo(deleted_at)}
          </time>
          {deleted_by && ` by ${deleted_by.name}`} ·{' '}
          <span className="whitespace-nowrap">{days === 1 ? '1 day left' : `${days} days left`}</span>
        </p>
      </div>
      <Button
        size="small"
        disabled={restoring.isPending}
        aria-label={merge_id ? `Undo the merge of ${name}` : `Restore ${name}`}
        onClick={() => restoring.mutate()}
      >
        {merge_id ? 'Undo merge' : 'Restore'}
      </Button>
    </li>
  )
}
