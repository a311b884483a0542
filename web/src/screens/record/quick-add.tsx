import { registry } from '@kith/contract/registry'
import { Plus } from 'lucide-react'
import type { FormEvent } from 'react'
import { useQueueFailure } from '../../api/draft-queue.ts'
import { draftKey, NEW, putDraft, removeDraft, useDraftAt } from '../../api/drafts.ts'
import { type ApiRecord, nameOf } from '../../api/records.ts'
import { useShowsDraft } from '../../api/shown-drafts.ts'
import { useSlug } from '../../api/workspace.ts'
import { appearances } from '../../resources.ts'
import type { Kin } from './kin.ts'

/** A line in which a name and Enter make a record that belongs to this one. What was typed stays until it is stored. */
export function QuickAdd({ kin, record }: { kin: Kin; record: ApiRecord }) {
  const { label } = registry[kin.resource]
  const { one } = appearances[kin.resource]
  const place = { slug: useSlug(), resource: kin.resource, id: NEW, property: `${kin.attribute} ${record.id}` }
  const draft = useDraftAt(place)
  const failure = useQueueFailure()
  useShowsDraft(draft && draftKey(place))
  const typed = draft ? nameOf({ attributes: draft.change.shown }) : ''
  const isWaiting = draft?.state === 'waiting'
  const put = (text: string, state: 'typing' | 'waiting') => {
    const input = { [label]: text, [kin.attribute]: kin.many ? [record.id] : record.id }
    const page = `/${place.slug}/${record.type}/${record.id}`
    const about = { label: `New ${one} of ${nameOf(record)}`, name: text, page }
    putDraft({ ...place, ...about, change: { input, shown: { [label]: text } }, state })
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (typed.trim() !== '' && !isWaiting) put(typed.trim(), 'waiting')
  }
  const problem = isWaiting ? failure : draft?.problem
  return (
    <form onSubmit={submit}>
      <label className="flex h-9 items-center gap-2 rounded-md px-2 text-quiet focus-within:bg-hover hover:bg-hover">
        <Plus aria-hidden className="size-4 shrink-0" />
        <input
          dir="auto"
          aria-label={`New ${one}`}
          placeholder={`Add a ${one}…`.replace('a opportunity', 'an opportunity')}
          value={typed}
          readOnly={isWaiting}
          onChange={({ target }) => (target.value === '' ? removeDraft(place) : put(target.value, 'typing'))}
          className="h-full min-w-0 flex-1 bg-transparent text-sm text-ink outline-none placeholder:text-faint"
        />
      </label>
      {problem !== undefined && (
        <p role="alert" className="px-2 text-xs text-danger">
          Not saved: {problem}
        </p>
      )}
    </form>
  )
}
