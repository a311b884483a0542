import type { FieldType } from '../field-type.ts'
import { boundedKey, fold } from '../fold.ts'
import { TEXT_MAX_DEFAULT } from '../limits.ts'
import { parseOperandText } from './operand-text.ts'
import { containsTest, foldedText, parsePlainText } from './plain-text.ts'

export const text: FieldType = {
  name: 'text',
  kind: 'Text',
  list: false,
  sortable: true,
  canBeUnique: true,
  textLike: true,
  operators: ['$eq', '$contains', '$is_empty'],
  valueKey: 'match_key',
  searched: 'text',
  settings: { max_length: TEXT_MAX_DEFAULT },
  example: () => ({ value: 'Head of Operations', filter: { $contains: 'operations' } }),
  parse(raw, place) {
    return parsePlainText(raw, place.field.settings.max_length ?? TEXT_MAX_DEFAULT, place)
  },
  present(stored) {
    return stored
  },
  index(stored) {
    if (typeof stored !== 'string') return []
    const key = boundedKey(fold(stored))
    return [{ match_key: key, number_key: null, host_key: null, exact: key === stored ? null : stored }]
  },
  searchText: foldedText,
  operand(operator, raw, place) {
    if (operator === '$contains') return containsTest(raw, place)
    const sought = parseOperandText(raw, { ...place, name: place.field.name })
    if (sought === undefined) return undefined
    return { test: 'exact', key: boundedKey(fold(sought)), text: sought }
  },
}
