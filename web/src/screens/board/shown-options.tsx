import type { Field } from '../../api/fields.ts'
import { Switch } from '../../components/switch.tsx'
import { foldableOptions, foldedIn, withFolded } from '../records/groups/folding.ts'

/** Which options of a field have a column of their own. The others are folded into one. */
export function ShownOptions(props: { field: Field; folded: string | undefined; onFolded(folded: string): void }) {
  const { field, folded, onFolded } = props
  const options = foldableOptions(field)
  const ids = foldedIn(folded)
  if (options.length === 0) return null
  return (
    <section aria-label={`Shown options of ${field.name}`}>
      <p className="px-2 pt-2 pb-1 text-xs text-faint">Shown, the rest is folded</p>
      <ul className="max-h-56 overflow-y-auto">
        {options.map(({ id, label }) => (
          <li key={id} className="flex h-8 items-center gap-2 rounded-sm px-2 text-sm">
            <span dir="auto" className="min-w-0 flex-1 truncate">
              {label}
            </span>
            <Switch
              aria-label={`Show ${label}`}
              checked={!ids.includes(id)}
              onCheckedChange={() => onFolded(withFolded(folded, id, options))}
            />
          </li>
        ))}
      </ul>
    </section>
  )
}
