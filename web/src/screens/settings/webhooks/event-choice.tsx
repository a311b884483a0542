import { useId } from 'react'
import { Checkbox } from '../../../components/checkbox.tsx'
import { feedResources, feedWords } from '../sync/feed-words.ts'
import { chosenKinds, kindsOf, withKinds } from './event-words.ts'

type Props = { types: readonly string[]; onTypes(types: readonly string[]): void }

/** Which changes of which resources are sent. */
export function EventChoice({ types, onTypes }: Props) {
  return (
    <div className="divide-y divide-line rounded-md border border-line">
      {feedResources.map((resource) => (
        <ResourceKinds
          key={resource}
          resource={resource}
          chosen={chosenKinds(types, resource)}
          onKinds={(kinds) => onTypes(withKinds(types, resource, kinds))}
        />
      ))}
    </div>
  )
}

type KindsProps = { resource: string; chosen: readonly string[]; onKinds(kinds: readonly string[]): void }

/** One resource: all of its kinds at once, or each. */
function ResourceKinds({ resource, chosen, onKinds }: KindsProps) {
  const id = useId()
  const { icon: Icon, many } = feedWords(resource)
  const kinds = kindsOf(resource)
  const all = chosen.length === kinds.length ? true : chosen.length > 0 && 'indeterminate'
  const toggle = (kind: string, on: boolean) =>
    onKinds(kinds.filter((one) => (one === kind ? on : chosen.includes(one))))
  return (
    <fieldset className="grid grid-cols-2 gap-x-2 gap-y-2 px-3 py-2.5 sm:grid-cols-[minmax(0,1.6fr)_repeat(5,minmax(0,1fr))]">
      <legend className="sr-only">{many}</legend>
      <span className="col-span-2 flex items-center gap-2 sm:col-span-1">
        <Checkbox id={id} checked={all} onCheckedChange={(on) => onKinds(on === true ? kinds : [])} />
        <label htmlFor={id} className="flex min-w-0 items-center gap-1.5 text-sm font-medium">
          <Icon aria-hidden className="size-4 shrink-0 text-faint" />
          <span className="truncate">{many}</span>
        </label>
      </span>
      {kinds.map((kind) => (
        <span key={kind} className="flex items-center gap-1.5 max-sm:pl-6">
          <Checkbox
            id={`${id}-${kind}`}
            checked={chosen.includes(kind)}
            onCheckedChange={(on) => toggle(kind, on === true)}
          />
          <label htmlFor={`${id}-${kind}`} className="text-xs text-quiet">
            {kind}
          </label>
        </span>
      ))}
    </fieldset>
  )
}
