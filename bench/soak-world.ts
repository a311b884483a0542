import { randomBytes } from 'node:crypto'
import { abilities } from '@kith/contract/abilities'
import { enterAsOperator } from '../server/src/accounts/enter-workspace.ts'
import { createToken } from '../server/src/accounts/tokens.ts'
import { createUser } from '../server/src/accounts/users.ts'
import { createWorkspace } from '../server/src/accounts/workspaces.ts'
import { loadSample } from '../server/src/sample/load.ts'
import { openEngine } from '../server/src/storage/engines/open-engine.ts'
import { migrate } from '../server/src/storage/migrations/migrate.ts'
import { testDatabase } from '../server/test/engine.ts'
import { startPostgres } from '../server/test/setup/postgres.ts'

export type SoakWorld = {
  env: { DATABASE_URL: string; SECRET: string }
  tokens: readonly string[]
  ids: readonly string[]
  drop(): Promise<void>
}

const COMPANIES = 20_000

/** A workspace of some size and many tokens, in a database of its own. */
export async function soakWorld(engineName: string, tokenCount: number): Promise<SoakWorld> {
  const server = engineName === 'postgres' ? await startPostgres() : undefined
  if (server) process.env.TEST_DATABASE_URL = server.url
  const database = await testDatabase(engineName)
  const secret = randomBytes(32).toString('hex')
  const engine = openEngine({ url: database.url, connections: 4 }, { writes: true })
  await migrate(engine, new Date())
  const runtime = { engine, secret, now: () => new Date() }
  const owner = await createUser(runtime, { name: 'Soak', email: 'soak@example.com' })
  const { slug } = await createWorkspace(runtime, { name: 'Soak', owner: owner.email })
  const scope = await enterAsOperator(runtime, slug, 'sample')
  await loadSample(scope, {
    sizes: { companies: COMPANIES, people: 5000, opportunities: 0, tasks: 0, notes: 0 },
    seed: 1,
  })
  const tokens: string[] = []
  for (let index = 0; index < tokenCount; index++)
    tokens.push((await createToken(scope, { name: `soak ${index}`, abilities, expires: 'never' })).token)
  const rows = await engine.db.query.selectFrom('companies').select('id').orderBy('id').limit(1000).execute()
  await engine.close()
  return {
    env: { DATABASE_URL: database.url, SECRET: secret },
    tokens,
    ids: rows.map((row) => row.id),
    async drop() {
      await database.drop()
      await server?.stop()
    },
  }
}
