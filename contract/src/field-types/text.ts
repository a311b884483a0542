import type { FieldType } from '../field-type.ts'
import { boundedKey, fold } from '../fold.ts'
import { TEXT_MAX_DEFAULT } from '../limits.ts'
import { parseOperandText } from './operand-text.ts'
import { containsTest, foldedText, parsePlainText } from './plain-text.ts'

export const text: FieldType = {
  name: 'text',
  list: false,
  sortable: true,
  canBeUnique: true,
  textLike: true,
  operators: ['$eq', '$contains', '$is_empty'],
  hosts: false,
  chooses: false,
  parse(raw, field, path, report) {
    return parsePlainText(raw, field.settings.max_length ?? TEXT_MAX_DEFAULT, { field, path, report })
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
  operand(operator, raw, field, path, report) {
    if (operator === '$contains') return containsTest(raw, { field, path, report })
    const sought = parseOperandText(raw, field.name, path, report)
    if (sought === undefined) return undefined
    return { test: 'exact', key: boundedKey(fold(sought)), text: sought }
  },
}
