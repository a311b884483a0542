import { registry } from '@kith/contract/registry'
import { describe, expect, it } from 'vitest'
import { made, NOWHERE } from '../../records.ts'
import { connectTo } from '../../tool-client.ts'
import { newWorkspace } from '../../workspace.ts'

describe('records through tools', () => {
  it.each(Object.values(registry))(
    '$type: are made, read, listed, changed and deleted, the same records as through REST',
    async (resource) => {
      const { type, label } = resource
      const workspace = await newWorkspace()
      const { call } = await connectTo(workspace)
      const created = await call('create_record', { resource: type, attributes: { [label]: 'Acme' } })
      expect(created).toMatchObject({
        created: true,
        data: { type, attributes: { [label]: 'Acme', creation_source: 'mcp' } },
      })
      const { id } = created.data
      const rest = (await workspace.api.get(`/${type}/${id}`)).body
      expect(created.data).toEqual(rest.data)
      const whole = (await workspace.api.get(`/${type}/${id}?include=externalIds`)).body
      expect(await call('get_record', { resource: type, id })).toEqual(whole)
      expect(await call('list_records', { resource: type })).toEqual({
        data: [rest.data],
        per_page: 15,
        total: 1,
        page: 1,
        last_page: 1,
      })
      const changed = await call('update_record', {
        resource: type,
        id: id.toUpperCase(),
        attributes: { [label]: 'Globex' },
      })
      expect(changed.data.attributes).toMatchObject({ [label]: 'Globex', creation_source: 'mcp' })
      expect(await call('delete_record', { resource: type, id })).toEqual({ deleted: true, resource: type, id })
      expect((await workspace.api.get(`/${type}/${id}`)).status).toBe(404)
    },
  )

  it('list_records takes the filter tree, sort, include and fields of REST', async () => {
    const workspace = await newWorkspace()
    const { call } = await connectTo(workspace)
    const company = await made(workspace.api, 'companies', { name: 'Acme', custom_fields: { icp: true } })
    for (const name of ['Ada', 'Bob', 'Cleo']) await made(workspace.api, 'people', { name, company_id: company.id })
    await made(workspace.api, 'people', { name: 'Dora' })
    const listed = await call('list_records', {
      resource: 'people',
      filter: { company: { custom_fields: { icp: { $eq: true } } }, $not: { name: { $eq: 'Bob' } } },
      sort: '-name',
      include: ['company'],
      fields: { people: ['name'], companies: ['name'] },
    })
    expect(listed.data.map((one: { attributes: object }) => one.attributes)).toEqual([
      { name: 'Cleo' },
      { name: 'Ada' },
    ])
    expect(listed.included).toEqual([{ id: company.id, type: 'companies', attributes: { name: 'Acme' } }])
    expect(listed.data[0].relationships).toEqual({ company: { data: { id: company.id, type: 'companies' } } })
  })

  it('list_records scans a list by cursor', async () => {
    const workspace = await newWorkspace()
    const { call } = await connectTo(workspace)
    for (const name of ['Ada', 'Bob', 'Cleo']) await made(workspace.api, 'people', { name })
    const first = await call('list_records', { resource: 'people', sort: 'name', per_page: 2, cursor: 'start' })
    expect(Object.keys(first)).toEqual(['data', 'per_page', 'next_cursor'])
    const second = await call('list_records', {
      resource: 'people',
      sort: 'name',
      per_page: 2,
      cursor: first.next_cursor,
    })
    expect([...first.data, ...second.data].map((one) => one.attributes.name)).toEqual(['Ada', 'Bob', 'Cleo'])
    expect(second.next_cursor).toBeNull()
  })

  it('upsert_record creates once and then changes the same record', async () => {
    const workspace = await newWorkspace()
    const { call } = await connectTo(workspace)
    const match = { field: 'domains', value: 'https://www.acme.com/' }
    const first = await call('upsert_record', { resource: 'companies', match, attributes: { name: 'Acme' } })
    const second = await call('upsert_record', {
      resource: 'companies',
      match: { field: 'domains', value: 'ACME.com' },
      attributes: { name: 'Acme Inc' },
      include: 'peopleCount',
    })
    expect([first.created, second.created]).toEqual([true, false])
    expect(second.data.id).toBe(first.data.id)
    expect(second.data.attributes).toMatchObject({
      name: 'Acme Inc',
      people_count: 0,
      custom_fields: { domains: ['acme.com'] },
    })
  })
})

