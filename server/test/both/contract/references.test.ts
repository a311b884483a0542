import { beforeAll, describe, expect, it } from 'vitest'
import { addMember } from '../../../src/accounts/members.ts'
import { found } from '../../filtering.ts'
import { putBack } from '../../put-back.ts'
import { gone, made, NOWHERE, problemsOf } from '../../records.ts'
import { newWorkspace, type TestWorkspace } from '../../workspace.ts'

let workspace: TestWorkspace
beforeAll(async () => {
  workspace = await newWorkspace()
})

const MEMBER = 'The account_owner_id must be the ID of a member of this workspace.'

/** Each reference, what it points to, and the relation that shows it. */
const references = [
  ['companies', 'account_owner_id', 'users', 'accountOwner'],
  ['people', 'company_id', 'companies', 'company'],
  ['opportunities', 'company_id', 'companies', 'company'],
  ['opportunities', 'contact_id', 'people', 'contact'],
] as const

const toRecords = [references[1], references[2], references[3]] as const

type Target = (typeof references)[number][2]

/** Makes something that a reference can point to. */
async function target(to: Target): Promise<string> {
  return to === 'users' ? (await workspace.member('member')).id : (await made(workspace.api, to)).id
}

async function lose(to: Target, id: string): Promise<void> {
  if (to === 'users') await workspace.remove({ id, email: id, name: '' })
  else await gone(workspace.api, to, id)
}

describe('2. References: members and live records of the workspace', () => {
  it.each(references)(
    '%s.%s takes the id of one of the %s in any letter case, and null',
    async (type, key, to, relation) => {
      const { api } = workspace
      const [first, second] = [await target(to), await target(to)]
      const record = await made(api, type, { [key]: first.toUpperCase() })
      expect(record.attributes[key]).toBe(first)
      const path = `/${type}/${record.id}`
      const moved = await api.put(`${path}?include=${relation}`, { [key]: second })
      expect(moved.body.data.attributes[key]).toBe(second)
      expect(moved.body.data.relationships[relation]).toEqual({ data: { id: second, type: to } })
      expect(moved.body.included.map((one: { id: string }) => one.id)).toEqual([second])
      const again = await api.put(path, { [key]: second.toUpperCase() })
      expect(again.body.data.attributes).toEqual(moved.body.data.attributes)
      const cleared = await api.put(`${path}?include=${relation}`, { [key]: null })
      expect(cleared.body.data.attributes[key]).toBeNull()
      expect(cleared.body.data.relationships[relation]).toEqual({ data: null })
      expect(cleared.body.included).toEqual([])
      expect((await made(api, type, { [key]: null })).attributes[key]).toBeNull()
    },
  )

  it.each(references)('%s.%s: anything else is 422 on that key', async (type, key, to) => {
    const { api } = workspace
    const another = to === 'companies' ? 'people' : 'companies'
    const lost = await target(to)
    await lose(to, lost)
    const stranger = (await newWorkspace()).owner.id
    const message = to === 'users' ? MEMBER : `The ${key} must be the ID of an existing record in ${to}.`
    const kept = await target(to)
    const record = await made(api, type, { [key]: kept })
    const wrong = ['', ' ', 'nonsense', 5, true, false, [], [kept], {}, { id: kept }, ` ${kept}`, `${kept}0`, NOWHERE]
    for (const value of [...wrong, (await made(api, another)).id, lost, stranger, workspace.id]) {
      expect(await problemsOf(api.post(`/${type}`, { name: 'x', [key]: value })), String(value)).toEqual({
        [key]: [message],
      })
      expect(await problemsOf(api.put(`/${type}/${record.id}`, { [key]: value })), String(value)).toEqual({
        [key]: [message],
      })
    }
    expect((await api.get(`/${type}/${record.id}`)).body.data).toEqual(record)
  })

  it('every member can own a company, whatever the role', async () => {
    for (const role of ['admin', 'member', 'viewer'] as const) {
      const { id } = await workspace.member(role)
      expect((await made(workspace.api, 'companies', { account_owner_id: id })).attributes.account_owner_id).toBe(id)
    }
  })

  it('the company of the contact does not matter: the two references of an opportunity are independent', async () => {
    const { api } = workspace
    const [company, other] = [await target('companies'), await target('companies')]
    const contact = (await made(api, 'people', { company_id: other })).id
    const { attributes } = await made(api, 'opportunities', { company_id: company, contact_id: contact })
    expect(attributes).toMatchObject({ company_id: company, contact_id: contact })
  })
})

