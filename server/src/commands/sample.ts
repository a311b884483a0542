import { perResource, resourceNames } from '@kith/contract/resource'
import { enterAsOperator } from '../accounts/workspace.ts'
import { loadSample, SMALL_SAMPLE } from '../sample/load.ts'
import { requireResource } from '../scope/read-input.ts'
import { BadUsage, defineCommand, Failure, workspaceOption } from './command.ts'
import { withDatabase } from './with-database.ts'

const RECORDS_MAX = 10_000_000

export const sample = defineCommand({
  about: 'Fill a workspace with sample records. The same seed gives the same records on the same day.',
  options: {
    workspace: workspaceOption,
    ...perResource((name) => ({ value: 'N', about: `How many ${name}; ${SMALL_SAMPLE[name]} if no number is given.` })),
    own: { value: 'R=N', about: 'How many records of a resource of the workspace: projects=100.', repeats: true },
    seed: { value: 'K', about: 'A whole number that selects the records.' },
  },
  async run(values, context) {
    const own = ownSizes(values.own)
    const isSmall = own === undefined && resourceNames.every((name) => values[name] === undefined)
    const sizes: Readonly<Record<string, number>> = isSmall
      ? SMALL_SAMPLE
      : { ...perResource((name) => whole(name, values[name])), ...own }
    const seed = whole('seed', values.seed)
    const started = performance.now()
    const records = await withDatabase(context, async (runtime) => {
      const scope = await enterAsOperator(runtime, values.workspace, 'sample')
      for (const name of Object.keys(sizes)) requireResource(scope.schema, name)
      return loadSample(scope, { sizes, seed })
    })
    const seconds = Math.round((performance.now() - started) / 100) / 10
    const counts = Object.entries(sizes).flatMap(([name, size]) => (size ? [`${size} ${name}`] : []))
    return { text: `Created ${counts.join(', ') || 'no records'} in ${seconds} s.`, json: { records, seconds } }
  },
})

/** The numbers of records by resource: `projects=100`. */
function ownSizes(lines: readonly string[] | undefined): Record<string, number> | undefined {
  if (lines === undefined) return undefined
  const sizes = lines.map((line) => {
    const [, code, size] = /^(\w+)=(\d+)$/.exec(line) ?? []
    if (code === undefined)
      throw new BadUsage(`--own must be a resource and a number such as projects=100, not ${line}.`)
    return [code, whole('own', size)] as const
  })
  return Object.fromEntries(sizes)
}

function whole(name: string, text: string | undefined): number {
  if (text === undefined) return 0
  const number = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN
  if (number <= RECORDS_MAX) return number
  throw new Failure(`--${name} must be a whole number from 0 to ${RECORDS_MAX}.`)
}
