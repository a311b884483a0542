import { Plus } from 'lucide-react'
import type { FormEvent } from 'react'
import { type ApiRecord, nameOf } from '../../api/records.ts'
import { useSlug } from '../../api/workspace.ts'
import { useNamedDraft } from '../../properties/named-draft.ts'
import { appearances } from '../../resources.ts'
import type { Kin } from './kin.ts'

/** A line in which a name and Enter make a record that belongs to this one. */
export function QuickAdd({ kin, record }: { kin: Kin; record: ApiRecord }) {
  const { one } = appearances[kin.resource]
  const { typed, isWaiting, problem, type, create } = useNamedDraft({
    resource: kin.resource,
    at: `${kin.attribute} ${record.id}`,
    label: `New ${one} of ${nameOf(record)}`,
    page: `/${useSlug()}/${record.type}/${record.id}`,
    values: { [kin.attribute]: kin.many ? [record.id] : record.id },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    create()
  }
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
          onChange={({ target }) => type(target.value)}
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
