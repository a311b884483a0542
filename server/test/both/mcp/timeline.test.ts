import { expect, it } from 'vitest'
import { estimateTokens, TOKENS_MAX } from '../../../src/mcp/record-text.ts'
import { made } from '../../records.ts'
import { connectTo } from '../../tool-client.ts'
import { newWorkspace } from '../../workspace.ts'

it('get_timeline lists what happened around a record, newest first, in pages that an answer has room for', async () => {
  const workspace = await newWorkspace()
  const { call, refused } = await connectTo(workspace)
  const by = workspace.owner.name
  const { id } = await made(workspace.api, 'companies', { name: 'Acme' })
  const about = { resource: 'companies', id }
  const links = { company_ids: [id], assignee_ids: [workspace.owner.id] }
  await made(workspace.api, 'tasks', { title: 'Call back', ...links })
  await made(workspace.api, 'notes', { title: 'First call', company_ids: [id] })
  await workspace.api.post(`/companies/${id}/comments`, { body: 'They **start** soon.' })
  await workspace.api.patch(`/companies/${id}`, { name: 'Acme Inc.' })
  const { data, next_cursor } = await call('get_timeline', about)
  expect(data).toMatchObject([
    { kind: 'changes', by, source: 'api', changes: [{ field: 'name', before: 'Acme', after: 'Acme Inc.' }] },
    { kind: 'comments', by, comment: { body: 'They **start** soon.' } },
    { kind: 'notes', by, record: { type: 'notes', attributes: { title: 'First call' } } },
    { kind: 'tasks', by, record: { attributes: { title: 'Call back' }, assignees: [by] } },
    { kind: 'changes', by, action: 'create', changes: [] },
  ])
  expect(next_cursor).toBeNull()
  const body = 'a'.repeat(30_000)
  for (const title of ['One', 'Two', 'Three', 'Four']) {
    await made(workspace.api, 'notes', { title, company_ids: [id], custom_fields: { body } })
  }
  const titles: string[] = []
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await call('get_timeline', { ...about, kinds: 'notes', cursor })
    expect(estimateTokens(JSON.stringify(page))).toBeLessThanOrEqual(TOKENS_MAX)
    titles.push(...page.data.map((item: { record: { attributes: { title: string } } }) => item.record.attributes.title))
    cursor = page.next_cursor
  }
  expect(titles).toEqual(['Four', 'Three', 'Two', 'One', 'First call'])
  expect(await refused('get_timeline', { ...about, kinds: 'calls' })).toContain('- kinds: ')
  expect(await refused('get_timeline', { ...about, id: 'Acme' })).toContain('use search')
})
