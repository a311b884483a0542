import type { FieldType } from '../field-type.ts'
import { boundedKey, fold } from '../fold.ts'
import { TAG_MAX } from '../limits.ts'
import { parseOperandList } from './operand-list.ts'
import { parseOperandText } from './operand-text.ts'
import { isLongerThan } from './text-length.ts'
import { type ListRules, parseValueList, valuesOf } from './value-list.ts'

export const tagsInput: FieldType = {
  name: 'tags-input',
  list: true,
  sortable: false,
  canBeUnique: true,
  textLike: true,
  operators: ['$has_any', '$has_none', '$is_empty'],
  hosts: false,
  chooses: false,
  parse(raw, field, path, report) {
    return parseValueList(raw, rules, field, path, report)
  },
  present(stored) {
    return stored
  },
  index(stored) {
    return valuesOf(stored).map((tag) => {
      const key = keyOf(tag)
      return { match_key: key, number_key: null, host_key: null, exact: key === tag ? null : tag }
    })
  },
  searchText: () => null,
  operand(operator, raw, field, path, report, loose) {
    const bare = loose ? 'one value' : 'refused'
    const texts = parseOperandList(raw, bare, { name: field.name, path, report }, (item, itemPath) =>
      parseOperandText(item, field.name, itemPath, report),
    )
    return texts && { test: operator === '$has_any' ? 'any' : 'none', keys: texts.map(keyOf), texts }
  },
}

const rules: ListRules = {
  parseValue(tag, field, path, report) {
    if (!isLongerThan(tag, TAG_MAX)) return tag
    report(path, `The ${field.name} must not have a value longer than ${TAG_MAX} characters.`)
    return undefined
  },
  // Tags are kept as typed and filters tell them apart by letter case, so "VIP" and "vip" are two.
  keyOf: (tag) => tag,
  most: (field) => field.max_values,
}

function keyOf(tag: string): string {
  return boundedKey(fold(tag))
}