describe('a refusal tells a model what to change', () => {
  it('every problem with its path, below attributes where it belongs there', async () => {
    const workspace = await newWorkspace()
    const { refused } = await connectTo(workspace)
    const text = await refused('create_record', {
      resource: 'opportunities',
      attributes: { nam: 'Acme', company_id: NOWHERE, custom_fields: { stag: 1, stage: 'Prospect' } },
      include: ['compan'],
    })
    expect(text.split('\n')[0]).toBe('Refused; nothing was changed.')
    expect(text).toContain('- include: The opportunities cannot include compan. Accepted: creator, company, contact, ')
    expect(text).toContain('- attributes.name: The name field is required.')
    expect(text).toContain(
      '- attributes.nam: The nam key is not known here. Accepted: name, company_id, contact_id, external_ids, custom_fields. Did you mean name?',
    )
    expect(text).toContain('- attributes.company_id: The company_id must be the ID of an existing record in companies.')
    expect(text).toContain(
      '- attributes.custom_fields: Unknown custom field: stag (did you mean stage?). Accepted: stage, amount, close_date, owner.',
    )
    expect(text).toMatch(/- attributes\.custom_fields\.stage: .*Prospecting, Qualification/)
    expect((await workspace.api.get('/opportunities')).body.meta.total).toBe(0)
  })

  it('names that other systems have, a name in place of an ID, and what is in the trash', async () => {
    const workspace = await newWorkspace()
    const { call, refused } = await connectTo(workspace)
    const resource = 'people'
    const attributes = { first_name: 'Ada', email: 'a@b.com', custom_fields: { last_name: 'L', mobile: 1 } }
    const text = await refused('create_record', { resource, attributes })
    expect(text).toMatch(/- attributes\.first_name: .* Did you mean name\?/)
    expect(text).toMatch(/- attributes\.email: .* Did you mean custom_fields\.emails\?/)
    expect(text).toContain('last_name (did you mean name, outside of custom_fields?), mobile.')
    expect(await refused('list_records', { resource, fields: ['email'] })).toContain(
      'Did you mean custom_fields.emails?',
    )
    expect(await refused('list_records', { resource, sort: 'first_name' })).toContain('Did you mean name?')
    const summed = await refused('summarize', { resource, group_by: ['first_name', 'position'] })
    expect(summed).toContain('- group_by.0: The people cannot be grouped by first_name.')
    expect(await refused('get_record', { resource, id: 'Ada Lovelace' })).toMatch(/ use search\.$/)
    expect(await refused('get_record', { resource, id: NOWHERE })).not.toContain('search')
    const { id } = await made(workspace.api, resource, { name: 'Ada' })
    await call('delete_record', { resource, id })
    expect(await refused('delete_record', { resource, id })).toMatch(
      /^No person with the ID .{26} exists in this workspace\. It was deleted at .{24} and is in the trash; restore_record/,
    )
    expect(await refused('delete_record', { resource, id: NOWHERE })).toMatch(/workspace\.$/)
    expect((await call('search', { query: 'Ada' })).hint).toContain('not in the trash')
  })

  it('unknown and missing arguments with those that are accepted', async () => {
    const { refused } = await connectTo(await newWorkspace())
    expect(await refused('get_record', { resource: 'companys', ID: NOWHERE })).toBe(
      [
        'Refused; nothing was changed.',
        '- ID: The argument ID is not known. Accepted: resource, id, include, fields, text_field, text_offset. Did you mean id?',
        '- resource: The resource must be one of: companies, people, opportunities, tasks, notes. Did you mean companies?',
        '- id: The id is required.',
      ].join('\n'),
    )
    expect(await refused('whoami', { verbose: true })).toContain('This tool takes no arguments.')
    expect(await refused('create_record', { resource: 'notes', attributes: 'First' })).toContain(
      '- attributes: The attributes must be an object.',
    )
    expect(await refused('get_record', { resource: 'notes', id: 7 })).toContain('- id: The id must be a string.')
  })

  it('a wrong filter with its place in the tree', async () => {
    const { refused } = await connectTo(await newWorkspace())
    const text = await refused('list_records', {
      resource: 'people',
      filter: { $or: [{ name: 'Ada' }, { company: { custom_fields: { icp: { $is: true } } } }] },
      sort: 'size',
      per_page: 101,
    })
    expect(text).toContain('- filter.$or.0.name: ')
    expect(text).toContain('- filter.$or.1.company.custom_fields.icp.$is: ')
    expect(text).toContain(
      '- sort: The people cannot be sorted by size. Accepted: name, created_at, updated_at, custom_fields.job_title.',
    )
    expect(text).toContain('- per_page: ')
    expect(await refused('list_records', { resource: 'people', limit: 5 })).toContain(
      '- limit: The argument limit is not known.',
    )
  })

  it('a record that is not there, by its own word', async () => {
    const { refused } = await connectTo(await newWorkspace())
    for (const name of ['get_record', 'delete_record']) {
      expect(await refused(name, { resource: 'people', id: NOWHERE })).toBe(
        `No person with the ID ${NOWHERE} exists in this workspace.`,
      )
    }
    expect(await refused('update_record', { resource: 'tasks', id: 'nonsense', attributes: {} })).toContain(
      'No task with the ID nonsense',
    )
  })

  it('the records that hold a value which several hold', async () => {
    const workspace = await newWorkspace()
    const { refused } = await connectTo(workspace)
    await workspace.field('companies', { name: 'Key', type: 'text' })
    const ids: string[] = []
    for (const name of ['One', 'Two'])
      ids.push((await made(workspace.api, 'companies', { name, custom_fields: { key: 'same' } })).id)
    await workspace.updateField('companies', 'key', { unique: true })
    const match = { field: 'key', value: 'same' }
    expect(await refused('upsert_record', { resource: 'companies', match, attributes: { name: 'Three' } })).toBe(
      `More than one record holds this key value. Merge the duplicates, then retry. Nothing was written. The records: ${ids.join(', ')}.`,
    )
    expect(
      await refused('upsert_record', {
        resource: 'companies',
        match: { field: 'icp', value: 'x' },
        attributes: { name: 'x' },
      }),
    ).toMatch(/- match\.field: .*domains/)
  })

  it('a tool that does not exist, with the nearest that does', async () => {
    const { client } = await connectTo(await newWorkspace())
    await expect(client.callTool({ name: 'create_records' })).rejects.toThrow(
      /There is no tool create_records\. Tools: whoami, .* Did you mean create_record\?$/,
    )
  })
})
