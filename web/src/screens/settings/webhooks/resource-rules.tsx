import { type ResourceName, resourceNames } from '@kith/contract/resource'
import { useState } from 'react'
import { appearances } from '../../../resources.ts'
import { FilterPopover } from '../../records/filter/filter-popover.tsx'
import { ChangedPicker } from './changed-picker.tsx'
import { chosenKinds } from './event-words.ts'
import { typesOf, type WebhookDraft } from './webhook-draft.ts'

type Props = {
  draft: WebhookDraft
  onChange(changes: Partial<WebhookDraft>): void
  /** The problems at a path and below it. */
  problemsAt(path: string): string | undefined
}

/** For each resource of records that is sent: which records, and which changes of them. */
export function ResourceRules({ draft, onChange, problemsAt }: Props) {
  const types = typesOf(draft)
  const sent = resourceNames.filter((name) => chosenKinds(types, name).length > 0)
  if (sent.length === 0) {
    return <p className="text-sm text-faint">Choose companies, people or other records above to filter them.</p>
  }
  return (
    <ul aria-label="Filters" className="divide-y divide-line rounded-md border border-line">
      {sent.map((resource) => (
        <ResourceRule
          key={resource}
          resource={resource}
          draft={draft}
          onChange={onChange}
          hasUpdates={chosenKinds(types, resource).includes('updated')}
          problem={problemsAt(`filter.${resource}`) ?? problemsAt(`changed.${resource}`)}
        />
      ))}
    </ul>
  )
}

type RuleProps = Omit<Props, 'problemsAt'> & {
  resource: ResourceName
  hasUpdates: boolean
  problem: string | undefined
}

function ResourceRule({ resource, draft, onChange, hasUpdates, problem }: RuleProps) {
  const [open, setOpen] = useState(false)
  const { icon: Icon, many } = appearances[resource]
  const { [resource]: filter, ...filters } = draft.filter
  const { [resource]: names, ...others } = draft.changed
  return (
    <li className="px-3 py-2.5">
      <div className="flex flex-wrap items-center gap-2">
        <span className="flex min-w-32 flex-1 items-center gap-1.5 text-sm font-medium">
          <Icon aria-hidden className="size-4 shrink-0 text-faint" />
          {many}
        </span>
        <FilterPopover
          resource={resource}
          filter={filter}
          onFilter={(next) => onChange({ filter: next ? { ...filters, [resource]: next } : filters })}
          open={open}
          onOpenChange={setOpen}
          of={many.toLowerCase()}
          inFeed
        />
        {hasUpdates && (
          <ChangedPicker
            resource={resource}
            names={names ?? []}
            onNames={(next) => onChange({ changed: next.length > 0 ? { ...others, [resource]: next } : others })}
          />
        )}
      </div>
      {problem !== undefined && (
        <p role="alert" className="mt-1.5 text-xs wrap-anywhere text-danger">
          {problem}
        </p>
      )}
    </li>
  )
}
