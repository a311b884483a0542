import type { Activity } from '@kith/contract/app/activity'
import { registry } from '@kith/contract/registry'
import { describe, expect, it } from 'vitest'
import { withSource } from '../../../src/accounts/workspace.ts'
import { updateRecord } from '../../../src/records/write.ts'
import { signedInMember } from '../../browser.ts'
import { newWorkspace, type TestWorkspace } from '../../workspace.ts'
import { newFile } from '../files/files.ts'

type Item = Activity<{ id: string; attributes: { title: string; custom_fields: Record<string, unknown> } }>

const asked = { raw: {}, loose: false, issues: [] }

async function make(workspace: TestWorkspace, path: string, input: object): Promise<string> {
  return (await workspace.api.post(path, input)).body.data.id
}

const told = (item: Item) => ('record' in item ? `${item.kind} ${item.record.attributes.title}` : item.kind)

describe('the activity of a record', () => {
  it('is its history, notes, tasks, comments and files in one order, by kind and in pages', async () => {
    const workspace = await newWorkspace()
    const { browser } = await signedInMember(workspace, 'viewer')
    const id = await make(workspace, '/companies', { name: 'Acme' })
    const other = await make(workspace, '/companies', { name: 'Acme 2' })
    await make(workspace, '/notes', { title: 'Call', company_ids: [id], custom_fields: { body: 'They **agree**.' } })
    await make(workspace, '/tasks', { title: 'Write', company_ids: [id] })
    await make(workspace, `/companies/${id}/comments`, { body: 'Who calls?' })
    await newFile(workspace.api, id, 'a.txt')
    const gone = await make(workspace, '/notes', { title: 'Gone', company_ids: [id] })
    await make(workspace, '/notes', { title: 'Elsewhere', company_ids: [other] })
    await workspace.api.patch(`/companies/${id}`, { name: 'Acme Inc' })
    const importing = withSource(await workspace.scope(), 'import')
    await updateRecord(importing, registry.companies, { id, body: { name: 'Acme Ltd' }, asked })
    await workspace.api.delete(`/notes/${gone}`)
    expect((await workspace.api.put(`/companies/${id}/merge`, { loser_ids: [other] })).status).toBe(200)
    const base = `/w/${workspace.slug}/activity?resource=companies&record_id=${id}`
    const all = (await browser.get(base)).body
    // The note of the merged company has moved, and the entries of that company belong to this one.
    const items: Item[] = all.data
    expect(items.map(told)).toEqual([
      'merges',
      'merges',
      'imports',
      'changes',
      'notes Elsewhere',
      'files',
      'comments',
      'tasks Write',
      'notes Call',
      'changes',
      'changes',
    ])
    expect(items.map((item) => item.id)).toEqual(
      items
        .map((item) => item.id)
        .toSorted()
        .reverse(),
    )
    const call = items.find((item) => told(item) === 'notes Call')
    expect(call && 'record' in call && call.record.attributes.custom_fields.body).toBe('They **agree**.')
    expect(all.included).toMatchObject([{ type: 'users' }])
    expect(all.meta).toEqual({ next_cursor: null })
    const only = async (kinds: string) => (await browser.get(`${base}&kinds=${kinds}`)).body.data.map(told)
    expect(await only('notes')).toEqual(['notes Elsewhere', 'notes Call'])
    expect(await only('tasks,merges')).toEqual(['merges', 'merges', 'tasks Write'])
    expect(await only('comments,files')).toEqual(['files', 'comments'])
    expect(await only('imports')).toEqual(['imports'])
    expect(await only('changes')).toEqual(['changes', 'changes', 'changes'])
    const scanned: string[] = []
    for (let cursor = ''; scanned.length < 20; ) {
      const { data, meta } = (await browser.get(`${base}&per_page=2&cursor=${cursor}`)).body
      scanned.push(...data.map((item: Item) => item.id))
      if (meta.next_cursor === null) break
      cursor = meta.next_cursor
    }
    expect(scanned).toEqual(items.map((item) => item.id))
  })

  it('has the files of the record, each where it was added, as it is now', async () => {
    const workspace = await newWorkspace()
    const { browser } = await signedInMember(workspace, 'viewer')
    const { api, owner } = workspace
    const id = await make(workspace, '/companies', { name: 'Acme' })
    const [first, second] = [await newFile(api, id, 'a.txt'), await newFile(api, id, 'b.txt')]
    await api.patch(`/companies/${id}`, { name: 'Acme Inc' })
    const third = await newFile(api, id, 'c.txt')
    await api.patch(`/files/${first.id}`, { name: 'renamed.txt' })
    await api.delete(`/files/${third.id}`)
    const base = `/w/${workspace.slug}/activity?resource=companies&record_id=${id}`
    const { data } = (await browser.get(base)).body
    expect(data.map((item: Item) => ('file' in item ? item.file.attributes.name : item.kind))).toEqual([
      'changes',
      'b.txt',
      'renamed.txt',
      'changes',
    ])
    const creator = { id: owner.id, name: owner.name }
    expect(data[1]).toEqual({ id: second.id, at: second.attributes.created_at, kind: 'files', file: second, creator })
    const only = async (more: string) => (await browser.get(`${base}${more}`)).body.data.map(({ id: one }: Item) => one)
    expect(await only('&kinds=files')).toEqual([second.id, first.id])
    expect(await only(`&kinds=files&cursor=${second.id}`)).toEqual([first.id])
    expect(await only('&kinds=changes')).toHaveLength(2)
  })

  it('has the comments as threads where they began, one of them alone, and with many replies the latest', async () => {
    const workspace = await newWorkspace()
    const member = await signedInMember(workspace, 'member')
    const { browser } = member
    const { api, owner } = workspace
    const id = await make(workspace, '/tasks', { title: 'Renewal' })
    const said = (body: string, reply_to: string | null = null) =>
      make(workspace, `/tasks/${id}/comments`, { body, reply_to })
    const first = await said(`Who calls, @[${owner.id}]?`)
    const second = await said('Lunch?')
    const created = await browser.post(`/w/${workspace.slug}/v1/tasks/${id}/comments`, { body: 'Me.', reply_to: first })
    const reply = created.body.data.id
    const later = await said('Thanks', first)
    const base = `/w/${workspace.slug}/activity?resource=tasks&record_id=${id}`
    const threads = async (more: string) => {
      const { data } = (await browser.get(`${base}${more}`)).body
      return data.flatMap((item: Item) =>
        item.kind === 'comments' ? [[item.comment.id, ...item.replies.map(({ comment }) => comment.id)]] : [],
      )
    }
    expect(await threads('')).toEqual([[second], [first, reply, later]])
    const { data } = (await browser.get(`${base}&thread=${first}`)).body
    expect(data).toMatchObject([{ kind: 'comments', creator: { id: owner.id, name: owner.name }, has_earlier: false }])
    expect(data[0].comment.attributes.mentions).toEqual([{ id: owner.id, name: owner.name }])
    expect(data[0].replies[0].creator).toEqual({ id: member.id, name: member.name })
    for (const one of [first, reply, later]) expect(await threads(`&thread=${one}`)).toEqual([[first, reply, later]])
    // The replies stay when the comment is deleted.
    await api.delete(`/comments/${first}`)
    expect(await threads('&kinds=comments')).toEqual([[reply, later], [second]])
    expect(await threads(`&thread=${first}`)).toEqual([[reply, later]])
    await api.delete(`/comments/${reply}`)
    expect(await threads(`&thread=${later}`)).toEqual([[later]])
    await api.put(`/comments/${first}/restore`)
    expect(await threads('')).toEqual([[second], [first, later]])
    for (let count = 0; count < 100; count++) await said(`${count}`, second)
    const [many] = (await browser.get(`${base}&thread=${second}`)).body.data
    expect([many.replies.length, many.has_earlier]).toEqual([100, false])
    await said('One more', second)
    const [more] = (await browser.get(`${base}&thread=${second}`)).body.data
    const bodies = more.replies.map(
      ({ comment }: { comment: { attributes: { body: string } } }) => comment.attributes.body,
    )
    expect([bodies.length, bodies[0], bodies.at(-1), more.has_earlier]).toEqual([100, '1', 'One more', true])
    const elsewhere = await make(workspace, '/tasks', { title: 'Other' })
    expect((await browser.get(`${base.replace(id, elsewhere)}&thread=${first}`)).body.data).toEqual([])
    expect(Object.keys((await browser.get(`${base}&thread=x`)).body.errors)).toEqual(['thread'])
  })

  it('of a task is its history alone', async () => {
    const workspace = await newWorkspace()
    const { browser } = await signedInMember(workspace, 'viewer')
    const id = await make(workspace, '/tasks', { title: 'Write' })
    const { body } = await browser.get(`/w/${workspace.slug}/activity?resource=tasks&record_id=${id}`)
    expect(body.data.map(told)).toEqual(['changes'])
  })

  it('is refused for what is not there, and for another workspace', async () => {
    const workspace = await newWorkspace()
    const { browser } = await signedInMember(workspace, 'viewer')
    const id = await make(await newWorkspace(), '/companies', { name: 'Theirs' })
    const base = `/w/${workspace.slug}/activity`
    expect((await browser.get(`${base}?resource=companies&record_id=${id}`)).status).toBe(404)
    expect((await browser.get(`${base}?resource=companies`)).status).toBe(404)
    const wrong = await browser.get(`${base}?resource=companies&record_id=${id}&kinds=mails&cursor=x&per_page=0`)
    expect(Object.keys(wrong.body.errors).toSorted()).toEqual(['cursor', 'kinds', 'per_page'])
  })

  it('has entries with the beginning of long texts, and each entry in full', async () => {
    const workspace = await newWorkspace()
    const { browser } = await signedInMember(workspace, 'viewer')
    const text = 'x'.repeat(3000)
    const id = await make(workspace, '/notes', { title: 'Minutes', custom_fields: { body: text } })
    await workspace.api.patch(`/notes/${id}`, { custom_fields: { body: 'Oops' } })
    const place = `resource=notes&record_id=${id}`
    const [item] = (await browser.get(`/w/${workspace.slug}/activity?${place}`)).body.data
    const shown = { field: 'custom_fields.body', label: 'Body', after: 'Oops' }
    expect(item.entry.changes).toEqual([{ ...shown, before: `${text.slice(0, 1000)}…`, truncated: true }])
    const path = `/w/${workspace.slug}/history/${item.id}`
    const { data } = (await browser.get(`${path}?${place}`)).body
    expect(data).toEqual({ ...item.entry, changes: [{ ...shown, before: text, truncated: false }] })
    expect((await browser.get(path)).status).toBe(422)
    expect((await browser.get(`${path}?${place}&more=1`)).status).toBe(422)
    const other = await make(workspace, '/notes', { title: 'Other' })
    expect((await browser.get(`${path}?resource=notes&record_id=${other}`)).status).toBe(404)
  })
})
