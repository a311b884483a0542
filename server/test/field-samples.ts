import type { FieldTypeName } from '@kith/contract/field-type-name'

/** For each field type: how such a field is made, a value as it is read, and another one. */
export type Sample = { rest: Record<string, unknown>; one: unknown; other: unknown; unset: null | [] }

const choices = { options: ['A', 'B'] }
const several = { multiple: true }

/** Choices are given by label; they are read as {"id","label"}. */
export const samples: Readonly<Record<FieldTypeName, Sample>> = {
  text: { rest: {}, one: 'one', other: 'other', unset: null },
  textarea: { rest: {}, one: 'one\nline', other: 'other\nline', unset: null },
  'rich-text': { rest: {}, one: '# One', other: '# Other', unset: null },
  number: { rest: {}, one: 1.5, other: 0, unset: null },
  currency: { rest: {}, one: 19.99, other: 0, unset: null },
  date: { rest: {}, one: '2026-11-14', other: '2024-02-29', unset: null },
  'date-time': { rest: {}, one: '2026-11-14T09:30:00.000Z', other: '2024-02-29T00:00:00.001Z', unset: null },
  checkbox: { rest: {}, one: true, other: false, unset: null },
  toggle: { rest: {}, one: false, other: true, unset: null },
  radio: { rest: choices, one: 'A', other: 'B', unset: null },
  'toggle-buttons': { rest: choices, one: 'A', other: 'B', unset: null },
  select: { rest: choices, one: 'A', other: 'B', unset: null },
  'checkbox-list': { rest: choices, one: ['A'], other: ['B', 'A'], unset: [] },
  'multi-select': { rest: choices, one: ['A'], other: ['B', 'A'], unset: [] },
  'tags-input': { rest: {}, one: ['One'], other: ['other', 'one'], unset: [] },
  email: { rest: several, one: ['One@x.example'], other: ['b@x.example', 'a@x.example'], unset: [] },
  phone: { rest: several, one: ['+14155550100'], other: ['+14155550101;ext=1', '+14155550102'], unset: [] },
  link: { rest: several, one: ['https://x.example/A'], other: ['x.example', 'y.example/b'], unset: [] },
  domain: { rest: several, one: ['x.example'], other: ['y.example', 'z.example'], unset: [] },
}

/** A value as it is read, its choices as their labels. */
export function labelled(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(labelled)
  return typeof value === 'object' && value !== null && 'label' in value ? value.label : value
}
