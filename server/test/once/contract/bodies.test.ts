import { BODY_MAX_BYTES, QUERY_BODY_MAX_BYTES } from '@kith/contract/limits'
import { beforeAll, describe, expect, it } from 'vitest'
import { declared, workspaceWithOwn } from '../../own-resource.ts'
import { plainRequest } from '../../plain-http.ts'
import { made, problemsOf } from '../../records.ts'
import { testedResources } from '../../run-length.ts'
import type { TestWorkspace } from '../../workspace.ts'

let workspace: TestWorkspace
let path: string
beforeAll(async () => {
  workspace = await workspaceWithOwn()
  path = `/companies/${(await made(workspace.api, 'companies')).id}`
})

const NO_OBJECT = { body: ['The request body must be a JSON object.'] }

describe('2. Request bodies: application/json or application/vnd.api+json, UTF-8, a JSON object', () => {
  it.each([
    'application/json',
    'application/vnd.api+json',
    'application/json; charset=utf-8',
    'application/json;charset=UTF-8',
    'APPLICATION/JSON',
    'Application/Vnd.Api+Json; profile="x"',
  ])('%s is read', async (type) => {
    const headers = { 'Content-Type': type }
    const { api } = workspace
    expect((await api.send('POST', '/companies', '{"name": "x"}', { headers })).status).toBe(201)
    expect((await api.send('PUT', path, '{"name": "y"}', { headers })).body.data.attributes.name).toBe('y')
    expect((await api.send('POST', '/companies/query', '{"per_page": 1}', { headers })).body.meta.per_page).toBe(1)
  })

  it.each([
    'text/plain',
    'text/json',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/jsonp',
    'application/json-patch+json',
    'application/problem+json',
    'application/octet-stream',
    'nonsense',
    '',
  ])('%j is refused on body', async (type) => {
    const headers = { 'Content-Type': type }
    const { api } = workspace
    expect(await problemsOf(api.send('POST', '/companies', '{"name": "x"}', { headers }))).toEqual(NO_OBJECT)
    expect(await problemsOf(api.send('PUT', path, '{}', { headers }))).toEqual(NO_OBJECT)
    expect(await problemsOf(api.send('POST', '/companies/query', '{}', { headers }))).toEqual(NO_OBJECT)
  })

  it('a body without a content type is refused', async () => {
    const { token, base } = workspace.api
    const headers = { Authorization: `Bearer ${token}` }
    const answer = await plainRequest(`${base}/companies`, { method: 'POST', headers, body: '{"name": "x"}' })
    expect([answer.status, answer.body.errors]).toEqual([422, NO_OBJECT])
  })

  const wrong: [what: string, body: string | Uint8Array<ArrayBuffer>][] = [
    ['a list', '[]'],
    ['a list of one', '[{"name": "x"}]'],
    ['null', 'null'],
    ['text', '"name"'],
    ['a number', '5'],
    ['true', 'true'],
    ['white space', '  \n'],
    ['half an object', '{"name": "x"'],
    ['two objects', '{"name": "x"} {"name": "y"}'],
    ['single quotes', "{'name': 'x'}"],
    ['a comma too many', '{"name": "x",}'],
    ['a comment', '{"name": "x" /* so */}'],
    ['NaN', '{"name": NaN}'],
    ['a form', 'name=x'],
    ['a raw line break in a string', '{"name": "a\nb"}'],
    ['bytes that are no UTF-8', new Uint8Array([...Buffer.from('{"name": "'), 0xff, 0xfe, ...Buffer.from('"}')])],
    ['an overlong encoding', new Uint8Array([...Buffer.from('{"name": "'), 0xc0, 0xaf, ...Buffer.from('"}')])],
    ['an encoded surrogate', new Uint8Array([...Buffer.from('{"name": "'), 0xed, 0xa0, 0x80, ...Buffer.from('"}')])],
    ['ISO 8859-1', new Uint8Array(Buffer.from('{"name": "Zoë"}', 'latin1'))],
    ['UTF-16', new Uint8Array(Buffer.from('{"name": "x"}', 'utf16le'))],
    ['the NUL character', '\u0000'],
    ['100,000 brackets', '['.repeat(100_000)],
  ]
  it.each(wrong)('%s is refused on body', async (_what, body) => {
    const { api } = workspace
    expect(await problemsOf(api.send('POST', '/companies', body))).toEqual(NO_OBJECT)
    expect(await problemsOf(api.send('PUT', path, body))).toEqual(NO_OBJECT)
    expect(await problemsOf(api.send('PATCH', path, body))).toEqual(NO_OBJECT)
    expect(await problemsOf(api.send('POST', '/companies/upsert', body))).toEqual(NO_OBJECT)
    expect(await problemsOf(api.send('POST', '/companies/query', body))).toEqual(NO_OBJECT)
  })

  it.each(testedResources)(
    '%s: a body is required on create and upsert, and optional on update, query and summary',
    async (type) => {
      const { api } = workspace
      const { id } = await made(api, type)
      for (const body of [undefined, '']) {
        expect(await problemsOf(api.send('POST', `/${type}`, body))).toEqual(NO_OBJECT)
        expect(await problemsOf(api.send('POST', `/${type}/upsert`, body))).toEqual(NO_OBJECT)
        expect((await api.send('PUT', `/${type}/${id}`, body)).status).toBe(200)
        expect((await api.send('PATCH', `/${type}/${id}`, body)).status).toBe(200)
        expect((await api.send('POST', `/${type}/query`, body)).status).toBe(200)
        expect((await api.send('POST', `/${type}/summary`, body)).status).toBe(200)
      }
      const empty = await problemsOf(api.post(`/${type}`, {}))
      expect(Object.keys(empty)).toEqual([declared(type).label])
    },
  )

  it('of a key that is sent twice the last counts, as in every JSON reader', async () => {
    const twice = '{"name": "first", "custom_fields": {"icp": true}, "name": "last", "custom_fields": {"icp": false}}'
    const { attributes } = (await workspace.api.send('POST', '/companies', twice)).body.data
    expect(attributes).toMatchObject({ name: 'last', custom_fields: { icp: false } })
  })

  it('keys that JavaScript knows are keys like any other', async () => {
    const { api } = workspace
    for (const key of ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'valueOf']) {
      const send = (body: string) => problemsOf(api.send('POST', '/companies', body))
      const inBody = await send(`{"name": "x", "${key}": {"name": "y", "account_owner_id": 5}}`)
      expect(Object.keys(inBody)).toEqual([key])
      expect(Object.keys(await send(`{"${key}": {"name": "y"}}`)).sort()).toEqual([key, 'name'].sort())
      const inFields = await send(`{"name": "x", "custom_fields": {"${key}": {"icp": true}}}`)
      expect(Object.keys(inFields)).toEqual(['custom_fields'])
      expect(inFields.custom_fields?.[0]).toContain(key)
      expect(Object.keys(await problemsOf(api.send('PUT', path, `{"${key}": 1}`)))).toEqual([key])
    }
    const { attributes } = await made(api, 'companies')
    expect(attributes.custom_fields).toEqual({ domains: [], linkedin: [], icp: null })
  })

  it('values of any depth and length are refused, not stumbled over', async () => {
    const { api } = workspace
    const deep = `${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`
    for (const key of ['name', 'account_owner_id']) {
      const body = key === 'name' ? `{"name": ${deep}}` : `{"name": "x", "${key}": ${deep}}`
      expect(Object.keys(await problemsOf(api.send('POST', '/companies', body)))).toEqual([key])
    }
    for (const code of ['domains', 'linkedin', 'icp']) {
      const body = `{"custom_fields": {"${code}": ${deep}}}`
      expect(Object.keys(await problemsOf(api.send('PUT', path, body)))).toEqual([`custom_fields.${code}`])
    }
    expect(
      (await api.post('/companies', { name: 'x', custom_fields: { domains: Array(50_000).fill('x') } })).status,
    ).toBe(422)
  })
})

