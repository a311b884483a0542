import type { FieldType } from '../field-type.ts'
import { RICH_TEXT_MAX, TEXTAREA_MAX } from '../limits.ts'
import { containsTest, foldedText, parsePlainText } from './plain-text.ts'

export const textarea: FieldType = longText({
  name: 'textarea',
  multiline: 'plain',
  max: TEXTAREA_MAX,
  example: () => ({ value: 'Two lines\nof text', filter: { $contains: 'lines' } }),
})
export const richText: FieldType = longText({
  name: 'rich-text',
  multiline: 'markdown',
  max: RICH_TEXT_MAX,
  example: () => ({ value: 'Some **Markdown**', filter: { $contains: 'markdown' } }),
})

function longText({
  max,
  ...own
}: Required<Pick<FieldType, 'name' | 'multiline' | 'example'>> & { max: number }): FieldType {
  return {
    ...own,
    kind: 'LongText',
    list: false,
    sortable: false,
    canBeUnique: false,
    textLike: false,
    searched: 'text',
    operators: ['$contains', '$is_empty'],
    parse(raw, place) {
      return parsePlainText(raw, max, place)
    },
    present(stored) {
      return stored
    },
    // Long texts are never compared, so the row only marks the value as present.
    index(stored) {
      return typeof stored === 'string' ? [{ match_key: null, number_key: null, host_key: null, exact: null }] : []
    },
    searchText: foldedText,
    operand(_operator, raw, place) {
      return containsTest(raw, place)
    },
  }
}
