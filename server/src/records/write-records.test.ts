import type { StoredValue } from '@kith/contract/field-type'
import { registry } from '@kith/contract/registry'
import { resourceNames } from '@kith/contract/resource'
import { describe, expect, it } from 'vitest'
import { sampleDefinitions } from '../../../contract/test/definitions.ts'
import type { Scope } from '../scope/scope.ts'
import type { RecordRow } from '../storage/tables/records.ts'
import { presentRecords } from './present.ts'

const definitions = sampleDefinitions()
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

function row(type: (typeof resourceNames)[number], label: string, values: Record<string, StoredValue>): RecordRow {
  const resource = registry[type]
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
    const { list } = definitions[type]
    const rows = awkward.flatMap((text, index) => {
      const values = list.flatMap((field): [string, StoredValue][] => {
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
        row(type, text, Object.fromEntries(values)),
        row(type, text, Object.fromEntries(some)),
        row(type, text, Object.fromEntries(unknown)),
        row(type, text, {}),
      ]
    })
    const { data, text } = await presentRecords(nowhere, registry[type], { definitions, rows, ...whole })
    expect(text()).toBe(JSON.stringify(data()))
  })

  it('of none', async () => {
    const { text } = await presentRecords(nowhere, registry.notes, { definitions, rows: [], ...whole })
    expect(text()).toBe('[]')
  })
})
