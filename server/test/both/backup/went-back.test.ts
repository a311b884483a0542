import { expect, it } from 'vitest'
import { ownService } from '../../own-service.ts'
import { runKith } from '../../run-kith.ts'

it('kith migrate --went-back: followers of the feed and holders of tags notice that the database was restored', async () => {
  const own = await ownService()
  const { api } = await own.workspace()
  await api.post('/companies', { name: 'Globex' })
  const { next_cursor: cursor } = (await api.get('/changes?cursor=now')).body.meta
  const tag = (await api.get('/companies')).headers.get('etag') ?? ''
  const listed = () => api.get('/companies', { headers: { 'If-None-Match': tag } })
  expect([(await api.get(`/changes?cursor=${cursor}`)).status, (await listed()).status]).toEqual([200, 304])

  expect(await runKith(['migrate'], own.env)).toMatchObject({ code: 0 })
  expect([(await api.get(`/changes?cursor=${cursor}`)).status, (await listed()).status]).toEqual([200, 304])
  const ran = await runKith(['migrate', '--went-back'], own.env)
  expect(ran).toEqual({
    code: 0,
    stdout: 'The database is at this version already.\nThe feeds begin again.\n',
    stderr: '',
  })
  const gone = await api.get(`/changes?cursor=${cursor}`)
  expect([gone.status, gone.body.reason]).toEqual([410, 'restored'])
  expect((await listed()).status).toBe(200)

  const { next_cursor } = (await api.get('/changes?cursor=now')).body.meta
  await api.post('/companies', { name: 'Initech' })
  expect((await api.get(`/changes?cursor=${next_cursor}`)).body.data).toHaveLength(1)
  await own.stop()
})
