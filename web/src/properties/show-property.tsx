import { type ApiRecord, nameOf } from '../api/records.ts'
import { Moment } from '../components/moment.tsx'
import { fieldViews } from '../fields/field-views.ts'
import { formatNumber } from '../format/numbers.ts'
import { DueDate } from './due-date.tsx'
import { type Property, sources } from './property.ts'
import { type IncludedRecords, relatedRecord, relatedTo } from './related.ts'
import { RelatedName, RelatedNames } from './related-name.tsx'
import { DUE_DATE } from './task-state.ts'

/** The value of a property on one line. */
export function ShowProperty(props: {
  property: Property
  record: ApiRecord
  included: IncludedRecords
  /** Whether all of a long text is shown, for pages. */
  all?: boolean
}) {
  const { property, record, included, all = false } = props
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
      return <Moment at={moment} className="block truncate text-quiet" />
    }
    case 'source':
      return <span className="block truncate text-quiet">{sources[String(attributes[property.key])]}</span>
    case 'count': {
      const count = attributes[property.attribute]
      return typeof count === 'number' && count > 0 ? <span data-numeric>{formatNumber(count)}</span> : null
    }
  }
}
