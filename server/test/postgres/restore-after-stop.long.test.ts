import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import pg from 'pg'
import { expect, it } from 'vitest'
import { installation, newFolder } from '../installation.ts'

it('kith restore waits for the connections of a service that has just stopped', async () => {
  const place = await installation()
  const file = join(newFolder(), 'whole.kith')
  expect((await place.kith('user', 'create', '--name', 'Ada', '--email', 'ada@example.com')).code).toBe(0)
  expect((await place.kith('backup', file)).code).toBe(0)
  const left = new pg.Client({ connectionString: place.database.url, application_name: 'kith' })
  await left.connect()
  const restoring = place.kith('restore', file, '--replace')
  await setTimeout(200)
  await left.end()
  expect(await restoring).toMatchObject({ code: 0, stderr: '' })
})
