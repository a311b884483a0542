import { Jsona } from 'jsona'
import { describe, expect, it } from 'vitest'
import { newWorld } from '../../include-world.ts'

const client = new Jsona()

describe('responses follow the JSON:API specification: a client library reads them', () => {
  it('a list with included records', async () => {
    const { workspace, full, people, deals, member, bare } = await newWorld()
    const { owner } = workspace
    const { text } = await workspace.api.get(
      '/companies?sort=name&include=creator,accountOwner,people,opportunities,peopleCount',
    )
    const [acme, empty, ...none] = [client.deserialize(text)].flat()
    expect(none).toEqual([])
    const user = ({ id, name, email }: typeof owner) => ({ id, type: 'users', name, email })
    expect(acme).toMatchObject({
      id: full.companies,
      type: 'companies',
      name: 'Acme',
      account_owner_id: member.id,
      custom_fields: { domains: ['acme.example'], icp: true },
      people_count: 2,
      creator: user(owner),
      accountOwner: user(member),
      relationshipNames: ['creator', 'accountOwner', 'people', 'opportunities'],
    })
    const names = (records: { id: string; name: string }[]) => records.map(({ id, name }) => [id, name]).sort()
    expect(names(acme?.people)).toEqual(
      [
        [people[0], 'Ada'],
        [people[1], 'Bob'],
      ].sort(),
    )
    expect(names(acme?.opportunities)).toEqual(
      [
        [deals[0], 'Deal'],
        [deals[1], 'Second deal'],
      ].sort(),
    )
    expect(acme?.people[0].custom_fields).toHaveProperty('emails')
    expect(empty).toMatchObject({
      id: bare.companies,
      accountOwner: null,
      people: [],
      opportunities: [],
      people_count: 0,
    })
  })

  it('a single record with included records, and one without', async () => {
    const { workspace, full, people, member } = await newWorld()
    const include = 'assignees,companies,people,opportunities'
    const read = await workspace.api.get(`/tasks/${full.tasks}?include=${include}&fields[people]=name`)
    const [task] = [client.deserialize(read.text)].flat()
    expect(task).toMatchObject({ id: full.tasks, type: 'tasks', title: 'Call' })
    expect(task?.companies).toMatchObject([{ id: full.companies, name: 'Acme', type: 'companies' }])
    expect(task?.opportunities).toMatchObject([{ name: 'Deal', custom_fields: { stage: { label: 'Proposal' } } }])
    expect(task?.people.map(({ id }: { id: string }) => id).sort()).toEqual([...people].sort())
    expect(task?.assignees.map(({ email }: { email: string }) => email)).toContain(member.email)
    const plain = await workspace.api.get(`/tasks/${full.tasks}`)
    const [alone] = [client.deserialize(plain.text)].flat()
    expect(alone).toEqual({ id: full.tasks, type: 'tasks', ...plain.body.data.attributes })
  })

  it('what it writes for a record that it has read can be sent back attribute by attribute', async () => {
    const { workspace, full } = await newWorld()
    const { api } = workspace
    const read = await api.get(`/people/${full.people}`)
    const [person] = [client.deserialize(read.text)].flat()
    if (!person) throw new Error('Nothing was read.')
    const written = client.serialize({ stuff: person })
    const { attributes, type } = [written.data].flat()[0] ?? {}
    expect(type).toBe('people')
    const answer = await api.put(`/people/${full.people}`, attributes)
    expect(answer.body).toEqual(read.body)
  })
})
