import type { FieldType } from '../field-type.ts'
import { RICH_TEXT_MAX, TEXTAREA_MAX } from '../limits.ts'
import { containsTest, foldedText, parsePlainText } from './plain-text.ts'

export const textarea: FieldType = longText('textarea', TEXTAREA_MAX)
export const richText: FieldType = longText('rich-text', RICH_TEXT_MAX)

function longText(name: 'textarea' | 'rich-text', max: number): FieldType {
  return {
    name,
    list: false,
    sortable: false,
    canBeUnique: false,
    textLike: false,
    operators: ['$contains', '$is_empty'],
    hosts: false,
    chooses: false,
    parse(raw, field, path, report) {
      return parsePlainText(raw, max, { field, path, report })
    },
    present(stored) {
      return stored
    },
    // Nobody compares long texts, so the row only says that there is one.
    index(stored) {
      return typeof stored === 'string' ? [{ match_key: null, number_key: null, host_key: null, exact: null }] : []
    },
    searchText: foldedText,
    operand(_operator, raw, field, path, report) {
      return containsTest(raw, { field, path, report })
    },
  }
}
