import { RATE_SESSION } from '@kith/contract/limits'
import { describe, expect, it } from 'vitest'
import { openBrowser, signedInMember } from '../../browser.ts'
import { workspaceWithOwn } from '../../own-resource.ts'
import { ownService } from '../../own-service.ts'
import { testedResources } from '../../run-length.ts'

describe('the REST interface, as a member', () => {
  it('gives the same documents, made in the application', async () => {
    const workspace = await workspaceWithOwn()
    const { browser, id } = await signedInMember(workspace, 'member')
    const base = `/w/${workspace.slug}/v1`
    const made = await browser.post(`${base}/companies?include=creator`, {
      name: 'Acme',
      custom_fields: { domains: ['acme.com'] },
    })
    expect(made.status).toBe(201)
    expect(made.headers.get('content-type')).toBe('application/vnd.api+json')
    expect(made.headers.get('x-ratelimit-limit')).toBe(String(RATE_SESSION))
    expect(made.body.data.attributes.creation_source).toBe('web')
    expect(made.body.data.relationships.creator.data.id).toBe(id)
    const companyId = made.body.data.id
    const read = await browser.get(`${base}/companies/${companyId}`)
    expect(read.text).toBe((await workspace.api.get(`/companies/${companyId}`)).text)
    const listed = await browser.get(`${base}/companies?filter[name][$contains]=acm&per_page=1`)
    expect(listed.body.data).toHaveLength(1)
    expect(listed.body.links.first).toBe(
      `${browser.url}/api/app${base}/companies?filter%5Bname%5D%5B$contains%5D=acm&per_page=1&page=1`,
    )
    const queried = await browser.post(`${base}/companies/query`, { filter: { name: { $eq: 'Acme' } } })
    expect(queried.body.data[0].id).toBe(companyId)
    expect((await browser.put(`${base}/companies/${companyId}`, { name: 'Acme 2' })).status).toBe(200)
    const upserted = await browser.post(`${base}/companies/upsert`, {
      match: { field: 'domains', value: 'acme.com' },
      name: 'Acme 3',
    })
    expect(upserted.status).toBe(200)
    expect((await browser.delete(`${base}/companies/${companyId}`)).status).toBe(204)
    expect((await browser.get(`${base}/user`)).body.data.id).toBe(id)
    expect((await browser.get(`${base}/custom-fields`)).body.data.length).toBeGreaterThan(10)
    expect((await browser.send('POST', `${base}/custom-fields`)).status).toBe(405)
    expect((await browser.get(`${base}/nothing`)).status).toBe(404)
  })

  it.each(testedResources)('a viewer reads %s and changes nothing', async (resource) => {
    const workspace = await workspaceWithOwn()
    const { browser } = await signedInMember(workspace, 'viewer')
    const base = `/w/${workspace.slug}/v1/${resource}`
    const label = resource === 'tasks' || resource === 'notes' ? { title: 'x' } : { name: 'x' }
    const { id } = (await workspace.api.post(`/${resource}`, label)).body.data
    expect((await browser.get(base)).body.meta.total).toBe(1)
    expect((await browser.post(base, label)).status).toBe(403)
    expect((await browser.put(`${base}/${id}`, label)).status).toBe(403)
    expect((await browser.delete(`${base}/${id}`)).status).toBe(403)
    const upsert = await browser.post(`${base}/upsert`, { match: { field: 'domains', value: 'a.com' }, ...label })
    expect(upsert.status).toBe(403)
  })

  it('a person who is no member finds nothing, and a new role applies at once', async () => {
    const workspace = await workspaceWithOwn()
    const other = await workspaceWithOwn()
    const member = await signedInMember(workspace, 'member')
    const path = (slug: string) => `/w/${slug}/v1/companies`
    const strange = await member.browser.get(path(other.slug))
    expect(strange.status).toBe(404)
    const missing = await member.browser.get(path('no-such-workspace'))
    expect(strange.text.replace(other.slug, 'SLUG')).toBe(missing.text.replace('no-such-workspace', 'SLUG'))
    expect((await openBrowser().get(path(workspace.slug))).status).toBe(401)
    await workspace.setRole(member, 'viewer')
    expect((await member.browser.post(path(workspace.slug), { name: 'x' })).status).toBe(403)
    await workspace.remove(member)
    expect((await member.browser.get(path(workspace.slug))).status).toBe(404)
  })

  it('of a paused workspace answers 402, and its settings stay open', async () => {
    const own = await ownService({ HOSTED: 'true' })
    const workspace = await own.workspace()
    const { browser } = await signedInMember(workspace, 'owner', own.url)
    await own.runtime.engine.transaction(async (inside) => {
      await inside.session.run(
        `update workspaces set trial_ends_at = '2020-01-01T00:00:00.000Z' where slug = '${workspace.slug}'`,
        [],
      )
    })
    const paused = await browser.get(`/w/${workspace.slug}/v1/companies`)
    expect(paused.status).toBe(402)
    expect(paused.body.upgrade_url).toMatch(new RegExp(`/${workspace.slug}/settings/billing$`))
    const settings = await browser.get(`/w/${workspace.slug}/workspace`)
    expect(settings.body.data).toMatchObject({ paused: true, role: 'owner', trial_ends_at: '2020-01-01T00:00:00.000Z' })
    const field = { name: 'Tier', type: 'text' }
    expect((await browser.post(`/w/${workspace.slug}/v1/schema/companies/fields`, field)).status).toBe(201)
    await own.stop()
  })
})
