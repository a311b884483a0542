import { newId } from '@kith/contract/id'
import { beforeAll, describe, expect, it } from 'vitest'
import { deleteUser } from '../../../src/accounts/who-am-i.ts'
import { listAudit } from '../../../src/changes/audit-log.ts'
import { workspaceWithOwn } from '../../own-resource.ts'
import { testedResources } from '../../run-length.ts'
import { newWorkspace, type Person, type TestWorkspace } from '../../workspace.ts'
import { newRecord } from '../files/files.ts'
import { newComment, sendComment } from './comments.ts'

let workspace: TestWorkspace
let company: string

beforeAll(async () => {
  workspace = await workspaceWithOwn()
  company = await newRecord(workspace)
})

const pathsOf = (answer: { body: { errors?: object } }) => Object.keys(answer.body.errors ?? {})
const idsOf = (answer: { body: { data: { id: string }[] } }) => answer.body.data.map(({ id }) => id)
const at = ({ id }: Pick<Person, 'id'>) => `@[${id}]`

describe('POST /v1/{resource}/{id}/comments', () => {
  it.each(testedResources)('comments on one of the %s, which does not change', async (resource) => {
    const { api, owner } = workspace
    const id = await newRecord(workspace, resource)
    const before = await api.get(`/${resource}/${id}`)
    const body = `# Plan\n\n${at(owner)}, *please* call.`
    const sent = await sendComment(api, `${resource}/${id}`, body)
    expect(sent.status, sent.text).toBe(201)
    const { data } = sent.body
    expect(data.type).toBe('comments')
    expect(Object.entries(data.attributes)).toEqual([
      ['body', body],
      ['mentions', [{ id: owner.id, name: owner.name }]],
      ['resource', resource],
      ['record_id', id],
      ['reply_to', null],
      ['created_at', expect.stringMatching(/Z$/)],
      ['updated_at', data.attributes.created_at],
      ['creator_id', owner.id],
    ])
    expect(sent.headers.get('location')).toBe(`${api.base}/comments/${data.id}`)
    expect((await api.get(`/comments/${data.id}`)).body.data).toEqual(data)
    expect((await api.get(`/${resource}/${id}`)).text).toBe(before.text)
    expect((await api.get(`/${resource}/${id}/comments`)).body.data).toEqual([data])
  })

  it.each([
    ['one character', 'x'],
    ['10,000 characters', '€'.repeat(10_000)],
    ['characters of two units', '😀'.repeat(10_000)],
    ['blanks around it', '  as typed \n'],
  ])('takes %s', async (_, body) => {
    expect((await newComment(workspace.api, company, body)).attributes.body).toBe(body)
  })

  it.each([
    ['nothing', undefined],
    ['null', null],
    ['an empty text', ''],
    ['blanks', ' \n\t '],
    ['10,001 characters', 'a'.repeat(10_001)],
    ['a zero byte', 'a\0'],
    ['half a character', 'a\ud83d'],
    ['a number', 7],
  ])('refuses %s: 422 on body', async (_, body) => {
    const refused = await workspace.api.post(`/companies/${company}/comments`, { body })
    expect([refused.status, pathsOf(refused)]).toEqual([422, ['body']])
  })

  it('reports all problems at once, and takes back what was read', async () => {
    const { api } = workspace
    const sent = { reply_to: 'nothing', text: 'x', body: `@[${newId(Date.now())}]` }
    const refused = await api.post(`/companies/${company}/comments?notify=true`, sent)
    expect([refused.status, pathsOf(refused).sort()]).toEqual([422, ['body', 'notify', 'reply_to', 'text']])
    const { attributes } = await newComment(api, company)
    const again = await api.post(`/companies/${company}/comments`, { ...attributes, record_id: 'another' })
    expect([again.status, again.body.data.attributes.record_id]).toEqual([201, company])
    expect((await api.post(`/companies/${company}/comments`, [])).status).toBe(422)
  })

  it('replies on one level', async () => {
    const { api } = workspace
    const [id, other] = [await newRecord(workspace), await newRecord(workspace)]
    const first = await newComment(api, id, 'first')
    const reply = await newComment(api, id, 'reply', { reply_to: first.id.toUpperCase() })
    expect(reply.attributes.reply_to).toBe(first.id)
    const gone = await newComment(api, id, 'gone')
    await api.delete(`/comments/${gone.id}`)
    const elsewhere = await newComment(api, other)
    for (const reply_to of [reply.id, elsewhere.id, gone.id, newId(Date.now()), id, 'x', 7, {}]) {
      const refused = await sendComment(api, id, 'reply', { reply_to })
      expect([refused.status, pathsOf(refused)]).toEqual([422, ['reply_to']])
    }
    expect((await newComment(api, id, 'none', { reply_to: null })).attributes.reply_to).toBe(null)
    expect((await api.get(`/companies/${id}/comments`)).body.data).toHaveLength(3)
  })

  it('is 404 for a record that does not exist or is deleted, and names the winner of a merge', async () => {
    const { api } = workspace
    expect((await sendComment(api, 'companies/nothing', 'a')).status).toBe(404)
    const deleted = await newRecord(workspace)
    await api.delete(`/companies/${deleted}`)
    // A bad body is not told about what does not exist.
    expect((await sendComment(api, deleted, '')).status).toBe(404)
    expect((await api.get(`/companies/${deleted}/comments`)).status).toBe(404)
    const [winner, loser] = [await newRecord(workspace), await newRecord(workspace)]
    await api.put(`/companies/${winner}/merge`, { loser_ids: [loser] })
    const merged = await sendComment(api, loser, 'a')
    expect([merged.status, merged.body.merged_into]).toEqual([404, { id: winner, type: 'companies' }])
    expect((await api.get(`/companies/${loser}/comments`)).body.merged_into.id).toBe(winner)
  })

  it('needs create, and viewers do not comment', async () => {
    const { token, member } = workspace
    expect((await sendComment(await token({ abilities: ['create'] }), company, 'a')).status).toBe(201)
    expect((await sendComment(await token({ abilities: ['read', 'update', 'delete'] }), company, 'a')).status).toBe(403)
    const viewer = await token({ user: await member('viewer') })
    const refused = await sendComment(viewer, company, 'a')
    expect([refused.status, refused.body.message]).toEqual([403, expect.stringContaining('viewer')])
    expect((await viewer.get(`/companies/${company}/comments`)).status).toBe(200)
  })

  it('takes effect once with an Idempotency-Key', async () => {
    const { api } = workspace
    const id = await newRecord(workspace)
    const headers = { 'Idempotency-Key': `comment ${id}` }
    const send = (body: string) => api.post(`/companies/${id}/comments`, { body }, { headers })
    const [first, same] = await Promise.all([send('once'), send('once')])
    expect([first.status, same.text]).toEqual([201, first.text])
    expect(pathsOf(await send('twice'))).toEqual(['idempotency_key'])
    expect((await api.get(`/companies/${id}/comments`)).body.data).toHaveLength(1)
  })
})

