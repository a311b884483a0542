import { EXTERNAL_ID_MAX } from '@kith/contract/limits'
import { roleMay } from '@kith/contract/permissions'
import { Plus, X } from 'lucide-react'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { changedRecord, type PropertyChange } from '../../api/patch-record.ts'
import { type ApiRecord, nameOf } from '../../api/records.ts'
import { useSlug, useWorkspace } from '../../api/workspace.ts'
import { Button, IconButton } from '../../components/button.tsx'
import { Input } from '../../components/controls.tsx'
import { seenIn } from '../../drafts/draft-queue.ts'
import type { Draft } from '../../drafts/draft-store.ts'
import { DraftNote } from '../../drafts/drafted-property.tsx'
import {
  discardDraft,
  draftKey,
  putDraft,
  removeDraft,
  useAllDrafts,
  useDraftAt,
  useShowsDraft,
} from '../../drafts/drafts.ts'
import { placeOf, putChange, useDraftProblem } from '../../drafts/property-draft.ts'

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

function Line(props: {
  namespace: string
  record: ApiRecord
  draft: Draft | undefined
  /** Absent if the reader may not change them. */
  onSave?: ((list: readonly string[]) => void) | undefined
}) {
  const { namespace, record, draft, onSave } = props
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

/** Replaces the ids of one system. */
function idsChange(namespace: string, list: readonly string[]): PropertyChange {
  const external_ids = { [namespace]: list }
  return { input: { external_ids }, shown: { external_ids } }
}

type ExternalIdInput = { namespace: string; id: string }

/** One more id of a record while it is typed. It stays until it is stored or the user gives it up. */
function useNewExternalId(record: ApiRecord, onStored: () => void) {
  const place = placeOf(useSlug(), { key: 'external_ids' }, record)
  const draft = useDraftAt(place)
  useShowsDraft(draft && draftKey(place))
  const typed: ExternalIdInput = { namespace: '', id: '', ...draft?.form }
  const isWaiting = draft?.state === 'waiting'
  const put = (form: ExternalIdInput, state: Draft['state']) => {
    const [namespace, id] = [form.namespace.trim(), form.id.trim()]
    const change = idsChange(namespace, [...(record.attributes.external_ids?.[namespace] ?? []), id])
    const about = { name: nameOf(record), label: 'New external id' }
    putDraft({ ...place, ...about, form, change, seen: seenIn({ change }, record), state })
  }
  const wasWaiting = useRef(false)
  useEffect(() => {
    if (!draft && wasWaiting.current) onStored()
    wasWaiting.current = isWaiting
  })
  return {
    draft,
    typed,
    isWaiting,
    problem: useDraftProblem(draft),
    type(changes: Partial<ExternalIdInput>) {
      const form = { ...typed, ...changes }
      if (form.namespace + form.id === '') removeDraft(place)
      else put(form, 'typing')
    },
    add: () => !isWaiting && typed.namespace.trim() !== '' && typed.id.trim() !== '' && put(typed, 'waiting'),
    discard: () => draft && discardDraft(draft),
  }
}

/** A line that gives the record one more id. */
function NewExternalId({ form, onClose }: { form: ReturnType<typeof useNewExternalId>; onClose(): void }) {
  const { draft, typed, isWaiting, problem, type, add } = form
  const submit = (event: FormEvent) => {
    event.preventDefault()
    add()
  }
  const input = { required: true, readOnly: isWaiting }
  return (
    <form onSubmit={submit} onKeyDown={({ key }) => key === 'Escape' && onClose()} className="mt-1">
      <div className="grid grid-cols-[minmax(0,2fr)_minmax(0,3fr)_auto] gap-1.5">
        <Input
          {...input}
          aria-label="System"
          placeholder="System"
          maxLength={40}
          autoFocus
          value={typed.namespace}
          onChange={({ target }) => type({ namespace: target.value })}
        />
        <Input
          {...input}
          aria-label="Id"
          placeholder="Id"
          maxLength={EXTERNAL_ID_MAX}
          value={typed.id}
          onChange={({ target }) => type({ id: target.value })}
        />
        <Button type="submit" disabled={isWaiting}>
          {isWaiting ? 'Adding…' : 'Add'}
        </Button>
      </div>
      {draft?.state !== 'typing' && problem !== undefined && (
        <p role="alert" className="mt-1 text-xs wrap-anywhere text-danger">
          Not saved: {problem}
        </p>
      )}
    </form>
  )
}
