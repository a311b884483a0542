/**
 * A value as TypeScript source, as a person would write it: short ones on one line, keys without quotes where they
 * need none.
 */
export function literal(value: unknown, indent = ''): string {
  const short = onOneLine(value)
  if (typeof value !== 'object' || value === null || indent.length + short.length <= 80) return short
  const inner = `${indent}  `
  if (Array.isArray(value)) {
    return `[\n${value.map((item) => `${inner}${literal(item, inner)},\n`).join('')}${indent}]`
  }
  const entries = Object.entries(value).map(([key, item]) => `${inner}${keyOf(key)}: ${literal(item, inner)},\n`)
  return `{\n${entries.join('')}${indent}}`
}

function onOneLine(value: unknown): string {
  if (typeof value === 'string') return textOf(value)
  if (typeof value !== 'object' || value === null) return String(value)
  if (Array.isArray(value)) return `[${value.map(onOneLine).join(', ')}]`
  const entries = Object.entries(value).map(([key, item]) => `${keyOf(key)}: ${onOneLine(item)}`)
  return entries.length === 0 ? '{}' : `{ ${entries.join(', ')} }`
}

function textOf(text: string): string {
  return `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`
}

function keyOf(key: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(key) ? key : textOf(key)
}

/** One argument of a shell command, whatever is in it. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
