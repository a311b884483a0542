import { expect, it, vi } from 'vitest'
import { localService } from '../test/local-service.ts'
import { createClient } from './client.ts'

const later = { status: 503, headers: { 'Retry-After': '60' }, body: { message: 'Retry shortly.' } }

it('sends nothing when the signal is aborted already', async () => {
  const { url, received } = await localService('silence')
  const kith = createClient({ url, token: 't' })
  await expect(kith.companies.list({ signal: AbortSignal.abort('enough') })).rejects.toBe('enough')
  await expect(kith.companies.delete('1', { signal: AbortSignal.abort('enough') })).rejects.toBe('enough')
  expect(received).toEqual([])
})

it('ends a request that is under way, and does not repeat it', async () => {
  const { url, received } = await localService('silence')
  const abort = new AbortController()
  const read = createClient({ url, token: 't' }).companies.read('1', { signal: abort.signal })
  await vi.waitUntil(() => received.length === 1)
  abort.abort(new Error('enough'))
  await expect(read).rejects.toThrow('enough')
  expect(received).toHaveLength(1)
})

it('ends a wait between two attempts', async () => {
  const { url, received } = await localService(later)
  const abort = new AbortController()
  const created = createClient({ url, token: 't' }).companies.create({ name: 'Acme' }, { signal: abort.signal })
  await vi.waitUntil(() => received.length === 1)
  abort.abort()
  await expect(created).rejects.toMatchObject({ name: 'AbortError' })
  expect(received).toHaveLength(1)
})

it('ends every call of a client by the signal of the client', async () => {
  const { url, received } = await localService('silence')
  const abort = new AbortController()
  const kith = createClient({ url, token: 't', signal: abort.signal })
  const calls = Promise.allSettled([kith.user(), kith.people.list({ signal: new AbortController().signal })])
  await vi.waitUntil(() => received.length === 2)
  abort.abort('enough')
  const rejected = { status: 'rejected', reason: 'enough' }
  expect(await calls).toEqual([rejected, rejected])
})

it('ends a scan through all pages', async () => {
  const page = { data: [{ id: '1' }], meta: { next_cursor: 'more' }, links: {} }
  const { url, received } = await localService({ status: 200, body: page })
  const abort = new AbortController()
  const scan = async () => {
    for await (const _ of createClient({ url, token: 't' }).notes.all({ signal: abort.signal })) {
      if (received.length === 3) abort.abort('enough')
    }
  }
  await expect(scan()).rejects.toBe('enough')
  expect(received).toHaveLength(3)
})
