import { expect, it } from 'vitest'
import { queryClient } from '../api/query-client.ts'
import { recordsKey } from '../api/records.ts'
import type { Draft } from './draft-store.ts'
import { draftKey, lastStored } from './drafts.ts'
import { followStored } from './queue.ts'

const place = { slug: 'acme', resource: 'notes', id: 'one', property: 'body' } as const
const change = { input: { body: 'After' }, shown: { body: 'After' } }
const about = { name: 'Call', label: 'Body', state: 'waiting', key: 'k', at: 0 } as const
const draft: Draft = { ...place, ...about, change }

it('a tab shows what another tab of the same user has stored, before it reads it again', async () => {
  const key = [...recordsKey('acme', 'notes'), 'one']
  const attributes = { title: 'Call', body: 'Before', updated_at: '2026-11-17T10:00:00.000Z' }
  queryClient.setQueryData(key, { data: { type: 'notes', id: 'one', attributes, relationships: {} } })
  followStored()
  const other = new BroadcastChannel('kith.stored')
  const stored = { type: 'notes', id: 'one', attributes: { ...attributes, body: 'After', updated_at: 'later' } }
  other.postMessage({ key: draftKey(draft), draft, stored })
  await expect.poll(() => queryClient.getQueryData(key)).toMatchObject({ data: { attributes: { body: 'After' } } })
  expect(lastStored(place)).toEqual({ version: 'later', values: { body: 'After' } })
  other.close()
})
