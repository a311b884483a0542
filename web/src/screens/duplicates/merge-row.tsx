import { nameOf } from '../../api/records.ts'
import type { Property } from '../../properties/property.ts'
import { iconOf } from '../../properties/property-view.ts'
import { ShowProperty } from '../../properties/show-property.tsx'
import { MergeChoice } from './merge-choice.tsx'
import { heldBy, isEmpty, isList, type Merging, sourceOf, TOGETHER } from './merge-choices.ts'

type Props = { className: string; property: Property; merging: Merging; onChoose(source: string): void }

/** One property of all the records: which value the one record will have. */
export function MergeRow({ className, property, merging, onChoose }: Props) {
  const { records, included } = merging
  const source = sourceOf(property, merging)
  const values = records.map((record) => heldBy(property, record, included))
  const differ = new Set(values.map((value) => JSON.stringify(value))).size > 1
  const Icon = iconOf(property)
  return (
    <fieldset className={className}>
      <legend className="contents">
        <span className="flex min-w-0 items-center gap-2 px-4 py-2 text-sm text-quiet max-md:px-2 max-md:pb-1">
          <Icon aria-hidden className="size-4 shrink-0 text-faint" />
          <span className="truncate">{property.label}</span>
        </span>
      </legend>
      {records.map((record, index) => (
        <div key={record.id} className="min-w-0 p-1 max-md:py-0.5">
          {!differ ? (
            <div className="px-1 md:pl-8.5">
              <Value property={property} record={record} merging={merging} hidden={index > 0} />
            </div>
          ) : (
            <MergeChoice
              name={property.key}
              label={`${property.label} of ${nameOf(record)}`}
              checked={source === record.id || (source === TOGETHER && !isEmpty(values[index]))}
              several={source === TOGETHER}
              onChoose={() => onChoose(record.id)}
            >
              <Value property={property} record={record} merging={merging} />
            </MergeChoice>
          )}
        </div>
      ))}
      {differ && isList(property) && (
        <div className="p-1 max-md:py-0.5 md:col-start-2 md:col-end-[-1]">
          <MergeChoice
            name={property.key}
            label={`${property.label} of all records`}
            checked={source === TOGETHER}
            onChoose={() => onChoose(TOGETHER)}
          >
            <span className="text-quiet">All together</span>
          </MergeChoice>
        </div>
      )}
    </fieldset>
  )
}

type ValueProps = { property: Property; record: Merging['records'][number]; merging: Merging; hidden?: boolean }

/** Links in it lead nowhere while one chooses. */
function Value({ property, record, merging: { included }, hidden = false }: ValueProps) {
  const empty = isEmpty(heldBy(property, record, included))
  return (
    <span className={`pointer-events-none block min-h-5 min-w-0 truncate text-sm ${hidden ? 'max-md:hidden' : ''}`}>
      {empty ? (
        <span className="text-faint">Empty</span>
      ) : (
        <ShowProperty property={property} record={record} included={included} />
      )}
    </span>
  )
}
