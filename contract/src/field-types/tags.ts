import type { FieldType } from '../field-type.ts'
import { boundedKey, fold, isLongerThan } from '../fold.ts'
import { TAG_MAX } from '../limits.ts'
import { parseOperandList } from './operand-list.ts'
import { parseOperandText } from './operand-text.ts'
import { type ListRules, parseValueList, valuesOf } from './value-list.ts'

export const tagsInput: FieldType = {
  name: 'tags-input',
  kind: 'Tags',
  list: true,
  repeatable: 'always',
  sortable: false,
  canBeUnique: true,
  textLike: true,
  operators: ['$has_any', '$has_none', '$is_empty'],
  valueKey: 'match_key',
  searched: 'text',
  example: () => ({ value: ['vip'], filter: { $has_any: ['vip'] } }),
  parse(raw, place) {
    return parseValueList(raw, rules, place)
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
  operand(operator, raw, { field, path, report, loose }) {
    const place = { name: field.name, path, report }
    const bare = loose ? 'one value' : 'refused'
    const texts = parseOperandList(raw, { ...place, bare }, (item, itemPath) =>
      parseOperandText(item, { ...place, path: itemPath }),
    )
    return texts && { test: operator === '$has_any' ? 'any' : 'none', keys: texts.map(keyOf), texts }
  },
}

const rules: ListRules = {
  parseValue(tag, { field, path, report }) {
    if (!isLongerThan(tag, TAG_MAX)) return tag
    report(path, `The ${field.name} must not have a value longer than ${TAG_MAX} characters.`)
    return undefined
  },
  // Tags are stored as typed, and filters are case-sensitive: "VIP" and "vip" are two tags.
  keyOf: (tag) => tag,
  most: (field) => field.max_values,
}

function keyOf(tag: string): string {
  return boundedKey(fold(tag))
}
