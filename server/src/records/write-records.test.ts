import type { StoredValue } from '@kith/contract/field-type'
import { type Resource, resourceIn, resourceNames } from '@kith/contract/resource'
import { describe, expect, it } from 'vitest'
import { sampleSchema } from '../../../contract/test/definitions.ts'
import type { Scope } from '../scope/scope.ts'
import type { RecordRow } from '../storage/tables/records.ts'
import { presentRecords } from './present.ts'

const schema = sampleSchema()
// Without includes the database is not queried; only the source of the call matters.
const nowhere = { actor: { source: 'api' } } as Scope
const whole = { include: [], fields: new Map() }

/** Texts that JSON escapes. */
const awkward = [
  '',
  '"',
  '\\',
  '\\"',
  '\\\\"',
  ',',
  '":"',
  '","',
  '[]',
  '{}',
  '\n\u2028\u0001',
  'ÿ€🙂',
  '\ud800',
  'null',
  ']',
  '}',
]

function row(resource: Resource, label: string, values: Record<string, StoredValue>): RecordRow {
  const references = Object.keys(resource.references).map((column, index) => [
    column,
    index % 2 ? null : 'r'.repeat(26),
  ])
  return {
    id: 'i'.repeat(26),
    [resource.label]: label,
    ...Object.fromEntries(references),
    creator_id: null,
    creation_source: 'api',
    created_at: '2026-11-14T09:30:00.125Z',
    updated_at: '2026-11-14T09:30:00.126Z',
    custom_fields: JSON.stringify(values),
  }
}

describe('the text of records says what their objects say', () => {
  it.each(resourceNames)('%s', async (type) => {
    const resource = resourceIn(schema, type)
    const rows = awkward.flatMap((text, index) => {
      const values = resource.fields.list.flatMap((field): [string, StoredValue][] => {
        const option = field.options[index % Math.max(1, field.options.length)]?.id ?? 'gone'
        const chosen = index % 3 === 0 ? 'gone' : option
        switch (field.type) {
          case 'number':
          case 'currency':
            return [[field.key, index * 1.25e-7 - 3]]
          case 'checkbox':
          case 'toggle':
            return [[field.key, index % 2 === 0]]
          case 'radio':
          case 'toggle-buttons':
          case 'select':
            return [[field.key, chosen]]
          case 'checkbox-list':
          case 'multi-select':
            return [[field.key, [chosen, option]]]
          case 'tags-input':
          case 'email':
          case 'phone':
          case 'link':
          case 'domain':
            return [[field.key, index % 4 === 0 ? [] : [text, awkward[index - 1] ?? '', text]]]
          default:
            return [[field.key, text]]
        }
      })
      const some = values.filter((_, place) => (place + index) % 4 !== 0)
      const unknown: [string, StoredValue][] = [['archived_long_ago', [text]], ...some.toReversed(), ['other', text]]
      return [
        row(resource, text, Object.fromEntries(values)),
        row(resource, text, Object.fromEntries(some)),
        row(resource, text, Object.fromEntries(unknown)),
        row(resource, text, {}),
      ]
    })
    const { data, text } = await presentRecords(nowhere, resource, { rows, ...whole })
    expect(text()).toBe(JSON.stringify(data()))
  })

  it('of none', async () => {
    const { text } = await presentRecords(nowhere, resourceIn(schema, 'notes'), { rows: [], ...whole })
    expect(text()).toBe('[]')
  })
})