describe('mentions', () => {
  it('are members, each once, in the order of the text', async () => {
    const { api, owner, member } = workspace
    const [one, viewer] = [await member('member'), await member('viewer')]
    const body = `${at(viewer)} and ${at(owner)}, ${at(viewer)} (@[${one.id.toUpperCase()}])`
    const { attributes } = await newComment(api, company, body)
    expect(attributes.body).toBe(body)
    expect(attributes.mentions).toEqual([viewer, owner, one].map(({ id, name }) => ({ id, name })))
  })

  it.each([
    ['behind a backslash', (id: string) => `\\@[${id}]`],
    ['with a backslash inside', (id: string) => `@\\[${id}]`],
    ['a link', () => '@[ada](https://example.com)'],
    ['no brackets', (id: string) => `@${id} [${id}] @[]`],
  ])('are not what is %s', async (_, bodyOf) => {
    expect((await newComment(workspace.api, company, bodyOf(newId(Date.now())))).attributes.mentions).toEqual([])
  })

  it('of someone who is no member are 422 on body', async () => {
    const { api, owner } = workspace
    const other = await newWorkspace()
    for (const name of [newId(Date.now()), other.owner.id, company, 'Ada Lovelace', '7']) {
      const refused = await sendComment(api, company, `${at(owner)} @[${name}]`)
      expect([refused.status, refused.body.errors.body]).toEqual([422, [expect.stringContaining(name)]])
    }
  })

  it('of a former member stay in an edit, with the last name, and cannot be added', async () => {
    const { api, member, remove, runtime } = workspace
    const [left, stays] = [await member('member'), await member('member')]
    const comment = await newComment(api, company, `${at(left)} ${at(stays)}`)
    const plain = await newComment(api, company, 'nobody')
    await remove(left)
    const named = [left, stays].map(({ id, name }) => ({ id, name }))
    expect((await api.get(`/comments/${comment.id}`)).body.data.attributes.mentions).toEqual(named)
    const edited = await api.put(`/comments/${comment.id}`, { body: `Ask ${at(left)} or ${at(stays)}` })
    expect([edited.status, edited.body.data.attributes.mentions]).toEqual([200, named])
    expect(pathsOf(await api.put(`/comments/${plain.id}`, { body: at(left) }))).toEqual(['body'])
    expect(pathsOf(await sendComment(api, company, at(left)))).toEqual(['body'])
    // The name is kept when the account is gone.
    await deleteUser(runtime, left.email)
    expect((await api.get(`/comments/${comment.id}`)).body.data.attributes.mentions).toEqual(named)
    const dropped = await api.put(`/comments/${comment.id}`, { body: `Ask ${at(stays)}` })
    expect(dropped.body.data.attributes.mentions).toHaveLength(1)
    expect(pathsOf(await api.put(`/comments/${comment.id}`, { body: at(left) }))).toEqual(['body'])
  })
})

