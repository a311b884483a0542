import { expect, it } from 'vitest'
import { ownService } from '../own-service.ts'

it('the service connects again after the database has closed all its connections', async () => {
  const { workspace: create, runtime } = await ownService()
  const workspace = await create()
  const list = () => workspace.api.get('/companies').then(({ status }) => status)
  expect(await list()).toBe(200)
  const { rows } = await runtime.engine.transaction(({ session }) =>
    session.run(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()`,
      [],
    ),
  )
  expect(rows.length).toBeGreaterThan(0)
  // A request that arrives before the service notices is told to try again.
  let status = await list()
  while (status === 503) status = await list()
  expect(status).toBe(200)
})
