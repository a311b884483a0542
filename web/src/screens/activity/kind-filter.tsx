import { type ActivityKind, activityKinds } from '@kith/contract/app/activity'
import { Button } from '../../components/button.tsx'

const words: Readonly<Record<ActivityKind, string>> = {
  notes: 'Notes',
  tasks: 'Tasks',
  changes: 'Changes',
  merges: 'Merges',
  imports: 'Imports',
}

type Props = {
  kind: ActivityKind | undefined
  onKind(kind: ActivityKind | undefined): void
  /** Whether notes and tasks can be linked to the record. */
  linked: boolean
}

/** Which kind of activity is shown. */
export function KindFilter({ kind, onKind, linked }: Props) {
  const kinds = activityKinds.filter((one) => linked || (one !== 'notes' && one !== 'tasks'))
  return (
    // biome-ignore lint/a11y/useSemanticElements: no form is filled in here
    <div role="group" aria-label="Show" className="-ml-2 flex flex-wrap gap-0.5">
      {[undefined, ...kinds].map((one) => (
        <Button
          key={one ?? 'all'}
          size="small"
          look="quiet"
          active={kind === one}
          aria-pressed={kind === one}
          onClick={() => onKind(one)}
        >
          {one === undefined ? 'All' : words[one]}
        </Button>
      ))}
    </div>
  )
}