describe('GET /v1/{resource}/{id}/comments', () => {
  it('lists the oldest first, by cursor', async () => {
    const { api } = workspace
    const id = await newRecord(workspace)
    const made: string[] = []
    for (let number = 0; number < 5; number++) made.push((await newComment(api, id, `${number}`)).id)
    const path = `/companies/${id}/comments`
    expect(idsOf(await api.get(path))).toEqual(made)
    const seen: string[] = []
    for (let next: string | null = `${path}?per_page=2&cursor=true`; next !== null; ) {
      const page = await api.get(next)
      expect(page.body.meta).toEqual({
        path: `${api.base}${path}`,
        per_page: 2,
        next_cursor: page.body.meta.next_cursor,
        prev_cursor: null,
      })
      seen.push(...idsOf(page))
      next = page.body.links.next?.slice(api.base.length) ?? null
    }
    expect(seen).toEqual(made)
    const empty = await api.get(`/companies/${await newRecord(workspace)}/comments`)
    expect([empty.body.data, empty.body.meta.next_cursor]).toEqual([[], null])
  })

  it('refuses what it does not know', async () => {
    const { api } = workspace
    const refused = await api.get(`/companies/${company}/comments?page=2&per_page=101&cursor=x`)
    expect([refused.status, pathsOf(refused).sort()]).toEqual([422, ['cursor', 'page', 'per_page']])
    expect(pathsOf(await api.get(`/comments/${(await newComment(api, company)).id}?include=creator`))).toEqual([
      'include',
    ])
  })
})

