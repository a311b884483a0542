import type { FieldTypeName } from '@kith/contract/field-type-name'
import { domain, email, link, phone } from './addresses.tsx'
import { checkbox, toggle } from './boolean.tsx'
import { currency } from './currency.tsx'
import { date } from './date.tsx'
import { dateTime } from './date-time.tsx'
import type { FieldView } from './field-view.ts'
import { textarea } from './long-text.tsx'
import { checkboxList, multiSelect } from './multi-choice.tsx'
import { number } from './number.tsx'
import { member, record } from './reference.tsx'
import { richText } from './rich-text.tsx'
import { radio, select, toggleButtons } from './single-choice.tsx'
import { tagsInput } from './tags.tsx'
import { text } from './text.tsx'

/** How the application shows, edits and filters each type of field, in the order of the settings. */
export const fieldViews: Readonly<Record<FieldTypeName, FieldView>> = {
  text,
  textarea,
  'rich-text': richText,
  number,
  currency,
  date,
  'date-time': dateTime,
  toggle,
  checkbox,
  select,
  radio,
  'toggle-buttons': toggleButtons,
  'multi-select': multiSelect,
  'checkbox-list': checkboxList,
  'tags-input': tagsInput,
  email,
  phone,
  link,
  domain,
  record,
  member,
}
