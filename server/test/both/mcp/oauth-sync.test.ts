import { beforeAll, describe, expect, it } from 'vitest'
import { type Api, apiAt } from '../../api.ts'
import { signedIn } from '../../oauth-person.ts'
import { oauthService, tokensByHand, tokensFor } from '../../oauth-service.ts'
import { made } from '../../records.ts'
import { keyed } from '../../same-key.ts'
import { follow, now, told } from '../changes/feed.ts'

/** One program, before and after it has refreshed its token, and another one of the same person. */
let program: Api
let refreshed: Api
let other: Api

beforeAll(async () => {
  const { url, workspace: create } = await oauthService()
  const workspace = await create()
  const person = await signedIn(workspace, url)
  const grant = { workspace: workspace.slug, abilities: ['read', 'create', 'update', 'delete'] }
  const one = await tokensByHand(url, person, grant)
  const { client_id, tokens } = one
  const { refresh_token } = tokens
  const fresh = await tokensFor(url, { grant_type: 'refresh_token', client_id, refresh_token })
  program = apiAt(url, tokens.access_token)
  refreshed = apiAt(url, fresh.access_token)
  other = apiAt(url, (await tokensByHand(url, person, grant)).tokens.access_token)
})

const create = (api: Api, key: string) => api.post('/people', { name: 'Ada' }, keyed(key))

describe('for an OAuth client', () => {
  it('sync 2. Idempotency keys belong to the connection', async () => {
    const first = await create(program, 'k')
    const again = await create(refreshed, 'k')
    expect([again.status, again.text, again.headers.get('idempotent-replayed')]).toEqual([201, first.text, 'true'])
    const theirs = await create(other, 'k')
    expect([theirs.status, theirs.headers.get('idempotent-replayed')]).toEqual([201, null])
    expect(theirs.body.data.id).not.toBe(first.body.data.id)
  })

  it('sync 1. exclude_token=self leaves out what the connection did, and origin.own tells it', async () => {
    const cursor = await now({ api: program })
    await made(program, 'people')
    await made(refreshed, 'companies')
    await made(other, 'notes')
    const connection = (await refreshed.get('/token')).body.data.id
    for (const api of [program, refreshed]) {
      const { entries } = await follow({ api }, cursor)
      expect(entries.map(({ attributes }) => attributes.origin?.own)).toEqual([true, true, false])
      expect(entries[0]?.attributes.origin?.token_id).toBe(connection)
      const others = await follow({ api }, cursor, 'exclude_token=self')
      expect(others.entries.map(told)).toEqual(['created notes'])
    }
    const { entries } = await follow({ api: other }, cursor, 'exclude_token=self')
    expect(entries.map(told)).toEqual(['created people', 'created companies'])
  })
})