describe('PUT, PATCH, DELETE /v1/comments/{id}', () => {
  it('edits a comment, and takes back what was read', async () => {
    const { api } = workspace
    const before = await newComment(api, company, 'old')
    const edited = await api.put(`/comments/${before.id}`, { body: 'new' })
    expect(edited.body.data.attributes).toEqual({
      ...before.attributes,
      body: 'new',
      updated_at: edited.body.data.attributes.updated_at,
    })
    expect(edited.body.data.attributes.updated_at > before.attributes.updated_at).toBe(true)
    for (const same of [edited.body.data.attributes, {}, undefined]) {
      expect((await api.patch(`/comments/${before.id}`, same)).body).toEqual(edited.body)
    }
    const refused = await api.put(`/comments/${before.id}`, { body: null, bdoy: 'x' })
    expect([refused.status, pathsOf(refused)]).toEqual([422, ['bdoy', 'body']])
  })

  it('is for the author, who may delete it as admins and owners do', async () => {
    const { api, token, member } = workspace
    const [author, other, admin] = await Promise.all(
      (['member', 'member', 'admin'] as const).map(async (role) => token({ user: await member(role) })),
    )
    if (!author || !other || !admin) throw new Error('There are three members.')
    const { id } = await newComment(author, company)
    for (const one of [api, other, admin]) {
      expect((await one.put(`/comments/${id}`, { body: 'mine' })).status).toBe(403)
      expect((await one.patch(`/comments/${id}`, {})).status).toBe(403)
    }
    expect((await author.put(`/comments/${id}`, { body: 'mine' })).status).toBe(200)
    expect((await other.delete(`/comments/${id}`)).status).toBe(403)
    for (const one of [author, admin, api]) {
      expect((await one.delete(`/comments/${id}`)).status).toBe(204)
      expect((await other.put(`/comments/${id}/restore`)).status).toBe(403)
      expect((await one.put(`/comments/${id}/restore`)).status).toBe(200)
    }
    // A former role does not count.
    const viewer = await member('member')
    const past = await token({ user: viewer })
    const own = await newComment(past, company)
    await workspace.setRole(viewer, 'viewer')
    expect((await past.put(`/comments/${own.id}`, { body: 'b' })).status).toBe(403)
    expect((await past.delete(`/comments/${own.id}`)).status).toBe(403)
  })

  it('deletes and restores a comment, keeps its replies, and stays out of the trash', async () => {
    const { api } = workspace
    const id = await newRecord(workspace)
    const comment = await newComment(api, id)
    const reply = await newComment(api, id, 'reply', { reply_to: comment.id })
    expect((await api.delete(`/comments/${comment.id}`)).status).toBe(204)
    expect((await api.get(`/comments/${comment.id}`)).status).toBe(404)
    expect((await api.put(`/comments/${comment.id}`, { body: 'b' })).status).toBe(404)
    expect((await api.delete(`/comments/${comment.id}`)).status).toBe(404)
    expect((await api.get(`/companies/${id}/comments`)).body.data).toEqual([reply])
    expect((await api.get('/trash?per_page=100')).text).not.toContain(comment.id)
    expect((await api.put(`/comments/${comment.id}/restore`, { force: true })).status).toBe(422)
    const restored = await api.put(`/comments/${comment.id}/restore`)
    expect([restored.status, restored.body.data.attributes.body]).toEqual([200, 'Hello'])
    expect((await api.put(`/comments/${comment.id}/restore`)).body).toEqual(restored.body)
    expect(idsOf(await api.get(`/companies/${id}/comments`))).toEqual([comment.id, reply.id])
  })

  it('are 404 for the comments of a deleted record, until it is restored', async () => {
    const { api } = workspace
    const id = await newRecord(workspace)
    const [comment, gone] = [await newComment(api, id), await newComment(api, id)]
    await api.delete(`/comments/${gone.id}`)
    await api.delete(`/companies/${id}`)
    for (const { id: one } of [comment, gone]) {
      expect((await api.get(`/comments/${one}`)).status).toBe(404)
      expect((await api.put(`/comments/${one}`, { body: 'b' })).status).toBe(404)
      expect((await api.delete(`/comments/${one}`)).status).toBe(404)
      expect((await api.put(`/comments/${one}/restore`)).status).toBe(404)
    }
    await api.put(`/companies/${id}/restore`)
    expect(idsOf(await api.get(`/companies/${id}/comments`))).toEqual([comment.id])
  })

  it('are 404 while the resource is archived', async () => {
    const { api } = workspace
    const id = await newRecord(workspace, 'projects')
    const comment = await newComment(api, `projects/${id}`)
    await api.delete('/schema/projects')
    expect((await api.get(`/comments/${comment.id}`)).status).toBe(404)
    expect((await api.put(`/comments/${comment.id}/restore`)).status).toBe(404)
    expect((await sendComment(api, `projects/${id}`, 'b')).status).toBe(404)
    await api.put('/schema/projects/restore')
    expect((await api.get(`/comments/${comment.id}`)).status).toBe(200)
  })

  it('need their abilities', async () => {
    const { api, token } = workspace
    const { id } = await newComment(api, company)
    const [reader, creator] = [await token({ abilities: ['read'] }), await token({ abilities: ['create'] })]
    expect((await creator.get(`/comments/${id}`)).status).toBe(403)
    expect((await creator.get(`/companies/${company}/comments`)).status).toBe(403)
    expect((await reader.put(`/comments/${id}`, { body: 'b' })).status).toBe(403)
    expect((await reader.delete(`/comments/${id}`)).status).toBe(403)
    expect((await (await token({ abilities: ['delete'] })).put(`/comments/${id}/restore`)).status).toBe(403)
    expect((await (await token({ abilities: ['update'] })).put(`/comments/${id}/restore`)).status).toBe(200)
  })

  it('never reach the comments of another workspace', async () => {
    const { id } = await newComment(workspace.api, company)
    const { api } = await newWorkspace()
    const own = (await api.post('/companies', { name: 'Own' })).body.data.id
    const answers = [
      await api.get(`/comments/${id}`),
      await api.put(`/comments/${id}`, { body: 'b' }),
      await api.delete(`/comments/${id}`),
      await api.put(`/comments/${id}/restore`),
      await api.get(`/companies/${company}/comments`),
      await sendComment(api, company, 'b'),
    ]
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 404))
    expect(pathsOf(await sendComment(api, own, 'b', { reply_to: id }))).toEqual(['reply_to'])
  })

  it('are entries of the audit log, also in full', async () => {
    const { api, owner, scope } = workspace
    const comment = await newComment(api, await newRecord(workspace), 'a')
    await api.put(`/comments/${comment.id}`, { body: 'b' })
    await api.delete(`/comments/${comment.id}`)
    await api.put(`/comments/${comment.id}/restore`)
    const { data } = await listAudit(await scope(), { resource: 'comments', per_page: 4 })
    expect(data.map(({ action, record_id }) => [action, record_id])).toEqual(
      ['restore', 'delete', 'update', 'create'].map((action) => [action, comment.id]),
    )
    expect(data[2]).toMatchObject({ actor: { id: owner.id }, source: 'api' })
    expect(data[2]?.changes).toEqual([{ field: 'body', label: 'Body', before: 'a', after: 'b', truncated: false }])
  })
})
