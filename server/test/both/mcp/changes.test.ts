import { beforeAll, describe, expect, it } from 'vitest'
import { connectTo } from '../../tool-client.ts'
import { newWorkspace, type TestWorkspace } from '../../workspace.ts'

type Entry = { attributes: { kind: string; resource: string; record_id: string; record?: unknown } }

describe('list_changes', () => {
  let workspace: TestWorkspace

  beforeAll(async () => {
    workspace = await newWorkspace()
  })

  const kinds = (data: readonly Entry[]) => data.map(({ attributes }) => `${attributes.resource} ${attributes.kind}`)

  it('returns what has changed since a cursor, each record once', async () => {
    const tools = await connectTo(workspace)
    const { next_cursor: before } = await tools.call('list_changes', { cursor: 'now' })
    const { body } = await workspace.api.post('/companies', { name: 'Acme' })
    await workspace.api.patch(`/companies/${body.data.id}`, { name: 'Acme Inc.' })
    const gone = await workspace.api.post('/tasks', { title: 'Call' })
    await workspace.api.delete(`/tasks/${gone.body.data.id}`)
    const { data, has_more } = await tools.call('list_changes', { cursor: before })
    expect(kinds(data)).toEqual(['companies created', 'tasks deleted'])
    expect(data[0].attributes.record).toMatchObject({ id: body.data.id, attributes: { name: 'Acme Inc.' } })
    expect(data[1].attributes.record).toBeNull()
    expect(has_more).toBe(false)
  })

  it('takes a time, resources, kinds and a limit', async () => {
    const tools = await connectTo(workspace)
    const since = new Date(Date.now() - 3_600_000).toISOString()
    const only = { since, resource: 'companies,tasks', kind: 'created', payload: 'thin', limit: 1 }
    const { data, has_more, next_cursor } = await tools.call('list_changes', only)
    expect(kinds(data)).toEqual(['companies created'])
    expect(data[0].attributes).not.toHaveProperty('record')
    expect(has_more).toBe(true)
    expect(next_cursor).toEqual(expect.any(String))
  })

  it('says what is wrong', async () => {
    const tools = await connectTo(workspace)
    expect(await tools.refused('list_changes', {})).toContain('cursor')
    expect(await tools.refused('list_changes', { cursor: 'now', kind: 'gone' })).toContain('created')
  })
})
