import type { ResourceName } from '@kith/contract/resource'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  defineEveryType,
  type Ids,
  referencesTo,
  relatedRecords,
  relatedTo,
  valuesOfEveryType,
} from '../../derived/full-records.ts'
import { openExport } from '../../exported.ts'
import { BIG, bigFields, bigValues } from '../../large-records.ts'
import { workspaceWithOwn } from '../../own-resource.ts'
import { made } from '../../records.ts'
import { testedResources } from '../../run-length.ts'
import type { TestWorkspace } from '../../workspace.ts'
import { imported, resultsOf } from './jobs.ts'

let workspace: TestWorkspace
let ids: Ids

const options = ['=A1', 'a;b', '["x"]', "'=B", '+1 (2)', '-x']
const texts = ['=1+1', "'=1", "''tis", '-5', '- item', ' \t=1', '\r=1', 'a\r\nb, "c";', '[1]', 'null', '＝1', 'ü;ö']

beforeAll(async () => {
  workspace = await workspaceWithOwn()
  for (const resource of testedResources) {
    await defineEveryType(workspace, resource)
    await workspace.field(resource, { name: 'One of', code: 'one_of', type: 'select', options })
    await workspace.field(resource, { name: 'Some of', code: 'some_of', type: 'multi-select', options })
    await workspace.field(resource, { name: 'Memo', code: 'memo', type: 'textarea' })
    await workspace.field(resource, { name: 'Words', code: 'words', type: 'tags-input' })
  }
  ids = await relatedRecords(workspace)
  for (const resource of testedResources) await stock(resource)
})

/** Records with all that is hard to write into a cell, one with everything and one with nothing. */
async function stock(resource: ResourceName): Promise<void> {
  const { api } = workspace
  const label = resource === 'tasks' || resource === 'notes' ? 'title' : 'name'
  for (const [index, text] of texts.entries()) {
    const some = [options[index % options.length], options[(index + 1) % options.length]]
    await made(api, resource, {
      [label]: `${text.trim()} ${index}`,
      ...(index % 2 === 0 ? relatedTo(resource, ids) : {}),
      external_ids: { crm: [`=${index}`, `;${index}`, `["${index}"]`], 'a-b': `+49 ${index}` },
      custom_fields: { one_of: some[0], some_of: some, memo: text, words: [text.trim(), `'${text.trim()}`] },
    })
  }
  await made(api, resource, {
    custom_fields: {
      ...valuesOfEveryType('other'),
      ...referencesTo(ids),
      my_number: -1e-7,
      my_currency: -0.5,
    },
  })
  await made(api, resource, { [label]: 'Nothing' })
}

async function expectUnchanged(resource: ResourceName, format: string, blanks = ['keep', 'clear']): Promise<void> {
  const { api } = workspace
  const exported = async () => (await openExport(api, `/${resource}/export?format=${format}`)).text()
  const { total } = (await api.get(`/${resource}?per_page=1`)).body.meta
  const { next_cursor } = (await api.get('/changes?cursor=now')).body.meta
  const file = await exported()
  for (const blank of blanks) {
    const job = await imported(api, file, { resource, format, mode: 'update', match: 'id', blank })
    expect(await resultsOf(api, job.id, '?outcome=failed')).toEqual([])
    expect(job.attributes.progress).toMatchObject({ rows: total, done: total, updated: 0, unchanged: total })
  }
  expect((await api.get(`/changes?cursor=${next_cursor}`)).body.data).toEqual([])
  expect(await exported()).toBe(file)
}

describe.each(testedResources)('an export of %s that is imported again', (resource) => {
  it.each(['csv', 'ndjson'])('as %s changes nothing', async (format) => {
    await expectUnchanged(resource, format)
  })
})

it('a record of the largest size can be exported and imported, with its ids', async () => {
  const { api } = workspace
  await bigFields(workspace, 'notes')
  const crm = Array.from({ length: 20 }, (_, index) => `${index}`.padEnd(250, '-'))
  const { id } = await made(api, 'notes', { external_ids: { crm }, custom_fields: bigValues([BIG], '"') })
  expect((await api.patch(`/notes/${id}`, { custom_fields: { big_2: '"'.repeat(BIG - 1000) } })).status).toBe(200)
  await expectUnchanged('notes', 'csv', ['keep'])
})
