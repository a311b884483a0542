import { fieldTypes } from '@kith/contract/field-types'
import { registry } from '@kith/contract/registry'
import { type BuiltInName, includeNames, resourceNames } from '@kith/contract/resource'
import { expect, it } from 'vitest'
import type { Answered } from '../api.ts'
import { codeOf, defineEveryType, relatedRecords, valuesOfEveryType } from '../derived/full-records.ts'
import { samples, type ValueTypeName, valueTypeNames } from '../field-samples.ts'
import { ownService } from '../own-service.ts'
import { newWorkspace, type TestWorkspace } from '../workspace.ts'

it('Law 6. Same answer on both engines: byte-equal bodies for the same data, ids and times aside', async () => {
  const sqlite = await ownService({}, 'sqlite')
  const expected = await answersIn(await sqlite.workspace())
  expect(expected.length).toBeGreaterThan(100)
  expect(await answersIn(await newWorkspace())).toEqual(expected)
})

/** The same requests to any workspace, and what it answers: a line for each, so that a difference can be seen. */
async function answersIn(workspace: TestWorkspace): Promise<string[]> {
  const told: [asked: string, status: number, body: string][] = []
  const neutral = neutralised(workspace)
  const note = (asked: string, { status, text }: Answered) => void told.push([neutral(asked), status, neutral(text)])
  const { api } = workspace
  const get = async (path: string) => note(`GET ${path}`, await api.get(path))
  const post = async (path: string, body: unknown) =>
    note(`POST ${path} ${JSON.stringify(body)}`, await api.post(path, body))
  const query = (type: BuiltInName, body: object) => post(`/${type}/query`, body)

  for (const type of resourceNames) await defineEveryType(workspace, type)
  await workspace.updateField('companies', codeOf('text'), { unique: true })
  const ids = await relatedRecords(workspace, valuesOfEveryType('one'))
  const names = [
    'apple',
    'Éclair',
    'ÄPFEL',
    'zebra',
    'Zebra',
    'ﬁsh',
    'straße',
    'STRASSE',
    '🦊 fox',
    'İstanbul',
    '100%',
    'a_b',
  ]
  for (const [index, name] of names.entries()) {
    const number = [3, -0.5, 10, 2 ** 53, 0.1, 1e-7][index % 6]
    const custom_fields = { [codeOf('text')]: name, [codeOf('number')]: number }
    await post('/companies', { name, custom_fields })
    await api.post('/people', { name, company_id: index % 2 ? ids.companies : null })
  }
  for (const type of resourceNames) {
    const { label } = registry[type]
    await get(`/${type}?sort=${label}&include=${includeNames(registry[type]).join(',')}&per_page=5`)
    await get(`/${type}?sort=-${label}&page=2&per_page=5&fields=${label}`)
    await get(`/${type}/${ids[type]}?include=creator`)
    await post(`/${type}`, { [label]: ' ', nonsense: 1, custom_fields: wrongValues() })
    for (const field of valueTypeNames) {
      await query(type, {
        fields: label,
        sort: sortBy(field, label),
        filter: { custom_fields: { [codeOf(field)]: some(field) } },
      })
    }
  }
  for (const filter of [
    { name: { $contains: 'STRASSE' } },
    { name: { $contains: 'É' } },
    { name: { $contains: '0%' } },
    { name: { $contains: 'a_b' } },
    { name: { $eq: 'zebra' } },
    { $not: { people: { name: { $contains: 'a' } } } },
    { people: { $is_empty: false } },
    { $or: [{ custom_fields: { [codeOf('number')]: { $gte: 0.1 } } }, { name: { $eq: 'Zebra' } }] },
    { custom_fields: { [codeOf('text')]: { $eq: 'apple' } } },
    { created_at: { $lt: '2020-01-01' } },
  ]) {
    await query('companies', { fields: 'name', sort: 'name', filter })
  }
  let cursor = 'true'
  while (cursor) {
    const answer = await api.get(`/people?cursor=${cursor}&sort=-name&per_page=4&fields=name`)
    note('GET /people by cursor', answer)
    cursor = answer.body.meta.next_cursor
  }
  const match = { field: codeOf('text'), value: 'APPLE' }
  await post('/companies/upsert', { name: 'Apple', match })
  await post('/companies/upsert', { name: 'Pear', match: { ...match, value: 'pear' } })
  await post('/companies', { name: 'Taken', custom_fields: { [codeOf('text')]: 'zEBRA' } })
  note('DELETE', await api.delete(`/companies/${ids.companies}`))
  await get(`/people/${ids.people}?include=company`)
  await get(`/companies/${ids.companies}`)
  await get('/companies?sort=name&fields=name&per_page=3&filter[people][$is_empty]=0')
  return told.map((one) => JSON.stringify(one))
}

/** An operator of the type with an operand that its first sample meets. */
function some(type: ValueTypeName): object {
  const { operators } = fieldTypes[type]
  const { one } = samples[type]
  if (operators.includes('$has_any')) return { $has_any: one }
  return operators.includes('$eq') ? { $eq: one } : { $contains: 'one' }
}

function sortBy(type: ValueTypeName, label: string): string {
  return fieldTypes[type].sortable ? `-custom_fields.${codeOf(type)},${label}` : label
}

/** One of which each field says something else. */
function wrongValues(): Record<string, unknown> {
  return Object.fromEntries(valueTypeNames.map((type) => [codeOf(type), { no: 'value' }]))
}

/**
 * Takes out of a text what differs from run to run: ids by the order in which they appear, times, names and addresses.
 */
function neutralised({ api, owner }: TestWorkspace): (text: string) => string {
  const ids = new Map<string, string>()
  return (text) =>
    text
      .replaceAll(api.base, 'BASE')
      .replaceAll(owner.email, 'EMAIL')
      .replaceAll(owner.name, 'OWNER')
      .replace(/cursor=[\w-]{20,}|(?<=_cursor":")[\w-]+/g, 'CURSOR')
      .replace(/\b[0-7][0-9a-hjkmnp-tv-z]{25}\b/g, (id) => {
        const known = ids.get(id) ?? `ID ${ids.size + 1}`
        ids.set(id, known)
        return known
      })
      .replace(/(?<="(?:created|updated)_at":")[^"]+/g, 'TIME')
}
