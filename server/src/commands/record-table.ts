import { isObject } from '@kith/contract/raw-input'
import { printTable } from './table.ts'

/** A record of any resource, as the client shows it. */
export type ShownRecord = { id: string; type: string; attributes: object & { name?: unknown; title?: unknown } }

/** The columns of records: those that were asked for, or the label, the custom fields and then the others. */
export function columnsOf(records: readonly ShownRecord[], fields: string | undefined): string[] {
  if (fields !== undefined) return ['id', ...fields.split(',')]
  const [record] = records
  if (record === undefined) return ['id']
  const { custom_fields, ...native }: Record<string, unknown> = { ...record.attributes }
  const [label = 'name', ...others] = Object.keys(native).sort((a, b) => Number(isLabel(b)) - Number(isLabel(a)))
  const codes = Object.keys(isObject(custom_fields) ? custom_fields : {})
  return ['id', label, ...codes.map((code) => `custom_fields.${code}`), ...others]
}

function isLabel(name: string): boolean {
  return name === 'name' || name === 'title'
}

/** The texts of a record's values. */
export function rowOf(record: ShownRecord, columns: readonly string[]): string[] {
  const attributes: Record<string, unknown> = { ...record.attributes }
  return columns.map((column) => {
    if (column === 'id') return record.id
    const [name = '', code] = column.split('.', 2)
    const value = attributes[name]
    return textOf(code === undefined ? value : isObject(value) ? value[code] : undefined)
  })
}

/** One record, with a line for each value. */
export function printRecord(record: ShownRecord, columns: readonly string[]): string {
  const row = rowOf(record, columns)
  const lines = columns.map((column, index) => [column.replace(/^custom_fields\./, ''), row[index] ?? ''])
  return printTable(
    ['name', 'value'],
    lines.filter(([, text]) => text !== ''),
  )
}

/** Options by their labels, references by their IDs. */
function textOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (Array.isArray(value)) return value.map(textOf).join(', ')
  if (!isObject(value)) return String(value)
  if (typeof value.label === 'string') return value.label
  return typeof value.id === 'string' ? value.id : JSON.stringify(value)
}
