import { roleMay } from '@kith/contract/permissions'
import { Plus, X } from 'lucide-react'
import { useRef, useState } from 'react'
import { type Draft, useAllDrafts } from '../../api/drafts.ts'
import { changedRecord } from '../../api/patch-record.ts'
import type { ApiRecord } from '../../api/records.ts'
import { useSlug, useWorkspace } from '../../api/workspace.ts'
import { IconButton } from '../../components/icon-button.tsx'
import { DraftNote } from '../../properties/draft-note.tsx'
import { putChange, useDraftProblem } from '../../properties/property-draft.ts'
import { idsChange, NewExternalId, useNewExternalId } from './new-external-id.tsx'

/** The ids that other systems have for the record. */
export function ExternalIds({ record }: { record: ApiRecord }) {
  const slug = useSlug()
  const [asked, setAdding] = useState(false)
  const button = useRef<HTMLButtonElement>(null)
  const form = useNewExternalId(record, () => setAdding(false))
  const adding = asked || form.draft !== undefined
  const close = () => {
    // An attempt without an answer may have stored it, so it stays.
    if (form.isWaiting) return
    form.discard()
    setAdding(false)
    button.current?.focus()
  }
  const mayEdit = roleMay(useWorkspace().role, 'update')
  const drafts = useAllDrafts().filter((draft) => draft.slug === slug && draft.id === record.id)
  const draftOf = (namespace: string) =>
    drafts.find((draft) => draft.property === propertyOf(namespace).key && draft.state !== 'conflict')
  const ids = record.attributes.external_ids ?? {}
  const namespaces = Object.keys(ids)
  const save = (namespace: string, list: readonly string[]) =>
    putChange({ slug, property: propertyOf(namespace), record, direct: true }, idsChange(namespace, list), 'waiting')
  return (
    <section aria-labelledby="external-ids">
      <div className="flex min-h-7 items-center justify-between">
        <h2 id="external-ids" className="text-xs font-medium text-quiet">
          External ids
        </h2>
        {mayEdit && (
          <IconButton
            ref={button}
            size="small"
            label="Add an external id"
            active={adding}
            onClick={() => (adding ? close() : setAdding(true))}
          >
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
            record={record}
            draft={draftOf(namespace)}
            onSave={mayEdit ? (list) => save(namespace, list) : undefined}
          />
        ))}
      </dl>
      {adding && <NewExternalId form={form} onClose={close} />}
    </section>
  )
}

/** The ids of one system are a property of the record. */
function propertyOf(namespace: string) {
  return { key: `external_ids.${namespace}`, label: `External ids of ${namespace}` }
}

type LineProps = {
  namespace: string
  record: ApiRecord
  draft: Draft | undefined
  /** Absent if the reader may not change them. */
  onSave?: ((list: readonly string[]) => void) | undefined
}

function Line({ namespace, record, draft, onSave }: LineProps) {
  const ids = record.attributes.external_ids?.[namespace] ?? []
  const wanted = draft ? changedRecord(record, draft.change).attributes.external_ids?.[namespace] : ids
  const problem = useDraftProblem(draft)
  return (
    <div className="grid grid-cols-[9.75rem_minmax(0,1fr)] items-start">
      <dt title={namespace} className="flex min-h-7 items-center text-sm text-quiet">
        <span className="truncate pr-2">{namespace}</span>
      </dt>
      <dd className="min-w-0">
        {ids.map((id) => {
          const isRemoved = !wanted?.includes(id)
          return (
            <p key={id} aria-busy={isRemoved} className="group flex min-h-7 items-center gap-1 px-2 py-1 text-sm">
              <span className={isRemoved ? 'min-w-0 wrap-anywhere line-through opacity-60' : 'min-w-0 wrap-anywhere'}>
                {id}
              </span>
              {onSave && !isRemoved && (
                <IconButton
                  size="small"
                  label={`Remove ${id} from ${namespace}`}
                  className="opacity-0 group-hover:opacity-100 focus-visible:opacity-100 pointer-coarse:opacity-100"
                  onClick={() => onSave((wanted ?? []).filter((one) => one !== id))}
                >
                  <X aria-hidden />
                </IconButton>
              )}
            </p>
          )
        })}
        <DraftNote own={{ draft, problem }} />
      </dd>
    </div>
  )
}