describe('2. What is deleted or has left does not exist for anyone: references to it read null', () => {
  it.each(references)('%s.%s', async (type, key, to, relation) => {
    const { api } = workspace
    const related = await target(to)
    const name = `Refers to ${related}`
    const record = await made(api, type, { name, [key]: related })
    const path = `/${type}/${record.id}?include=${relation}`
    await lose(to, related)
    const expected = { ...record.attributes, [key]: null }
    for (const { data, included } of [
      (await api.get(path)).body,
      (await api.put(path, {})).body,
      (await api.put(path, { [key]: null })).body,
      (await api.patch(path, expected)).body,
    ]) {
      expect(data.attributes).toEqual(expected)
      expect(data.relationships[relation]).toEqual({ data: null })
      expect(included).toEqual([])
    }
    const listed = await api.get(`/${type}?include=${relation}&filter[name][$eq]=${encodeURIComponent(name)}`)
    expect(listed.body.data[0].attributes).toEqual(expected)
    expect(listed.body.included).toEqual([])
    const mine = { name: { $eq: name } }
    expect(await found(api, type, { ...mine, [relation]: { $in: [related] } })).toEqual([])
    expect(await found(api, type, { ...mine, [relation]: { $not_in: [related] } })).toEqual([name])
    expect(await found(api, type, { ...mine, [relation]: { $is_empty: true } })).toEqual([name])
  })

  it.each(toRecords)(
    '%s.%s: restoring brings the link back, also when the null was sent back meanwhile',
    async (type, key, to, relation) => {
      const { api } = workspace
      const related = await target(to)
      const record = await made(api, type, { [key]: related })
      const path = `/${type}/${record.id}?include=${relation}`
      await gone(api, to, related)
      const nulled = (await api.get(`/${type}/${record.id}`)).body.data.attributes
      expect((await api.put(path, nulled)).status).toBe(200)
      await putBack(workspace, to, related)
      const restored = (await api.get(path)).body
      // The record reads differently again, which a client that syncs by time must see.
      const { updated_at } = restored.data.attributes
      expect(updated_at > record.attributes.updated_at).toBe(true)
      expect(restored.data.attributes).toEqual({ ...record.attributes, updated_at })
      expect(restored.data.relationships[relation].data.id).toBe(related)
    },
  )

  it.each(toRecords)('%s.%s: a link that was changed meanwhile does not come back', async (type, key, to) => {
    const { api } = workspace
    const [related, other] = [await target(to), await target(to)]
    const record = await made(api, type, { [key]: related })
    await gone(api, to, related)
    await api.put(`/${type}/${record.id}`, { [key]: other })
    await putBack(workspace, to, related)
    expect((await api.get(`/${type}/${record.id}`)).body.data.attributes[key]).toBe(other)
  })

  it('a member who comes back is the account owner again', async () => {
    const { api } = workspace
    const member = await workspace.member('member')
    const { id } = await made(api, 'companies', { account_owner_id: member.id })
    await workspace.remove(member)
    expect((await api.get(`/companies/${id}`)).body.data.attributes.account_owner_id).toBeNull()
    await addMember(await workspace.scope(), { email: member.email, role: 'member' })
    expect((await api.get(`/companies/${id}`)).body.data.attributes.account_owner_id).toBe(member.id)
  })
})
