/** A record's stored values without some options of one field; undefined when it holds none of them. */
export function withoutOptions(json: string, key: string, gone: readonly string[]): string | undefined {
  // Most deleted records hold none, and a search for the ids is much cheaper than parsing the JSON.
  if (!gone.some((id) => json.includes(id))) return undefined
  const values: Record<string, unknown> = JSON.parse(json)
  const stored = values[key]
  const held = Array.isArray(stored) ? stored : [stored]
  const left = held.filter((id) => !gone.includes(id))
  if (left.length === held.length) return undefined
  const { [key]: _, ...others } = values
  return JSON.stringify(left.length === 0 ? others : { ...values, [key]: left })
}
