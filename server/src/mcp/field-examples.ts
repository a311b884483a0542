import type { FieldDefinition } from '@kith/contract/field-definition'
import type { FieldTypeName } from '@kith/contract/field-type'

/** How a value of a field is written, and how it is asked for. */
export type FieldExample = { value: unknown; filter: Readonly<Record<string, unknown>> }

/** Choices name the field's own first option, so that the example works as it stands. */
export function exampleOf({ type, options }: FieldDefinition): FieldExample {
  const label = options[0]?.label ?? 'Label of an option'
  if (single.has(type)) return { value: label, filter: { $in: [label] } }
  if (several.has(type)) return { value: [label], filter: { $has_any: [label] } }
  return examples[type] ?? { value: null, filter: { $is_empty: false } }
}

const single: ReadonlySet<FieldTypeName> = new Set(['radio', 'toggle-buttons', 'select'])
const several: ReadonlySet<FieldTypeName> = new Set(['checkbox-list', 'multi-select'])

const examples: Readonly<Partial<Record<FieldTypeName, FieldExample>>> = {
  text: { value: 'Head of Operations', filter: { $contains: 'operations' } },
  textarea: { value: 'Two lines\nof text', filter: { $contains: 'lines' } },
  'rich-text': { value: 'Some **Markdown**', filter: { $contains: 'markdown' } },
  number: { value: 42, filter: { $gte: 10 } },
  currency: { value: 12500.5, filter: { $gt: 10000 } },
  date: { value: '2026-11-14', filter: { $lte: '2026-12-31' } },
  'date-time': { value: '2026-11-14T09:30:00Z', filter: { $gte: '2026-11-14' } },
  checkbox: { value: true, filter: { $eq: true } },
  toggle: { value: true, filter: { $eq: true } },
  'tags-input': { value: ['vip'], filter: { $has_any: ['vip'] } },
  email: { value: ['ada@example.com'], filter: { $has_any: ['ada@example.com'] } },
  phone: { value: ['+14155550100'], filter: { $has_any: ['+14155550100'] } },
  link: { value: ['https://example.com/ada'], filter: { $has_any: ['example.com/ada'] } },
  domain: { value: ['example.com'], filter: { $has_any: ['example.com'] } },
}
