import { describe, expect, it } from 'vitest'
import { type FieldTypeName, fieldTypeNames } from './field-type-name.ts'
import { fieldTypes } from './field-types.ts'

/** The types of the specification. Others can be added. */
const specified: readonly FieldTypeName[] = [
  ...(['text', 'textarea', 'rich-text', 'number', 'currency', 'date', 'date-time', 'checkbox', 'toggle'] as const),
  ...(['radio', 'toggle-buttons', 'select', 'checkbox-list', 'multi-select', 'tags-input'] as const),
  ...(['email', 'phone', 'link', 'domain'] as const),
]

function namesWith(property: 'list' | 'sortable' | 'canBeUnique' | 'textLike' | 'hosts'): string[] {
  return specified.filter((name) => fieldTypes[name][property])
}

describe('the field types', () => {
  it('are all that the specification names, each under its own name', () => {
    expect(fieldTypeNames).toEqual(expect.arrayContaining([...specified]))
    for (const name of fieldTypeNames) expect(fieldTypes[name].name).toBe(name)
  })

  it.each([
    ['list', ['checkbox-list', 'multi-select', 'tags-input', 'email', 'phone', 'link', 'domain']],
    [
      'sortable',
      ['text', 'number', 'currency', 'date', 'date-time', 'checkbox', 'toggle', 'radio', 'toggle-buttons', 'select'],
    ],
    ['canBeUnique', ['text', 'number', 'tags-input', 'email', 'phone', 'link', 'domain']],
    ['textLike', ['text', 'tags-input', 'email', 'phone', 'link', 'domain']],
    ['hosts', ['email', 'link']],
  ] as const)('that are %s', (property, names) => {
    expect(namesWith(property)).toEqual(names)
  })

  it.each([
    [['text'], ['$eq', '$contains']],
    [['textarea', 'rich-text'], ['$contains']],
    [
      ['number', 'currency', 'date', 'date-time'],
      ['$eq', '$gt', '$gte', '$lt', '$lte'],
    ],
    [
      ['email', 'phone', 'link', 'domain', 'checkbox-list', 'tags-input', 'multi-select'],
      ['$has_any', '$has_none'],
    ],
    [['checkbox', 'toggle'], ['$eq']],
    [
      ['radio', 'toggle-buttons', 'select'],
      ['$eq', '$in', '$not_in'],
    ],
  ] as const)('%j take %j and $is_empty', (names, operators) => {
    for (const name of names) expect(fieldTypes[name].operators).toEqual([...operators, '$is_empty'])
  })

  it('are searched in their text only where $contains can be asked', () => {
    for (const name of fieldTypeNames) {
      expect(fieldTypes[name].searchText('Text') !== null).toBe(fieldTypes[name].operators.includes('$contains'))
    }
  })
})
