import { registry } from '@kith/contract/registry'
import { describe, expect, it } from 'vitest'
import type { Answered } from '../../api.ts'
import { gone, made, NOWHERE, problemsOf } from '../../records.ts'
import { newWorkspace, type TestWorkspace } from '../../workspace.ts'

const TAG = /^"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)~[0-9a-f]{16}"$/

function tagOf({ headers, body }: Answered): string {
  const tag = headers.get('etag') ?? ''
  expect(TAG.exec(tag)?.[1]).toBe(body.data.attributes.updated_at)
  return tag
}

/** A company and a client that sends a header with each call. */
async function company(): Promise<{ workspace: TestWorkspace; path: string; tag: string; at: string }> {
  const workspace = await newWorkspace()
  const created = await workspace.api.post('/companies', { name: 'Acme' })
  const { id, attributes } = created.body.data
  return { workspace, path: `/companies/${id}`, tag: tagOf(created), at: attributes.updated_at }
}

const ifMatch = (tag: string) => ({ headers: { 'If-Match': tag } })
const ifNoneMatch = (tag: string) => ({ headers: { 'If-None-Match': tag } })

describe('sync 3. GET, and the responses of create, update and upsert, carry a strong ETag', () => {
  it.each(Object.values(registry).map(({ type, label }) => [type, label] as const))('%s', async (type, label) => {
    const { api } = await newWorkspace()
    const created = await api.post(`/${type}`, { [label]: 'One' })
    const path = `/${type}/${created.body.data.id}`
    expect(tagOf(await api.get(path))).toBe(tagOf(created))
    const updated = await api.put(path, { [label]: 'Two' })
    expect(tagOf(updated)).not.toBe(tagOf(created))
    expect(tagOf(await api.get(path))).toBe(tagOf(updated))
    expect((await api.send('HEAD', path)).headers.get('etag')).toBe(tagOf(updated))
  })

  it('of an upsert that creates and of one that updates', async () => {
    const { api } = await newWorkspace()
    const match = { field: 'domains', value: 'acme.com' }
    const created = await api.post('/companies/upsert', { name: 'Acme', match })
    const updated = await api.post('/companies/upsert', { name: 'Acme Corp', match })
    expect([created.status, updated.status]).toEqual([201, 200])
    expect(tagOf(updated)).not.toBe(tagOf(created))
    expect(tagOf(await api.get(`/companies/${created.body.data.id}`))).toBe(tagOf(updated))
  })

  it('the digits are computed from the body, and the time is the updated_at also where it is not shown', async () => {
    const { workspace, path, tag, at } = await company()
    const counted = (await workspace.api.get(`${path}?include=peopleCount`)).headers.get('etag') ?? ''
    const sparse = (await workspace.api.get(`${path}?fields=name`)).headers.get('etag') ?? ''
    expect(new Set([tag, counted, sparse]).size).toBe(3)
    for (const other of [counted, sparse]) expect(TAG.exec(other)?.[1]).toBe(at)
  })
})

