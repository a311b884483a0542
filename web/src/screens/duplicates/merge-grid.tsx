import { X } from 'lucide-react'
import type { CSSProperties } from 'react'
import { type ApiRecord, nameOf } from '../../api/records.ts'
import { IconButton } from '../../components/icon-button.tsx'
import { formatMoment } from '../../format/moments.ts'
import type { Property } from '../../properties/property.ts'
import { MergeChoice } from './merge-choice.tsx'
import { heldBy, isEmpty, type Merging } from './merge-choices.ts'
import { MergeRow } from './merge-row.tsx'

type Props = {
  properties: readonly Property[]
  merging: Merging
  onWinner(id: string): void
  onChoose(key: string, source: string): void
  /** Takes a record out of the merge, where enough are left. */
  onLeaveOut: ((id: string) => void) | undefined
}

/** The records side by side, one line for each property; where there is no room, below one another. */
export function MergeGrid({ properties, merging, onWinner, onChoose, onLeaveOut }: Props) {
  const { records, included, winner } = merging
  const shown = properties.filter((one) => records.some((record) => !isEmpty(heldBy(one, record, included))))
  // A property of CSS that the grid below counts by.
  const style = { '--records': records.length } as CSSProperties
  return (
    <div style={style}>
      <fieldset className={lineLook}>
        <legend className="contents">
          <span className="px-4 py-3 text-xs text-faint max-md:px-2 max-md:pb-1">Keep the id of</span>
        </legend>
        {records.map((record) => (
          <div key={record.id} className="flex min-w-0 items-start gap-1 p-1">
            <MergeChoice
              name="winner"
              label={`Keep ${nameOf(record)}`}
              checked={record.id === winner}
              onChoose={() => onWinner(record.id)}
            >
              <RecordTitle record={record} />
            </MergeChoice>
            {onLeaveOut && (
              <IconButton label={`Leave out ${nameOf(record)}`} size="small" onClick={() => onLeaveOut(record.id)}>
                <X />
              </IconButton>
            )}
          </div>
        ))}
      </fieldset>
      {shown.map((property) => (
        <MergeRow
          key={property.key}
          className={lineLook}
          property={property}
          merging={merging}
          onChoose={(source) => onChoose(property.key, source)}
        />
      ))}
    </div>
  )
}

const lineLook =
  'grid min-w-0 border-b border-line max-md:grid-cols-[minmax(0,1fr)] max-md:px-2 max-md:pb-2 ' +
  'md:grid-cols-[184px_repeat(var(--records),minmax(200px,30rem))] md:items-center md:pr-4'

function RecordTitle({ record }: { record: ApiRecord }) {
  return (
    <span className="block min-w-0">
      <span dir="auto" title={nameOf(record)} className="block truncate font-medium">
        {nameOf(record)}
      </span>
      <span className="block truncate text-xs text-faint">Made {formatMoment(record.attributes.created_at)}</span>
    </span>
  )
}
