import type { FieldTypeName } from '@kith/contract/field-type'

/** The types of fields in the order in which one chooses, each with what it is for. */
export const typeGroups: readonly { name: string; types: readonly FieldTypeName[] }[] = [
  { name: 'Text', types: ['text', 'textarea', 'rich-text'] },
  { name: 'Numbers and time', types: ['number', 'currency', 'date', 'date-time'] },
  { name: 'Yes or no', types: ['toggle', 'checkbox'] },
  { name: 'One choice', types: ['select', 'radio', 'toggle-buttons'] },
  { name: 'Several choices', types: ['multi-select', 'checkbox-list', 'tags-input'] },
  { name: 'Addresses', types: ['email', 'phone', 'link', 'domain'] },
]

export const typeWords: Readonly<Record<FieldTypeName, string>> = {
  text: 'One line, such as a job title',
  textarea: 'Several lines, plain',
  'rich-text': 'Formatted text, kept as Markdown',
  number: 'Any number, whole or not',
  currency: 'An amount of money, kept exactly',
  date: 'A calendar day',
  'date-time': 'A moment, shown in each reader’s time zone',
  toggle: 'A switch, on or off',
  checkbox: 'A tick, yes or no',
  select: 'One of a list; makes the columns of a board',
  radio: 'One of a few',
  'toggle-buttons': 'One of a few, as buttons',
  'multi-select': 'Several of a list',
  'checkbox-list': 'Several of a few',
  'tags-input': 'Words of one’s own, without a fixed list',
  email: 'One or several email addresses',
  phone: 'Phone numbers with country code',
  link: 'Web addresses',
  domain: 'Domains of a company',
}