describe('2. A body over 1 MiB (256 KB = 262,144 bytes on /query) is 413', () => {
  /** A right body of just so many bytes. */
  function bodyOf(bytes: number, inner: string): string {
    return `{${inner}${' '.repeat(bytes - inner.length - 2)}}`
  }

  it.each(testedResources)('%s: at the limit it is read, one byte more is too large', async (type) => {
    const { api } = workspace
    const { label } = declared(type)
    const { id } = await made(api, type)
    const named = `"${label}": "x"`
    const ways: [method: string, path: string, inner: string, limit: number, status: number][] = [
      ['POST', `/${type}`, named, BODY_MAX_BYTES, 201],
      ['PUT', `/${type}/${id}`, named, BODY_MAX_BYTES, 200],
      ['PATCH', `/${type}/${id}`, named, BODY_MAX_BYTES, 200],
      ['POST', `/${type}/upsert`, named, BODY_MAX_BYTES, 422],
      ['POST', `/${type}/query`, '"per_page": 1', QUERY_BODY_MAX_BYTES, 200],
      ['POST', `/${type}/summary`, '"limit": 1', QUERY_BODY_MAX_BYTES, 200],
    ]
    expect([BODY_MAX_BYTES, QUERY_BODY_MAX_BYTES]).toEqual([1_048_576, 262_144])
    for (const [method, path, inner, limit, status] of ways) {
      expect((await api.send(method, path, bodyOf(limit, inner))).status, `${method} ${path}`).toBe(status)
      const answer = await api.send(method, path, bodyOf(limit + 1, inner))
      expect(answer.status, `${method} ${path}`).toBe(413)
      expect(Object.keys(answer.body)).toEqual(['message'])
    }
    const elsewhere = await api.send('PUT', `/${type}/nonsense`, bodyOf(BODY_MAX_BYTES + 1, ''))
    expect(elsewhere.status, 'size before record').toBe(413)
  })

  it('bytes are counted, not characters', async () => {
    const inner = `"name": "${'é'.repeat(100)}"`
    const body = (bytes: number) => `{${inner}${' '.repeat(bytes - Buffer.byteLength(inner) - 2)}}`
    expect((await workspace.api.send('POST', '/companies', body(BODY_MAX_BYTES))).status).toBe(201)
    expect((await workspace.api.send('POST', '/companies', body(BODY_MAX_BYTES + 1))).status).toBe(413)
  })

  it('a request that is far too large gets an answer, not a broken connection', async () => {
    const { token, base } = workspace.api
    const body = Buffer.alloc(24 * BODY_MAX_BYTES, 'x')
    for (const more of [{}, { Connection: 'close' }, { 'Transfer-Encoding': 'chunked' }]) {
      const headers: Record<string, string> = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' }
      Object.assign(headers, more)
      for (const path of ['/companies', '/companies/query']) {
        const answer = await plainRequest(base + path, { method: 'POST', headers, body })
        expect([answer.status, Object.keys(answer.body)]).toEqual([413, ['message']])
      }
    }
  })
})
