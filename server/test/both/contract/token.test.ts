import { describe, expect, it } from 'vitest'
import { createToken } from '../../../src/accounts/tokens.ts'
import { enterAsMember } from '../../../src/accounts/workspace.ts'
import { signedInMember } from '../../browser.ts'
import { ownService } from '../../own-service.ts'
import { newWorkspace } from '../../workspace.ts'

describe('sync 7. GET /v1/token: the token of the request', () => {
  it('shows its name, abilities, expiry, role, limits and workspace', async () => {
    const { id, slug, member, token } = await newWorkspace()
    const user = await member('member')
    const own = await token({ user, abilities: ['read', 'update'] })
    const answer = await own.get('/token')
    expect(answer.status).toBe(200)
    expect(answer.body.data).toEqual({
      id: own.id,
      type: 'tokens',
      attributes: {
        name: 'test',
        abilities: ['read', 'update'],
        expires_at: null,
        role: 'member',
        // The service of the tests has these limits.
        limits: { workspace: 1_000_000, reads: 1_000_000, writes: 1_000_000, items: 1_000_000 },
        workspace: { id, name: `Workspace ${slug}`, slug },
      },
    })
    expect(Object.keys(answer.body.data.attributes)).toEqual([
      'name',
      'abilities',
      'expires_at',
      'role',
      'limits',
      'workspace',
    ])
  })

  it('needs the read ability and takes no parameters', async () => {
    const { api, token } = await newWorkspace()
    expect((await (await token({ abilities: ['create'] })).get('/token')).status).toBe(403)
    expect(Object.keys((await api.get('/token?include=user')).body.errors)).toEqual(['include'])
  })

  it('shows when it expires', async () => {
    const { api, runtime, slug, owner } = await newWorkspace()
    const made = await createToken(await enterAsMember(runtime, slug, owner.email), {
      name: 'A week',
      abilities: ['read'],
      expires: '7',
    })
    const { body } = await api.get('/token', { headers: { Authorization: `Bearer ${made.token}` } })
    expect(body.data).toMatchObject({ id: made.id, attributes: { name: 'A week', expires_at: made.expires_at } })
  })

  it('a session of the application has none', async () => {
    const workspace = await newWorkspace()
    const { browser } = await signedInMember(workspace, 'member')
    expect((await browser.get(`/w/${workspace.slug}/v1/token`)).status).toBe(404)
    expect((await browser.get(`/w/${workspace.slug}/v1/users`)).body.meta.total).toBe(2)
  })

  it('a limit that is off is null', async () => {
    const own = await ownService({
      RATE_LIMIT_WORKSPACE: '50',
      RATE_LIMIT_READS: '0',
      RATE_LIMIT_WRITES: '7',
      RATE_LIMIT_ITEMS: '0',
    })
    const { api } = await own.workspace()
    const { limits } = (await api.get('/token')).body.data.attributes
    expect(limits).toEqual({ workspace: 50, reads: null, writes: 7, items: null })
    await own.stop()
  })
})
