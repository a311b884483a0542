import { once } from 'node:events'
import { expect, it } from 'vitest'
import { apiAt } from '../api.ts'
import { ended, newImport, resultsOf, sendFile } from '../both/jobs/jobs.ts'
import { installation } from '../installation.ts'
import { newWorkspace, runtimeAt } from '../workspace.ts'

const ROWS = 6000

it('an import goes on after kill -9: no row is lost and none is done twice', { timeout: 120_000 }, async () => {
  const { database, env, start } = await installation()
  let service = await start()
  const runtime = runtimeAt(database.url, env.SECRET ?? '')
  const { api: first } = await newWorkspace({ url: service.url, runtime })
  await runtime.engine.close()
  const id = await newImport(first)
  const names = Array.from({ length: ROWS }, (_, index) => `Row ${index + 1}`)
  expect((await sendFile(first, id, `name\n${names.join('\n')}\n`)).status).toBe(202)
  const doneOf = async () => (await first.get(`/jobs/${id}`)).body.data.attributes.progress.done
  while ((await doneOf()) === 0);
  const gone = once(service.process, 'exit')
  service.process.kill('SIGKILL')
  await gone
  service = await start()
  const api = apiAt(service.url, first.token)
  const job = await ended(api, id)
  expect(job.attributes).toMatchObject({
    state: 'done',
    progress: { rows: ROWS, done: ROWS, created: ROWS, failed: 0 },
  })
  expect((await api.get('/companies?per_page=1')).body.meta.total).toBe(ROWS)
  expect(await resultsOf(api, id)).toHaveLength(ROWS)
})
