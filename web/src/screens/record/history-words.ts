/** One line of the audit log, as the private API answers it. */
export type Entry = {
  id: string
  at: string
  actor: { id: string; name: string } | null
  door: string
  token: { id: string; name: string | null } | null
  action: string
  record_name: string | null
  changes: { field: string; label: string; before?: unknown; after?: unknown }[]
}

const actions: Readonly<Record<string, string>> = {
  create: 'created it',
  update: 'changed it',
  delete: 'deleted it',
  restore: 'restored it',
  merge: 'merged others into it',
  merged: 'merged it into another one',
  undo: 'undid a merge',
}

export function actionOf({ action }: Entry): string {
  return actions[action] ?? action.replaceAll('_', ' ')
}

const doors: Readonly<Record<string, string>> = {
  api: 'API',
  mcp: 'tool server',
  import: 'import',
  cli: 'command line',
  sample: 'sample',
}

/** Through which door, where it was not the application. */
export function doorOf({ door, token }: Entry): string | undefined {
  const name = doors[door]
  return name && token?.name ? `${name}, ${token.name}` : name
}

/** A value in few words, whatever its type. */
export function wordsOf(value: unknown): string {
  if (value === null || value === undefined || value === '') return 'empty'
  if (Array.isArray(value)) return value.length === 0 ? 'empty' : value.map(wordsOf).join(', ')
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value === 'object')
    return 'label' in value ? String(value.label) : 'name' in value ? String(value.name) : JSON.stringify(value)
  return String(value)
}