describe('sync 3. If-Match on PUT, PATCH and DELETE', () => {
  it('compares only the part before ~: the ETag, its time alone, other digits', async () => {
    const { workspace, path } = await company()
    for (const [index, tagIn] of [
      (answer: Answered) => tagOf(answer),
      (answer: Answered) => `"${answer.body.data.attributes.updated_at}"`,
      (answer: Answered) => `"${answer.body.data.attributes.updated_at}~0000000000000000"`,
      (answer: Answered) => `"other", W/"weak" ,"${answer.body.data.attributes.updated_at}"`,
    ].entries()) {
      const tag = tagIn(await workspace.api.get(path))
      const written = await workspace.api.send(
        index % 2 ? 'PUT' : 'PATCH',
        path,
        JSON.stringify({ name: `Acme ${index}` }),
        ifMatch(tag),
      )
      expect(written.status, tag).toBe(200)
    }
    const { headers } = await workspace.api.get(path)
    expect((await workspace.api.delete(path, ifMatch(headers.get('etag') ?? ''))).status).toBe(204)
  })

  it('no match is 412 {message, updated_at} with the current ETag, and nothing is done', async () => {
    const { workspace, path, tag: first } = await company()
    const { api } = workspace
    const current = await api.put(path, { name: 'Globex' })
    const { updated_at } = current.body.data.attributes
    for (const tag of [first, '"never"', '""', `W/${tagOf(current)}`, `W/"${updated_at}"`]) {
      for (const refused of [
        await api.put(path, { name: 'Initech' }, ifMatch(tag)),
        await api.patch(path, { name: 'Initech' }, ifMatch(tag)),
        await api.delete(path, ifMatch(tag)),
      ]) {
        expect(refused.status, tag).toBe(412)
        expect(refused.body).toEqual({ message: expect.stringContaining(updated_at), updated_at })
        expect(refused.headers.get('etag')).toBe(tagOf(current))
      }
    }
    expect((await api.get(path)).body).toEqual(current.body)
  })

  it('*: the record exists', async () => {
    const { workspace, path } = await company()
    expect((await workspace.api.put(path, { name: 'Globex' }, ifMatch('*'))).status).toBe(200)
    expect((await workspace.api.delete(path, ifMatch('*'))).status).toBe(204)
    expect((await workspace.api.put(path, { name: 'Globex' }, ifMatch('*'))).status).toBe(404)
  })

  it('no quotes, or malformed: 422 on if_match', async () => {
    const { workspace, path, at } = await company()
    const { api } = workspace
    for (const header of [at, 'x', '', '"a" "b"', '"a', '*, "a"', '"a",', 'w/"a"', `"a", ${at}`]) {
      for (const refused of [api.put(path, { name: 'Globex' }, ifMatch(header)), api.delete(path, ifMatch(header))]) {
        expect(Object.keys(await problemsOf(refused)), header).toEqual(['if_match'])
      }
    }
    expect((await api.get(path)).body.data.attributes.name).toBe('Acme')
  })

  it('a renamed option or a different include is no conflict', async () => {
    const workspace = await newWorkspace()
    const { code, options } = await workspace.field('companies', {
      name: 'Tier',
      type: 'select',
      options: ['A'],
    })
    const record = await made(workspace.api, 'companies', { custom_fields: { [code]: options[0]?.label } })
    const path = `/companies/${record.id}`
    const tag = (await workspace.api.get(`${path}?include=peopleCount`)).headers.get('etag') ?? ''
    await workspace.updateField('companies', code, { rename_options: [{ from: 'A', to: 'B' }] })
    const renamed = await workspace.api.get(path, ifNoneMatch(tag))
    expect([renamed.status, renamed.headers.get('etag') === tag]).toEqual([200, false])
    expect((await workspace.api.put(path, { name: 'Two' }, ifMatch(tag))).status).toBe(200)
  })

  it('comes after 404 and before 422 of body and parameters', async () => {
    const { workspace, path, tag } = await company()
    const { api } = workspace
    for (const header of [tag, 'malformed']) {
      expect((await api.put(`/companies/${NOWHERE}`, { name: '' }, ifMatch(header))).status).toBe(404)
      expect((await api.delete(`/companies/${NOWHERE}`, ifMatch(header))).status).toBe(404)
    }
    await api.put(path, { name: 'Globex' })
    const stale = ifMatch(tag)
    expect((await api.send('PUT', path, '{', stale)).status).toBe(412)
    expect((await api.put(path, { nothing: 1 }, stale)).status).toBe(412)
    expect((await api.put(`${path}?nothing=1`, {}, stale)).status).toBe(412)
    expect((await api.delete(`${path}?nothing=1`, stale)).status).toBe(412)
    const problems = await problemsOf(api.put(path, { nothing: 1 }, ifMatch('malformed')))
    expect(Object.keys(problems)).toEqual(['if_match'])
    const { headers } = await api.get(path)
    expect((await api.put(path, { nothing: 1 }, ifMatch(headers.get('etag') ?? ''))).status).toBe(422)
  })

  it('is made under the lock: of writers that saw the same version one succeeds', async () => {
    const { workspace, path, tag } = await company()
    const rounds = Array.from({ length: 8 }, (_, index) => index)
    const answers = await Promise.all(
      rounds.map((index) => workspace.api.put(path, { name: `Writer ${index}` }, ifMatch(tag))),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(412)])
    const won = answers.find(({ status }) => status === 200)
    expect((await workspace.api.get(path)).body).toEqual(won?.body)
    expect(new Set(answers.map(({ headers }) => headers.get('etag')))).toEqual(new Set([won?.headers.get('etag')]))
  })
})

describe('sync 3. If-None-Match on GET of a record', () => {
  it('compares the whole tag, weakly: 304 without body', async () => {
    const { workspace, path, tag, at } = await company()
    const { api } = workspace
    for (const header of [tag, `W/${tag}`, `"other", ${tag}`, '*']) {
      const answer = await api.get(path, ifNoneMatch(header))
      expect([answer.status, answer.text, answer.headers.get('etag')]).toEqual([304, '', tag])
      expect((await api.send('HEAD', path, undefined, ifNoneMatch(header))).status).toBe(304)
    }
    for (const header of [`"${at}"`, `"${at}~0000000000000000"`, 'malformed']) {
      expect((await api.get(path, ifNoneMatch(header))).status).toBe(200)
    }
    await api.put(path, { name: 'Globex' })
    expect((await api.get(path, ifNoneMatch(tag))).status).toBe(200)
    await gone(api, 'companies', path.slice('/companies/'.length))
    expect((await api.get(path, ifNoneMatch('*'))).status).toBe(404)
  })

  it('428 is never sent, and there is no Last-Modified: a write without If-Match succeeds', async () => {
    const { workspace, path } = await company()
    const written = await workspace.api.put(path, { name: 'Globex' })
    expect([written.status, written.headers.get('last-modified')]).toEqual([200, null])
    const read = await workspace.api.get(path, { headers: { 'If-Modified-Since': new Date().toUTCString() } })
    expect([read.status, read.headers.get('last-modified')]).toEqual([200, null])
  })
})
