import { describe, expect, it } from 'vitest'
import { deleteUser } from '../../../src/accounts/who-am-i.ts'
import { signedInMember } from '../../browser.ts'
import { workspaceWithOwn } from '../../own-resource.ts'
import { newWorkspace } from '../../workspace.ts'

const pipeline = {
  title: 'Pipeline',
  kind: 'bar',
  resource: 'opportunities',
  measure: 'sum',
  field: 'custom_fields.amount',
  group_by: ['custom_fields.stage'],
}

describe('a report', () => {
  it('is of its owner alone until it is shared; members then change it, and viewers read it', async () => {
    const workspace = await newWorkspace()
    const ada = await signedInMember(workspace, 'member')
    const bob = await signedInMember(workspace, 'member')
    const viewer = await signedInMember(workspace, 'viewer')
    const base = `/w/${workspace.slug}/reports`
    const made = await ada.browser.post(base, { name: ' Sales ', charts: [pipeline] })
    expect(made.status, made.text).toBe(201)
    const report = made.body.data
    expect(report).toEqual({
      ...{ id: expect.any(String), name: 'Sales', shared: false, position: 1, version: 1 },
      owner: { id: ada.id, name: ada.name },
      charts: [
        {
          ...{ id: expect.any(String), ...pipeline, filter: null, period: null, limit: 50, sort: null },
          ...{ date: null, person: null, stage: null },
        },
      ],
    })
    expect((await bob.browser.get(base)).body.data).toEqual([])
    expect((await bob.browser.patch(`${base}/${report.id}`, { name: 'Mine' })).status).toBe(404)
    expect((await bob.browser.delete(`${base}/${report.id}`)).status).toBe(404)
    const shared = (await ada.browser.patch(`${base}/${report.id}`, { shared: true, name: 'Ours' })).body.data
    expect(shared).toEqual({ ...report, shared: true, name: 'Ours', version: 2 })
    expect((await viewer.browser.get(base)).body.data).toEqual([shared])
    expect((await viewer.browser.patch(`${base}/${report.id}`, { name: 'x' })).status).toBe(403)
    const own = await viewer.browser.post(base, { name: 'Own', shared: true })
    expect(own.status).toBe(403)
    expect((await bob.browser.patch(`${base}/${report.id}`, { position: 3 })).body.data.position).toBe(3)
    expect((await bob.browser.delete(`${base}/${report.id}`)).status).toBe(200)
    expect((await ada.browser.get(base)).body.data).toEqual([])
  })

  it('loses no change when two change its charts at the same time', async () => {
    const workspace = await newWorkspace()
    const { browser } = await signedInMember(workspace, 'member')
    const base = `/w/${workspace.slug}/reports`
    const { id, version } = (await browser.post(base, { name: 'Sales' })).body.data
    const titles = ['One', 'Two', 'Three', 'Four']
    const add = async (title: string, seen: number) => {
      const charts = [{ ...pipeline, title }]
      return browser.patch(`${base}/${id}`, { charts, version: seen })
    }
    const answers = await Promise.all(titles.map((title) => add(title, version)))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 412, 412, 412])
    const [report] = (await browser.get(base)).body.data
    expect([report.version, report.charts.length]).toEqual([2, 1])
    const missing = await browser.patch(`${base}/${id}`, { charts: [] })
    expect(Object.keys(missing.body.errors)).toEqual(['version'])
  })

  it('has charts that the parser of summaries accepts, on own resources too', async () => {
    const workspace = await workspaceWithOwn()
    const { browser } = await signedInMember(workspace, 'member')
    const base = `/w/${workspace.slug}/reports`
    const charts = [
      { ...pipeline, field: 'custom_fields.stage' },
      { ...pipeline, kind: 'pie' },
      { ...pipeline, resource: 'oportunities' },
      { ...pipeline, group_by: ['created_at'] },
      { ...pipeline, filter: { nam: 'x' } },
      { ...pipeline, kind: 'forecast', date: 'custom_fields.amount', stage: 'custom_fields.owner' },
      { ...pipeline, person: 'company', date: 'name' },
      { ...pipeline, kind: 'win_rate', group_by: [] },
      { title: '', kind: 'number', resource: 'people', colour: 'red' },
    ]
    const { body } = await browser.post(base, { name: 'Wrong', charts })
    expect(Object.keys(body.errors).toSorted()).toEqual([
      'charts.0.field',
      'charts.1.kind',
      'charts.2.resource',
      'charts.3.period',
      'charts.4.filter.nam',
      'charts.5.date',
      'charts.5.group_by',
      'charts.5.stage',
      'charts.6.date',
      'charts.6.person',
      'charts.7.stage',
      'charts.8.colour',
      'charts.8.title',
    ])
    const own = [
      { title: 'Projects', kind: 'number', resource: 'projects', person: 'owner', filter: { owner: { $in: ['me'] } } },
      { ...pipeline, date: 'created_at', filter: { created_at: { $during: 'this_month' } } },
      { title: 'F', kind: 'forecast', resource: 'opportunities', field: 'amount', date: 'close_date', stage: 'stage' },
    ]
    const made = await browser.post(base, { name: 'Right', charts: own })
    expect(made.status, made.text).toBe(201)
  })

  it('keeps a chart whose field was archived since, so that others can be changed', async () => {
    const workspace = await newWorkspace()
    await workspace.field('companies', { name: 'Size', type: 'number' })
    const { browser } = await signedInMember(workspace, 'member')
    const base = `/w/${workspace.slug}/reports`
    const chart = { title: 'Size', kind: 'number', resource: 'companies', measure: 'sum', field: 'custom_fields.size' }
    const report = (await browser.post(base, { name: 'Sizes', charts: [chart] })).body.data
    await workspace.api.delete('/schema/companies/fields/size')
    const put = (charts: object[], version: number) => browser.patch(`${base}/${report.id}`, { charts, version })
    const added = await put([...report.charts, pipeline], 1)
    expect(added.status, added.text).toBe(200)
    const [broken, other] = added.body.data.charts
    expect(Object.keys((await put([{ ...broken, title: 'x' }, other], 2)).body.errors)).toEqual(['charts.0.field'])
    expect((await put([other], 2)).body.data.charts).toEqual([other])
  })

  it('stays with the workspace when its owner is deleted, if it was shared', async () => {
    const workspace = await newWorkspace()
    const ada = await signedInMember(workspace, 'member')
    const bob = await signedInMember(workspace, 'member')
    const base = `/w/${workspace.slug}/reports`
    await ada.browser.post(base, { name: 'Private' })
    await ada.browser.post(base, { name: 'Shared', shared: true })
    await workspace.remove(ada)
    await deleteUser(workspace.runtime, ada.email)
    const left = (await bob.browser.get(base)).body.data
    expect(left).toMatchObject([{ name: 'Shared', owner: { id: workspace.owner.id } }])
  })

  it('is not seen from another workspace', async () => {
    const workspace = await newWorkspace()
    const ada = await signedInMember(workspace, 'member')
    const stranger = await signedInMember(await newWorkspace(), 'owner')
    const base = `/w/${workspace.slug}/reports`
    const { id } = (await ada.browser.post(base, { name: 'Sales', shared: true })).body.data
    expect((await stranger.browser.patch(`${base}/${id}`, { name: 'x' })).status).toBe(404)
    expect((await stranger.browser.get(base)).status).toBe(404)
  })
})
