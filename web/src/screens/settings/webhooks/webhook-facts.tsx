import { registry } from '@kith/contract/registry'
import { resourceNames } from '@kith/contract/resource'
import type { ReactNode } from 'react'
import type { Webhook } from '../../../api/webhooks.ts'
import { useMembers } from '../../../api/workspace.ts'
import { CopyButton } from '../../../components/copy-button.tsx'
import { formatMoment } from '../../../format/moments.ts'
import { appearances } from '../../../resources.ts'
import { conditionsIn } from '../../records/filter/filter-tree.ts'
import { readFilter } from '../../records/filter/read-filter.ts'
import { typesInWords } from './event-words.ts'

/** What a webhook sends, and how. */
export function WebhookFacts({ webhook: { id, attributes } }: { webhook: Webhook }) {
  const { types, payload, exclude_own, max_in_flight, position, created_at, creator_id } = attributes
  const creator = useMembers().find((one) => one.id === creator_id)
  const filters = filtersInWords(attributes)
  return (
    <dl className="grid gap-x-4 gap-y-0.5 text-sm sm:gap-y-2 sm:grid-cols-[140px_minmax(0,1fr)]">
      <Fact name="Sends">{typesInWords(types)}</Fact>
      {filters.length > 0 && (
        <Fact name="Filters">
          {filters.map((words) => (
            <span key={words} className="block wrap-anywhere">
              {words}
            </span>
          ))}
        </Fact>
      )}
      <Fact name="Payload">{payload === 'full' ? 'With the record' : 'Without the record'}</Fact>
      {exclude_own && <Fact name="Own changes">Left out</Fact>}
      <Fact name="Events in flight">{max_in_flight}</Fact>
      <Fact name="Position">After change #{position.sequence}</Fact>
      <Fact name="Created">
        {formatMoment(created_at)}
        {creator && ` by ${creator.name}`}
      </Fact>
      <Fact name="ID">
        <span className="flex flex-wrap items-center gap-x-1">
          <span className="font-mono text-xs wrap-anywhere">{id}</span>
          <CopyButton text={id} label="Copy" look="quiet" aria-label="Copy ID" />
        </span>
      </Fact>
    </dl>
  )
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="contents">
      <dt className="text-quiet max-sm:mt-2 max-sm:text-xs">{name}</dt>
      <dd className="min-w-0">{children}</dd>
    </div>
  )
}

/** "People: 2 conditions, only updates of name and company_id". */
function filtersInWords({ filter, changed }: Webhook['attributes']): string[] {
  return resourceNames.flatMap((name) => {
    const count = filter?.[name] ? conditionsIn(readFilter({ ...filter[name] }, registry[name])) : 0
    const names = changed?.[name] ?? []
    const parts = [
      ...(count > 0 ? [`${count} ${count === 1 ? 'condition' : 'conditions'}`] : []),
      ...(names.length > 0 ? [`only updates of ${names.join(', ')}`] : []),
    ]
    return parts.length === 0 ? [] : [`${appearances[name].many}: ${parts.join(', ')}`]
  })
}
