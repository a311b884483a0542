import type { ApiRecord } from '../api/records.ts'
import { nameOf } from '../api/records.ts'
import { fieldViews } from '../fields/field-views.ts'
import { formatAgo, formatMomentExactly } from '../format/moments.ts'
import { formatNumber } from '../format/numbers.ts'
import { DueDate } from './due-date.tsx'
import { type Property, sources } from './property.ts'
import { type Included, relatedRecord, relatedTo } from './related.ts'
import { RelatedName, RelatedNames } from './related-name.tsx'
import { DUE_DATE } from './task-state.ts'

type Props = {
  property: Property
  record: ApiRecord
  included: Included
  /** Whether all of a long text is shown, for pages. */
  all?: boolean
}

/** What a record says under one of its properties, on one line. */
export function ShowProperty({ property, record, included, all = false }: Props) {
  const { attributes } = record
  switch (property.kind) {
    case 'name':
      return (
        <span dir="auto" title={nameOf(record)} className="block truncate font-medium">
          {nameOf(record)}
        </span>
      )
    case 'custom': {
      if (record.type === 'tasks' && property.field.code === DUE_DATE) return <DueDate task={record} />
      const { Show, ShowAll } = fieldViews[property.field.type]
      const Shown = all && ShowAll ? ShowAll : Show
      return <Shown value={attributes.custom_fields[property.field.code] ?? null} field={property.field} />
    }
    case 'reference':
    case 'creator': {
      const [related] = relatedTo(record, property.include, included)
      return related ? <RelatedName related={related} /> : null
    }
    case 'related': {
      const other = relatedRecord(record, property, included)
      return other ? <ShowProperty property={property.of} record={other} included={included} /> : null
    }
    case 'links':
      return <RelatedNames related={relatedTo(record, property.include, included)} />
    case 'time': {
      const moment = String(attributes[property.key])
      return (
        <time dateTime={moment} title={formatMomentExactly(moment)} className="block truncate text-quiet">
          {formatAgo(moment)}
        </time>
      )
    }
    case 'source':
      return <span className="block truncate text-quiet">{sources[String(attributes[property.key])]}</span>
    case 'count': {
      const count = attributes[property.attribute]
      return typeof count === 'number' && count > 0 ? <span data-numeric>{formatNumber(count)}</span> : null
    }
  }
}
