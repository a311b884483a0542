import { escapeFormula, unescapeFormula } from './formula.ts'

/**
 * Several values in one CSV cell: joined by `;`. If that could be read as other values, they are a JSON list. Each of
 * the joined values is protected from spreadsheets, because some of them split cells at `;`.
 */
export function writeListCell(values: readonly string[]): string {
  const joined = values.map(escapeFormula).join(';')
  return values.some((value) => value.includes(';')) || jsonList(joined) ? JSON.stringify(values) : joined
}

/** The values that `writeListCell` was given. An empty cell has none. */
export function readListCell(text: string): string[] {
  if (text === '') return []
  return jsonList(text) ?? text.split(';').map(unescapeFormula)
}

function jsonList(text: string): string[] | undefined {
  if (!text.trimStart().startsWith('[')) return undefined
  try {
    const list: unknown = JSON.parse(text)
    return Array.isArray(list) && list.every((item) => typeof item === 'string') ? list : undefined
  } catch {
    return undefined
  }
}
