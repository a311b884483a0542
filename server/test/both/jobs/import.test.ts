import { gzipSync } from 'node:zlib'
import { beforeAll, describe, expect, it } from 'vitest'
import { made } from '../../records.ts'
import { newWorkspace, type TestWorkspace } from '../../workspace.ts'
import { imported, resultFile, resultsOf } from './jobs.ts'

type Shown = {
  id: string
  attributes: Record<string, unknown> & { name: string; custom_fields: Record<string, unknown> }
}

let workspace: TestWorkspace

beforeAll(async () => {
  workspace = await newWorkspace()
})

async function named(type: string, name: string): Promise<Shown> {
  const { body } = await workspace.api.get(`/${type}?filter[name][$eq]=${name}&include=externalIds`)
  expect(body.data).toHaveLength(1)
  return body.data[0]
}

describe('an import', () => {
  it('creates a record for each row, with the source import', async () => {
    const { api, owner } = workspace
    const token = await workspace.token()
    const { body: before } = await api.get('/changes?cursor=now')
    const job = await imported(
      token,
      'name,Domains,external_ids.crm\nAcme,acme.com,1;2\nGlobex,globex.com;globex.org,\n',
    )
    expect(job.attributes).toMatchObject({
      state: 'done',
      message: null,
      progress: { rows: 2, done: 2, created: 2, updated: 0, unchanged: 0, failed: 0 },
    })
    const { attributes: globex } = await named('companies', 'Globex')
    expect(globex).toMatchObject({
      creation_source: 'import',
      custom_fields: { domains: ['globex.com', 'globex.org'] },
    })
    const acme = await named('companies', 'Acme')
    expect(acme.attributes.external_ids).toEqual({ crm: ['1', '2'] })
    const { body } = await api.get(`/changes?cursor=${before.meta.next_cursor}`)
    expect(body.data.map((entry: Shown) => entry.attributes.origin)).toEqual([
      ...[1, 2].map(() => ({ source: 'import', actor_id: owner.id, token_id: token.id, own: false })),
    ])
    const results = await resultsOf(api, job.id)
    expect(results[0]).toEqual({ row: 1, outcome: 'created', id: acme.id, message: null, errors: null })
  })

  it('goes on after a row that fails, and returns the failed rows to fix and send again', async () => {
    const { api } = workspace
    const header = 'name,domains,Note\r\n'
    const mapping = { Note: null }
    const file = `${header}One,one.example,a\r\n,two.example,"b, ""c"""\r\nThree,one.example,d\r\nFour,,\r\nFive,x,y,z\r\n`
    const job = await imported(api, file, { mapping })
    expect(job.attributes).toMatchObject({
      state: 'done',
      progress: { rows: 5, done: 5, created: 2, updated: 0, unchanged: 0, failed: 3 },
    })
    const failed = await resultsOf(api, job.id, '?outcome=failed')
    expect(failed.map(({ row, message, errors }) => [row, message, Object.keys(errors)])).toEqual([
      [2, 'The name field is required.', ['name']],
      [3, expect.stringMatching(/one\.example is already taken/), ['custom_fields.domains']],
      [5, 'The row has 4 cells, but the header has 3 columns.', ['row']],
    ])
    expect(await resultsOf(api, job.id, '?outcome=created')).toHaveLength(2)
    const again = await resultFile(api, job.id, '?format=csv')
    const lines = again.split('\r\n')
    expect(lines[0]).toBe('name,domains,Note,errors')
    expect(lines[1]).toBe(',two.example,"b, ""c""",The name field is required.')
    const fixed = again.replace('\r\n,two', '\r\nTwo,two').replace('Three,one', 'Three,three').replace(',z,', ',')
    expect((await imported(api, fixed, { mapping })).attributes.progress).toMatchObject({ created: 2, failed: 1 })
  })

  it('fails at once if a column is neither mapped nor known, and names the nearest target', async () => {
    const { api } = workspace
    const job = await imported(api, 'name,Domians\nNever,never.example\n')
    expect(job.attributes).toMatchObject({ state: 'failed', progress: { rows: 1, done: 0, created: 0 } })
    expect(job.attributes.message).toMatch(
      /^The column "Domians" \(did you mean domains\?\) is neither mapped nor known/,
    )
    expect((await api.get('/companies?filter[name][$eq]=Never')).body.data).toEqual([])
  })

  it('updates by id, by a unique field and by an external id, and needs no name for it', async () => {
    const { api } = workspace
    const one = await made(api, 'companies', {
      name: 'Up',
      custom_fields: { domains: ['up.example'] },
      external_ids: { crm: 'up' },
    })
    const files = [
      ['id', `id,external_ids.a\n${one.id},1\n01kb8w4d5e6f7g8h9j0k1m2n3p,2\n,3\n`],
      ['domains', 'domains,external_ids.a\nUP.example,2\nnowhere.example,2\n,3\n'],
      ['external_ids.crm', 'external_ids.crm,external_ids.a\nup,3\nUP,4\n,5\n'],
    ] as const
    for (const [match, file] of files) {
      const job = await imported(api, file, { mode: 'update', match })
      expect(job.attributes.progress, match).toMatchObject({ rows: 3, created: 0, updated: 1, unchanged: 0, failed: 2 })
      const again = await imported(api, file, { mode: 'update', match })
      expect(again.attributes.progress, match).toMatchObject({ updated: 0, unchanged: 1, failed: 2 })
    }
    expect((await named('companies', 'Up')).attributes.external_ids).toEqual({ a: ['3'], crm: ['up'] })
  })

  it('upserts by a unique field or an external id, and a row with a new id never', async () => {
    const { api } = workspace
    const file = 'name,domains\nUps,ups.example\nUps 2,ups.example\nMore,more.example\nNone,\n'
    const job = await imported(api, file, { mode: 'upsert', match: 'domains' })
    expect(job.attributes.progress).toMatchObject({ created: 2, updated: 1, unchanged: 0, failed: 1 })
    const [, second] = await resultsOf(api, job.id)
    expect(second).toMatchObject({ row: 2, outcome: 'updated', id: (await named('companies', 'Ups 2')).id })
    const byId = `id,name\n${second?.id},Ups 3\n,Fresh\n01kb8w4d5e6f7g8h9j0k1m2n3p,Lost\n`
    expect((await imported(api, byId, { mode: 'upsert', match: 'id' })).attributes.progress).toMatchObject({
      created: 1,
      updated: 1,
      failed: 1,
    })
    const byExternal = 'name,external_ids.erp\nErp,7\nErp 2,7\n'
    const external = await imported(api, byExternal, { mode: 'upsert', match: 'external_ids.erp' })
    expect(external.attributes.progress).toMatchObject({ created: 1, updated: 1, failed: 0 })
  })

  it('keeps or clears values for empty cells', async () => {
    const { api } = workspace
    const record = await made(api, 'companies', { name: 'Blank', custom_fields: { domains: ['blank.example'] } })
    const file = `id,domains\n${record.id},\n`
    const kept = await imported(api, file, { mode: 'update', match: 'id' })
    expect(kept.attributes.progress).toMatchObject({ unchanged: 1 })
    await imported(api, file, { mode: 'update', match: 'id', blank: 'clear' })
    expect((await named('companies', 'Blank')).attributes.custom_fields.domains).toEqual([])
  })

  it('names records by id or match, and members by id or email address', async () => {
    const { api, owner } = workspace
    const company = await made(api, 'companies', { name: 'Ref', custom_fields: { domains: ['ref.example'] } })
    const person = await made(api, 'people', { name: 'Linked', custom_fields: { emails: ['linked@ref.example'] } })
    const people = await imported(api, 'name,company_id.domains\nAda,ref.example\nBob,no.example\n', {
      resource: 'people',
    })
    expect(people.attributes.progress).toMatchObject({ created: 1, failed: 1 })
    expect((await named('people', 'Ada')).attributes.company_id).toBe(company.id)
    const owned = await imported(
      api,
      `name,account_owner_id\nBy id,${owner.id}\nBy mail,${owner.email.toUpperCase()}\n`,
    )
    expect(owned.attributes.progress).toMatchObject({ created: 2 })
    const header = 'title,company_ids,people_ids.emails,assignee_ids'
    const tasks = await imported(api, `${header}\nCall,${company.id},linked@ref.example,${owner.email}\n`, {
      resource: 'tasks',
    })
    expect(tasks.attributes.progress, String(tasks.attributes.message)).toMatchObject({ created: 1 })
    const [task] = await resultsOf(api, tasks.id)
    const { body } = await api.get(`/tasks/${task?.id}?include=companies,people,assignees`)
    expect(body.included.map((one: Shown) => one.id).toSorted()).toEqual([company.id, person.id, owner.id].toSorted())
  })

  it('reads NDJSON: bodies of a create, with an id for match id, and sync forms', async () => {
    const { api } = workspace
    const ndjson = { format: 'ndjson' }
    const lines = ['{"name":"Line","custom_fields":{"domains":["line.example"]}}', 'no JSON', '[]', '{"nmae":"x"}']
    const job = await imported(api, `${lines.join('\n')}\n`, ndjson)
    expect(job.attributes.progress).toMatchObject({ rows: 4, created: 1, failed: 3 })
    const { id } = await named('companies', 'Line')
    const update = await imported(api, `{"id":"${id}","name":"Line 2"}\n`, { ...ndjson, mode: 'update', match: 'id' })
    expect(update.attributes.progress).toMatchObject({ updated: 1 })
    const sync = { id, type: 'companies', attributes: { name: 'Line 3', created_at: '2026-01-01T00:00:00.000Z' } }
    const form = await imported(api, JSON.stringify(sync), { ...ndjson, mode: 'upsert', match: 'id' })
    expect(form.attributes.progress).toMatchObject({ updated: 1 })
    expect((await named('companies', 'Line 3')).id).toBe(id)
    const other = await imported(api, JSON.stringify({ ...sync, type: 'people' }), ndjson)
    const [failed] = await resultsOf(api, other.id)
    expect(failed?.errors).toEqual({ type: ['The type must be companies, the resource of the import.'] })
  })

  it('reads other encodings, delimiters, dates and decimal marks', async () => {
    const { api } = workspace
    await workspace.field('companies', { name: 'Since', type: 'date' })
    await workspace.field('companies', { name: 'Size', type: 'number' })
    const file = Buffer.from('name;Since;Size\nKöln;14.11.2026;1.234,5\n', 'latin1')
    const job = await imported(api, file, { dates: 'dmy', decimal: ',' })
    expect(job.attributes.progress, String(job.attributes.message)).toMatchObject({ created: 1 })
    expect((await named('companies', 'Köln')).attributes.custom_fields).toMatchObject({
      since: '2026-11-14',
      size: 1234.5,
    })
    const wide = Buffer.from('\uFEFFname\nŁódź\n', 'utf16le')
    expect((await imported(api, wide)).attributes.progress).toMatchObject({ created: 1 })
    await named('companies', 'Łódź')
    expect(gzipSync(wide).length).toBeGreaterThan(0)
  })

  it('creates missing options if the job says so, and refuses the rows otherwise', async () => {
    const { api } = workspace
    await workspace.field('companies', { name: 'Tier', type: 'select', options: ['Gold'] })
    const file = 'name,Tier\nOld,gold\nNew,Silver\nNewer,silver\n'
    expect((await imported(api, file)).attributes.progress).toMatchObject({ created: 1, failed: 2 })
    const dry = await imported(api, file, { create_options: true, dry_run: true })
    expect(dry.attributes.progress).toMatchObject({ created: 3, failed: 0 })
    expect((await imported(api, file, { create_options: true })).attributes.progress).toMatchObject({ created: 3 })
    expect((await named('companies', 'Newer')).attributes.custom_fields.tier).toMatchObject({ label: 'Silver' })
  })
})
