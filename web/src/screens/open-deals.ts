import { PROBABILITY_MAX } from '@kith/contract/limits'
import type { Field } from '../api/fields.ts'

/** The stages in which an opportunity is no longer open, where they have no probability. */
const CLOSED: readonly string[] = ['Closed Won', 'Closed Lost']

type Stage = { label: string; probability?: number }

/** Won or lost: by the probability of a stage, and without one by its name. */
function isClosed({ label, probability }: Stage): boolean {
  return probability === undefined ? CLOSED.includes(label) : [0, PROBABILITY_MAX].includes(probability)
}

/** The ids of the stages in which an opportunity is no longer open. */
export function closedStages(fields: readonly Field[]): string[] {
  const stages = fields.find(({ code }) => code === 'stage')?.options ?? []
  return stages.filter((stage) => isClosed(stage)).map(({ id }) => id)
}

/** The filter of the opportunities that are open. */
export function openDealsFilter(fields: readonly Field[]): Record<string, unknown> {
  const ids = closedStages(fields)
  return ids.length === 0 ? {} : { $not: { custom_fields: { stage: { $in: ids } } } }
}
