import { expect, it } from 'vitest'
import type { Property } from '../../../properties/property.ts'
import { EMPTY, foldGroups, REST, withFolded } from './folding.ts'
import type { Group } from './grouping.ts'

const options = ['won', 'lost', 'open'].map((id, position) => ({ id, label: id, color: null, position }))
// What folding reads of a property.
const property = {
  kind: 'custom',
  key: 'custom_fields.stage',
  field: { type: 'select', code: 'stage', name: 'Stage', options },
} as unknown as Property

const groups: Group[] = [
  { key: 'won', label: 'Won', count: 2, filter: {}, color: null },
  { key: 'open', label: 'Open', count: 5, filter: {}, color: null },
  { key: null, label: 'No stage', count: 1, filter: {}, color: null },
]

it('keeps the ids of what is folded, and drops those of deleted options', () => {
  expect(withFolded(undefined, 'won', options)).toBe('won')
  expect(withFolded('won', 'lost', options)).toBe('won,lost')
  expect(withFolded('won,lost', 'won', options)).toBe('lost')
  expect(withFolded('won,deleted', 'lost', options)).toBe('won,lost')
})

it('folds groups into one at the end, which finds their records', () => {
  const [first, rest, ...others] = foldGroups(groups, property, `won,${EMPTY},deleted`)
  expect(others).toEqual([])
  expect(first?.key).toBe('open')
  expect(rest).toEqual({
    key: REST,
    label: '2 folded: Won, No stage',
    count: 3,
    color: null,
    filter: {
      $or: [{ custom_fields: { stage: { $is_empty: true } } }, { custom_fields: { stage: { $in: ['won'] } } }],
    },
  })
})

it('leaves groups alone if nothing of them is folded, and if records have several values', () => {
  expect(foldGroups(groups, property, undefined)).toEqual(groups)
  expect(foldGroups(groups, property, 'lost')).toEqual(groups)
  const several = {
    ...property,
    field: { type: 'multi-select', code: 'kinds', name: 'Kinds', options },
  } as unknown as Property
  expect(foldGroups(groups, several, 'won')).toEqual(groups)
})
