import type { FieldDefinition } from './field-definition.ts'
import type { FieldType } from './field-type.ts'
import type { FieldTypeName } from './field-type-name.ts'
import { checkbox, toggle } from './field-types/boolean.ts'
import { currency } from './field-types/currency.ts'
import { date } from './field-types/date.ts'
import { dateTime } from './field-types/date-time.ts'
import { domain } from './field-types/domain.ts'
import { email } from './field-types/email.ts'
import { link } from './field-types/link.ts'
import { richText, textarea } from './field-types/long-text.ts'
import { checkboxList, multiSelect } from './field-types/multi-choice.ts'
import { number } from './field-types/number.ts'
import { phone } from './field-types/phone.ts'
import { member, record } from './field-types/reference.ts'
import { radio, select, toggleButtons } from './field-types/single-choice.ts'
import { tagsInput } from './field-types/tags.ts'
import { text } from './field-types/text.ts'

export const fieldTypes: Readonly<Record<FieldTypeName, FieldType>> = {
  text,
  textarea,
  'rich-text': richText,
  number,
  currency,
  date,
  'date-time': dateTime,
  checkbox,
  toggle,
  radio,
  'toggle-buttons': toggleButtons,
  select,
  'checkbox-list': checkboxList,
  'multi-select': multiSelect,
  'tags-input': tagsInput,
  email,
  phone,
  link,
  domain,
  record,
  member,
}

/** Whether a field is read as a list: `[]` when unset. Single values are `null` then. */
export function isList({ type, multiple }: Pick<FieldDefinition, 'type' | 'multiple'>): boolean {
  const { list, refersTo } = fieldTypes[type]
  return refersTo ? multiple : list
}
