import type { ExternalIds as Ids } from '@kith/contract/external-ids'
import { roleMay } from '@kith/contract/permissions'
import { Plus, X } from 'lucide-react'
import { useState } from 'react'
import { useRecordUpdate } from '../../api/record-changes.ts'
import type { ApiRecord } from '../../api/records.ts'
import { useWorkspace } from '../../api/workspace.ts'
import { IconButton } from '../../components/icon-button.tsx'
import { NewExternalId } from './new-external-id.tsx'

/** The ids that other systems have for the record. */
export function ExternalIds({ record }: { record: ApiRecord }) {
  const [adding, setAdding] = useState(false)
  const update = useRecordUpdate(record.type)
  const mayEdit = roleMay(useWorkspace().role, 'update')
  const ids = idsOf(record)
  const namespaces = Object.keys(ids)
  const save = (namespace: string, list: readonly string[]) =>
    update.mutateAsync({
      id: record.id,
      input: { external_ids: { [namespace]: list } },
      shown: { external_ids: withList(ids, namespace, list) },
    })
  return (
    <section aria-labelledby="external-ids">
      <div className="flex min-h-7 items-center justify-between">
        <h2 id="external-ids" className="text-xs font-medium text-quiet">
          External ids
        </h2>
        {mayEdit && (
          <IconButton size="small" label="Add an external id" active={adding} onClick={() => setAdding(!adding)}>
            <Plus aria-hidden />
          </IconButton>
        )}
      </div>
      {namespaces.length === 0 && !adding && <p className="text-sm text-faint">No ids of other systems yet.</p>}
      <dl className="grid gap-0.5">
        {namespaces.map((namespace) => (
          <Line
            key={namespace}
            namespace={namespace}
            ids={ids[namespace] ?? []}
            onSave={mayEdit ? (list) => save(namespace, list).catch(() => {}) : undefined}
          />
        ))}
      </dl>
      {adding && (
        <NewExternalId
          onAdd={(namespace, id) => save(namespace, [...(ids[namespace] ?? []), id])}
          onClose={() => setAdding(false)}
          onType={() => update.reset()}
        />
      )}
      {update.error && (
        <p role="alert" className="mt-1 text-xs wrap-anywhere text-danger">
          {update.error.message}
        </p>
      )}
    </section>
  )
}

type LineProps = {
  namespace: string
  ids: readonly string[]
  /** Absent if the reader may not change them. */
  onSave?: ((list: readonly string[]) => void) | undefined
}

function Line({ namespace, ids, onSave }: LineProps) {
  return (
    <div className="grid grid-cols-[9.75rem_minmax(0,1fr)] items-start">
      <dt title={namespace} className="flex min-h-7 items-center text-sm text-quiet">
        <span className="truncate pr-2">{namespace}</span>
      </dt>
      <dd className="min-w-0">
        {ids.map((id) => (
          <p key={id} className="group flex min-h-7 items-center gap-1 px-2 py-1 text-sm">
            <span className="min-w-0 wrap-anywhere">{id}</span>
            {onSave && (
              <IconButton
                size="small"
                label={`Remove ${id} from ${namespace}`}
                className="opacity-0 group-hover:opacity-100 focus-visible:opacity-100 pointer-coarse:opacity-100"
                onClick={() => onSave(ids.filter((one) => one !== id))}
              >
                <X aria-hidden />
              </IconButton>
            )}
          </p>
        ))}
      </dd>
    </div>
  )
}

function idsOf({ attributes }: ApiRecord): Ids {
  // The page reads its record with externalIds.
  return (attributes.external_ids ?? {}) as Ids
}

function withList(ids: Ids, namespace: string, list: readonly string[]): Ids {
  const { [namespace]: _, ...others } = ids
  return list.length === 0 ? others : { ...others, [namespace]: [...list] }
}
