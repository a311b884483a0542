import { describe, expect, it } from 'vitest'
import { signedInMember } from '../../browser.ts'
import { newWorkspace, type TestWorkspace } from '../../workspace.ts'

const idsOf = (rows: readonly { id: string }[]) => rows.map(({ id }) => id)

async function company(workspace: TestWorkspace, name: string, custom_fields: object = {}): Promise<string> {
  return (await workspace.api.post('/companies', { name, custom_fields })).body.data.id
}

describe('search', () => {
  it('is that of the API, for all who can read', async () => {
    const workspace = await newWorkspace()
    const { browser } = await signedInMember(workspace, 'viewer')
    const acme = await company(workspace, 'Acme Rockets', { domains: ['acme.com'] })
    expect(idsOf((await browser.get(`/w/${workspace.slug}/v1/search?q=rocket`)).body.data)).toEqual([acme])
    const other = await newWorkspace()
    const stranger = await signedInMember(other, 'owner')
    expect((await stranger.browser.get(`/w/${other.slug}/v1/search?q=rocket`)).body.data).toEqual([])
  })
})

describe('the trash', () => {
  it('lists what was deleted and gives it back', async () => {
    const workspace = await newWorkspace()
    const member = await signedInMember(workspace, 'member')
    const viewer = await signedInMember(workspace, 'viewer')
    const id = await company(workspace, 'Acme', { domains: ['acme.com'] })
    await member.browser.delete(`/w/${workspace.slug}/v1/companies/${id}`)
    const base = `/w/${workspace.slug}/trash`
    const { body } = await member.browser.get(`${base}?resource=companies&per_page=5`)
    expect(body.meta).toEqual({ total: 1, page: 1, per_page: 5 })
    expect(body.data).toMatchObject([
      {
        resource: 'companies',
        id,
        name: 'Acme',
        deleted_by: { id: member.id, name: member.name },
        restorable_until: expect.any(String),
      },
    ])
    expect((await viewer.browser.get(base)).status).toBe(403)
    const restoring = `/w/${workspace.slug}/v1/companies/${id}/restore`
    expect((await viewer.browser.put(restoring)).status).toBe(403)
    const restored = await member.browser.put(restoring)
    expect(restored.body.data).toMatchObject({
      id,
      attributes: { name: 'Acme', custom_fields: { domains: ['acme.com'] } },
    })
    expect((await workspace.api.get(`/companies/${id}`)).status).toBe(200)
    expect((await member.browser.get(base)).body.data).toEqual([])
  })
})

describe('duplicates', () => {
  it('are listed, merged into one, and unmerged', async () => {
    const workspace = await newWorkspace()
    const member = await signedInMember(workspace, 'member')
    const viewer = await signedInMember(workspace, 'viewer')
    await workspace.updateField('companies', 'domains', { unique: false })
    const winner = await company(workspace, 'Acme', { domains: ['acme.com'] })
    const loser = await company(workspace, 'ACME Inc', { domains: ['acme.com'], icp: true })
    await workspace.updateField('companies', 'domains', { unique: true })
    const { id: person } = (await workspace.api.post('/people', { name: 'Ada', company_id: loser })).body.data
    const base = `/w/${workspace.slug}`
    const found = (await member.browser.get(`${base}/duplicates?resource=companies`)).body
    expect(found.data).toMatchObject([{ field: { code: 'domains' }, value: 'acme.com', count: 2 }])
    expect(idsOf(found.data[0].records)).toEqual([winner, loser])
    expect((await member.browser.get(`${base}/duplicates`)).status).toBe(422)

    const merge = { loser_ids: [loser], attributes: { name: 'Acme, Inc.' } }
    expect((await viewer.browser.put(`${base}/v1/companies/${winner}/merge`, merge)).status).toBe(403)
    const merged = await member.browser.put(`${base}/v1/companies/${winner}/merge`, merge)
    expect(merged.body.data).toMatchObject({
      id: winner,
      attributes: { name: 'Acme, Inc.', custom_fields: { icp: true } },
    })
    expect((await workspace.api.get(`/people/${person}`)).body.data.attributes.company_id).toBe(winner)
    const { merge_id } = merged.body.meta
    expect(idsOf((await viewer.browser.get(`${base}/merges?resource=companies`)).body.data)).toEqual([merge_id])
    expect((await viewer.browser.put(`${base}/v1/merges/${merge_id}/undo`)).status).toBe(403)
    expect((await member.browser.put(`${base}/v1/merges/${merge_id}/undo`)).body.data.attributes.name).toBe('Acme')
    expect((await workspace.api.get(`/people/${person}`)).body.data.attributes.company_id).toBe(loser)
  })
})

describe('the audit log', () => {
  it('shows a record’s history to everyone who reads it, and all of the workspace to admins', async () => {
    const workspace = await newWorkspace()
    const member = await signedInMember(workspace, 'member')
    const admin = await signedInMember(workspace, 'admin')
    const base = `/w/${workspace.slug}`
    const id = (await member.browser.post(`${base}/v1/companies`, { name: 'Acme' })).body.data.id
    await workspace.api.put(`/companies/${id}`, { name: 'Acme 2' })
    const history = await member.browser.get(`${base}/activity?resource=companies&record_id=${id}`)
    const entries = history.body.data.map(({ entry }: { entry: unknown }) => entry)
    expect(entries).toMatchObject([
      { action: 'update', source: 'api', actor: { id: workspace.owner.id }, token: { name: 'test' } },
      { action: 'create', source: 'web', actor: { id: member.id }, token: null },
    ])
    expect(entries[0].changes).toMatchObject([{ field: 'name', before: 'Acme', after: 'Acme 2' }])
    expect((await member.browser.get(`${base}/audit`)).status).toBe(403)
    const all = await admin.browser.get(`${base}/audit?per_page=1`)
    expect(all.body.data).toHaveLength(1)
    expect(all.body.meta).toMatchObject({ per_page: 1, next_cursor: expect.any(String) })
  })
})
