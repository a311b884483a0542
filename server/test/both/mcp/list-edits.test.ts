import { describe, expect, it } from 'vitest'
import { made } from '../../records.ts'
import { connectTo } from '../../tool-client.ts'
import { newWorkspace } from '../../workspace.ts'

describe('update_record with add and remove', () => {
  it('keeps what other writes add at the same time', async () => {
    const workspace = await newWorkspace()
    const { client } = await connectTo(workspace)
    await workspace.field('people', { name: 'Labels', type: 'tags-input', code: 'labels' })
    const { id } = await made(workspace.api, 'people', { name: 'Ada', custom_fields: { labels: ['old'] } })
    const labels = ['one', 'two', 'three', 'four']
    await Promise.all(
      labels.map((label) =>
        client.callTool({
          name: 'update_record',
          arguments: { resource: 'people', id, add: { custom_fields: { labels: [label] } } },
        }),
      ),
    )
    const { body } = await workspace.api.get(`/people/${id}`)
    expect([...body.data.attributes.custom_fields.labels].sort()).toEqual(['old', ...labels].sort())
  })

  it('changes links, choices and addresses, and says what is no list', async () => {
    const workspace = await newWorkspace()
    const { call, refused } = await connectTo(workspace)
    const [one, two] = [await made(workspace.api, 'companies'), await made(workspace.api, 'companies')]
    const note = await made(workspace.api, 'notes', { title: 'N', company_ids: [one.id] })
    const edit = { resource: 'notes', id: note.id, add: { company_ids: [two.id] }, remove: { company_ids: [one.id] } }
    const linked = await call('update_record', { ...edit, include: ['companies'] })
    expect(linked.data.relationships.companies.data).toEqual([{ id: two.id, type: 'companies' }])
    const emails = ['ada@example.com', 'old@example.com']
    const person = await made(workspace.api, 'people', { name: 'Ada', custom_fields: { emails } })
    const update = { resource: 'people', id: person.id, attributes: { name: 'Ada L.' } }
    const changed = await call('update_record', {
      ...update,
      remove: { custom_fields: { emails: ['OLD@example.com'] } },
    })
    expect(changed.data.attributes).toMatchObject({ name: 'Ada L.', custom_fields: { emails: ['ada@example.com'] } })
    const wrong = { ...update, add: { name: ['x'], custom_fields: { job_title: ['x'] } } }
    const text = await refused('update_record', wrong)
    expect(text).toContain('- add.name: name is not a list.')
    expect(text).toContain('- add.custom_fields.job_title: job_title is not a list. Lists: emails')
  })
})
