import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { workspaceWithOwn } from '../../own-resource.ts'
import { testedResources } from '../../run-length.ts'
import { connectTo, type ToolClient } from '../../tool-client.ts'
import { newWorkspace, type TestWorkspace } from '../../workspace.ts'
import { newComment } from '../comments/comments.ts'
import { newRecord } from '../files/files.ts'

let workspace: TestWorkspace
let tools: ToolClient

beforeAll(async () => {
  workspace = await workspaceWithOwn()
})

beforeEach(async () => {
  tools = await connectTo(workspace)
})

describe('add_comment', () => {
  it.each(testedResources)('comments on one of the %s, and replies', async (resource) => {
    const { api, owner } = workspace
    const id = await newRecord(workspace, resource)
    const first = await tools.call('add_comment', { resource, id, body: `Call @[${owner.id}]` })
    expect(first.data).toMatchObject({
      type: 'comments',
      attributes: { resource, record_id: id, mentions: [{ id: owner.id }], creator_id: owner.id },
    })
    const { data } = (await api.get(`/${resource}/${id}/comments`)).body
    expect(data).toEqual([first.data])
    const reply = { resource, id, body: 'Done', reply_to: data[0].id, idempotency_key: `reply ${id}` }
    const answers = [await tools.call('add_comment', reply), await tools.call('add_comment', reply)]
    expect(answers[1]).toEqual(answers[0])
    expect((await api.get(`/${resource}/${id}/comments`)).body.data).toHaveLength(2)
  })

  it('refuses what the REST API refuses', async () => {
    const id = await newRecord(workspace)
    const add = (more: object) => tools.refused('add_comment', { resource: 'companies', id, body: 'a', ...more })
    expect(await add({ body: '@[Ada]' })).toContain('- body: The body mentions')
    expect(await add({ reply_to: id })).toContain('- reply_to: The reply_to must be the ID of a comment')
    expect(await add({ body: ' ' })).toContain('- body: The body must not be empty')
    expect(await add({ id: await newRecord(await newWorkspace()) })).toContain('No company with the ID')
  })
})

describe('fetch', () => {
  it('has the latest comments on a record', async () => {
    const { api, owner } = workspace
    const id = await newRecord(workspace)
    expect((await tools.call('fetch', { id: `companies/${id}` })).text).not.toContain('comments')
    const first = await newComment(api, id, 'Two\nlines')
    const reply = await newComment(api, id, 'Yes', { reply_to: first.id })
    const { text } = await tools.call('fetch', { id: `companies/${id}` })
    expect(text).toContain(
      [
        '## Latest comments',
        `- ${owner.name} [comments/${first.id}], ${first.attributes.created_at}: Two`,
        '  lines',
        `- ${owner.name} [comments/${reply.id}], ${reply.attributes.created_at}, reply to ${first.id}: Yes`,
      ].join('\n'),
    )
  })
})
