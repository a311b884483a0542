import { isObject, parseJson } from '@kith/contract/raw-input'
import { enterAsOperator } from '../accounts/workspace.ts'
import { openScope } from '../fields/definitions.ts'
import { listRecords } from '../records/list.ts'
import { readSummary } from '../records/summary.ts'
import { requireResource } from '../scope/read-input.ts'
import { planOf, type Ran, recorded } from '../storage/engines/recorded.ts'
import { BadUsage, defineCommand, workspaceOption } from './command.ts'
import { withReader } from './with-database.ts'

/** A statement of a request, and how the database finds its rows. */
type Step = Ran & { plan: string[] }

export const explain = defineCommand({
  about: 'Show the statements of a list or a summary, how long each takes, and how the database finds its rows.',
  options: {
    resource: { value: 'RESOURCE', about: 'The code of a resource, such as companies.', required: true, operand: true },
    workspace: workspaceOption,
    query: { value: 'JSON', about: 'The body of POST /v1/{resource}/query, such as {"sort": "name"}.' },
    summary: { value: 'JSON', about: 'The body of POST /v1/{resource}/summary instead.' },
  },
  async run({ resource, workspace, query, summary }, context) {
    if (query !== undefined && summary !== undefined) throw new BadUsage('Write --query or --summary, not both.')
    const asked = { raw: bodyIn(query ?? summary ?? '{}', summary ? '--summary' : '--query'), loose: false, issues: [] }
    const steps = await withReader(context, async (engine) => {
      const runtime = { engine, secret: context.config.SECRET, now: context.now }
      const entered = await enterAsOperator(runtime, workspace)
      const ran: Ran[] = []
      const scope = await openScope({ ...runtime, engine: recorded(engine, ran) }, entered)
      const declared = requireResource(scope.schema, resource)
      // Statements of the definitions are those of every request.
      ran.length = 0
      await (summary === undefined ? listRecords : readSummary)(scope, declared, asked)
      const steps: Step[] = []
      for (const one of ran) steps.push({ ...one, plan: await planOf(engine, one) })
      return steps
    })
    return { text: steps.map(textOf).join('\n\n'), json: steps.map(({ waits, ...shown }) => shown) }
  },
})

function bodyIn(text: string, option: string): Readonly<Record<string, unknown>> {
  const body = parseJson(text)
  if (!isObject(body)) throw new BadUsage(`${option} must be a JSON object, as it is sent over HTTP.`)
  return body
}

function textOf({ sql, parameters, ms, rows, plan }: Step): string {
  const lines = [`-- ${ms.toFixed(1)} ms, ${rows} ${rows === 1 ? 'row' : 'rows'}`, sql.replaceAll(/\n\s*/g, '\n  ')]
  if (parameters.length > 0) lines.push(`-- ${JSON.stringify(parameters)}`)
  return [...lines, ...plan.map((line) => `--   ${line}`)].join('\n')
}
