import { type Answered, apiAt } from '../api.ts'
import { imported, resultsOf } from '../both/jobs/jobs.ts'
import type { Operation, Side } from './race-operations.ts'
import type { World } from './race-world.ts'

type Rows = (ids: World['ids'], by: string) => string[]

/** An import of a few rows, which are one chunk. Its answer is what became of each row. */
function importOf(options: { mode: string; match: string }, touches: string, rows: Rows): Operation {
  const run = async ({ place, token, ids }: World, { node, by }: Side): Promise<Answered> => {
    const api = apiAt(place.nodes[node % place.nodes.length] ?? '', token)
    const job = await imported(api, rows(ids, by).join('\n'), options)
    const results = await resultsOf(api, job.id)
    const attributes = { state: job.attributes.state, outcomes: results.map(({ outcome }) => outcome) }
    return { status: 200, text: '', headers: new Headers(), body: { data: { attributes } } }
  }
  return { name: `import by ${options.match} (${touches})`, touches: touches.split(', '), run }
}

export const imports: readonly Operation[] = [
  importOf({ mode: 'update', match: 'id' }, 'winner, loser', ({ winner, loser }, by) => [
    'id,name',
    `${loser},${by}`,
    `${winner},${by}`,
  ]),
  importOf({ mode: 'upsert', match: 'domains' }, 'kept.example, gone.example, tier', (_ids, by) => [
    'name,domains,tier',
    `${by},kept.example,Gold`,
    `${by},gone.example,Gold`,
  ]),
]
