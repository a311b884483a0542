import { DatabaseSync } from 'node:sqlite'
import { expect, it } from 'vitest'
import { sqlitePath } from '../../src/storage/engines/database-url.ts'
import { ownService } from '../own-service.ts'

it('while another process writes, a write waits; if that takes too long it is asked to come back', async () => {
  const own = await ownService()
  const { api } = await own.workspace()
  const other = new DatabaseSync(sqlitePath(own.env.DATABASE_URL ?? ''))
  const post = (name: string) => api.post('/companies', { name })
  other.exec('begin immediate')
  const waiting = post('Waits')
  await new Promise((resolve) => setTimeout(resolve, 500))
  other.exec('rollback')
  expect((await waiting).status).toBe(201)
  other.exec('begin immediate')
  const refused = await post('Refused')
  other.exec('rollback')
  other.close()
  expect(refused.status, refused.text).toBe(503)
  expect(refused.headers.get('Retry-After')).toBe('1')
  expect((await post('Again')).status).toBe(201)
  const { body } = await api.get('/companies?sort=created_at')
  expect(body.data.map((one: { attributes: { name: string } }) => one.attributes.name)).toEqual(['Waits', 'Again'])
})
