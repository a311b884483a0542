import type { Field } from '../api/fields.ts'

/** The stages in which an opportunity is no longer open, in a workspace that has them. */
const CLOSED: readonly string[] = ['Closed Won', 'Closed Lost']

export function isClosedStage(label: string): boolean {
  return CLOSED.includes(label)
}

/** The filter of the opportunities that are open. */
export function openDealsFilter(fields: readonly Field[]): Record<string, unknown> {
  const stages = fields.find(({ code }) => code === 'stage')?.options ?? []
  const ids = stages.filter(({ label }) => isClosedStage(label)).map(({ id }) => id)
  return ids.length === 0 ? {} : { $not: { custom_fields: { stage: { $in: ids } } } }
}
