import type { FieldTypeName } from '@kith/contract/field-type-name'
import { fieldViews } from '../../../fields/field-views.ts'

// The keys of this object are the names of the types.
const types = Object.keys(fieldViews) as FieldTypeName[]
const groups = Map.groupBy(types, (type) => fieldViews[type].group)

/** The types of fields, to choose one from. It cannot be changed later. */
export function TypePicker({ onPick }: { onPick(type: FieldTypeName): void }) {
  return (
    <div className="p-3 pb-6">
      <p className="px-2 py-1 text-sm text-quiet">Choose the type of its values. You cannot change it later.</p>
      {[...groups].map(([group, types]) => (
        <section key={group} aria-label={group} className="mt-3">
          <h3 className="px-2 pb-1 text-xs text-faint">{group}</h3>
          {types.map((type) => {
            const { icon: Icon, name, about } = fieldViews[type]
            return (
              <button
                key={type}
                type="button"
                onClick={() => onPick(type)}
                className="flex min-h-9 w-full items-center gap-3 rounded-md px-2 py-1 text-left hover:bg-hover"
              >
                <Icon aria-hidden className="size-4 shrink-0 text-faint" />
                <span className="w-32 shrink-0 text-sm">{name}</span>
                <span className="min-w-0 flex-1 text-xs text-faint">{about}</span>
              </button>
            )
          })}
        </section>
      ))}
    </div>
  )
}
