import { perResource, resourceNames } from '@kith/contract/resource'
import { enterAsOperator } from '../accounts/workspace.ts'
import { loadSample, SMALL_SAMPLE } from '../sample/load.ts'
import { defineCommand, Failure, workspaceOption } from './command.ts'
import { withDatabase } from './with-database.ts'

const RECORDS_MAX = 10_000_000

export const sample = defineCommand({
  about: 'Fill a workspace with sample records. The same seed gives the same records on the same day.',
  options: {
    workspace: workspaceOption,
    ...perResource((name) => ({ value: 'N', about: `How many ${name}; ${SMALL_SAMPLE[name]} if no number is given.` })),
    seed: { value: 'K', about: 'A whole number that selects the records.' },
  },
  async run(values, context) {
    const isSmall = resourceNames.every((name) => values[name] === undefined)
    const sizes = isSmall ? SMALL_SAMPLE : perResource((name) => whole(name, values[name]))
    const seed = whole('seed', values.seed)
    const started = performance.now()
    const records = await withDatabase(context, async (runtime) => {
      const scope = await enterAsOperator(runtime, values.workspace, 'sample')
      return loadSample(scope, { sizes, seed })
    })
    const seconds = Math.round((performance.now() - started) / 100) / 10
    const counts = resourceNames.flatMap((name) => (sizes[name] ? [`${sizes[name]} ${name}`] : []))
    return { text: `Created ${counts.join(', ') || 'no records'} in ${seconds} s.`, json: { records, seconds } }
  },
})

function whole(name: string, text: string | undefined): number {
  if (text === undefined) return 0
  const number = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN
  if (number <= RECORDS_MAX) return number
  throw new Failure(`--${name} must be a whole number from 0 to ${RECORDS_MAX}.`)
}
