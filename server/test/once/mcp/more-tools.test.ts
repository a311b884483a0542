import { describe, expect, it } from 'vitest'
import { userTable } from '../../../src/storage/tables/accounts.ts'
import { made, NOWHERE } from '../../records.ts'
import { connectTo } from '../../tool-client.ts'
import { newWorkspace } from '../../workspace.ts'

describe('whoami', () => {
  it('shows the user, the workspace, the role and what both token and role allow', async () => {
    const workspace = await newWorkspace()
    const viewer = await workspace.member('viewer')
    const { call } = await connectTo(workspace, { user: viewer, abilities: ['read', 'create'] })
    expect(await call('whoami')).toEqual({
      user: { id: viewer.id, name: viewer.name, email: viewer.email, time_zone: 'UTC' },
      workspace: { id: workspace.id, slug: workspace.slug, name: `Workspace ${workspace.slug}` },
      role: 'viewer',
      abilities: ['read'],
      now: expect.stringMatching(/^\d{4}-.*Z$/),
      me: expect.stringContaining('me stands for this user'),
    })
    await userTable.update(workspace.runtime.engine.single, { id: viewer.id }, { time_zone: 'Asia/Kathmandu' })
    expect((await call('whoami')).user).toMatchObject({ time_zone: 'Asia/Kathmandu' })
  })
})

describe('search and fetch, in the shapes that connectors ask for', () => {
  it('finds by name and address, and reads what was found as text', async () => {
    const workspace = await newWorkspace()
    const { call } = await connectTo(workspace)
    const company = await made(workspace.api, 'companies', {
      name: 'Globex',
      custom_fields: { domains: 'globex.com', icp: true },
    })
    const person = await made(workspace.api, 'people', {
      name: 'Ada',
      company_id: company.id,
      custom_fields: { emails: 'ada@globex.com' },
    })
    await made(workspace.api, 'notes', {
      title: 'First call',
      company_ids: [company.id],
      custom_fields: { body: 'They **start** soon.' },
    })
    await made(workspace.api, 'tasks', { title: 'Send the offer', company_ids: [company.id] })
    const { results } = await call('search', { query: 'globex' })
    expect(results).toEqual([
      {
        id: `companies/${company.id}`,
        title: 'Globex',
        url: expect.stringMatching(new RegExp(`/${workspace.slug}/companies/${company.id}$`)),
        resource: 'companies',
        record_id: company.id,
        detail: 'globex.com',
      },
      expect.objectContaining({ resource: 'people', record_id: person.id, detail: 'ada@globex.com' }),
    ])
    const fetched = await call('fetch', { id: results[0].id })
    expect(fetched).toMatchObject({
      id: results[0].id,
      title: 'Globex',
      url: results[0].url,
      metadata: { resource: 'companies' },
    })
    for (const line of [
      '# Globex (company)',
      '- Domains: globex.com',
      '- ICP: yes',
      `- people: Ada [people/${person.id}]`,
      '## Latest notes',
      'They **start** soon.',
      '## Latest tasks',
    ]) {
      expect(fetched.text).toContain(line)
    }
  })

  it('an id that search never gave is refused with the form that it has', async () => {
    const { refused } = await connectTo(await newWorkspace())
    for (const id of [NOWHERE, 'firms/1', 'companies', `companies/${NOWHERE}/more`]) {
      expect(await refused('fetch', { id })).toMatch(/- id: The id .* must be one that search gave/)
    }
    expect(await refused('fetch', { id: `companies/${NOWHERE}` })).toContain('No company with the ID')
    expect(await refused('search', { query: 'x'.repeat(300) })).toContain('- query: ')
  })
})

describe('describe_resource', () => {
  it('shows the custom fields of the workspace with types, operators, options and examples that work', async () => {
    const workspace = await newWorkspace()
    const { call } = await connectTo(workspace)
    await workspace.field('opportunities', { name: 'Sources', type: 'multi-select', options: ['Web', 'Fair'] })
    await workspace.field('opportunities', { name: 'Partner', type: 'record', target: 'companies' })
    const described = await call('describe_resource', { resource: 'opportunities' })
    const codes = described.custom_fields.map(({ code }: { code: string }) => code)
    expect(codes).toEqual(['stage', 'amount', 'close_date', 'owner', 'sources', 'partner'])
    const [stage, amount, , owner, sources] = described.custom_fields
    expect(owner).toMatchObject({ type: 'member', example_filter: { custom_fields: { owner: { $in: ['me'] } } } })
    expect(stage).toMatchObject({ type: 'select', operators: ['$eq', '$in', '$not_in', '$is_empty'], sortable: true })
    expect(stage.options[0]).toEqual({ id: expect.any(String), label: 'Prospecting' })
    expect(amount).toMatchObject({ settings: { currency: 'USD', decimals: 2 } })
    expect(sources).toMatchObject({
      example_value: ['Web'],
      example_filter: { custom_fields: { sources: { $has_any: ['Web'] } } },
    })
    expect(described.relations).toContainEqual({
      name: 'company',
      to: 'companies',
      many: false,
      operators: ['$in', '$not_in', '$is_empty'],
      nested_conditions: true,
      included: true,
    })
    const made = await call('create_record', described.examples.create_record)
    expect(made.created).toBe(true)
    await call('list_records', described.examples.list_records)
    for (const { code, example_value, example_filter } of described.custom_fields) {
      const attributes = { name: 'Acme', custom_fields: { [code]: example_value } }
      const { data } = await call('create_record', { resource: 'opportunities', attributes })
      const listed = await call('list_records', { resource: 'opportunities', filter: example_filter, per_page: 100 })
      expect(
        listed.data.map(({ id }: { id: string }) => id),
        code,
      ).toContain(data.id)
    }
  })

  it('knows by which fields upsert_record finds records', async () => {
    const { call } = await connectTo(await newWorkspace())
    expect((await call('describe_resource', { resource: 'people' })).upsert_match).toEqual([
      'emails',
      'external_ids.<namespace>',
    ])
    expect((await call('describe_resource', { resource: 'notes' })).upsert_match).toEqual(['external_ids.<namespace>'])
  })
})

describe('restore_record, find_duplicates and merge_records', () => {
  it('what was deleted comes back', async () => {
    const workspace = await newWorkspace()
    const { call, refused } = await connectTo(workspace)
    const { id } = await made(workspace.api, 'companies', { name: 'Acme' })
    await call('delete_record', { resource: 'companies', id })
    expect(await refused('get_record', { resource: 'companies', id })).toContain('No company')
    const restored = await call('restore_record', { resource: 'companies', id })
    expect(restored).toEqual((await workspace.api.get(`/companies/${id}`)).body)
    expect(await refused('restore_record', { resource: 'companies', id: NOWHERE })).toContain('No company with the ID')
  })

  it('duplicates are found, merged, and taken apart again', async () => {
    const workspace = await newWorkspace()
    const { call, refused } = await connectTo(workspace)
    await workspace.updateField('companies', 'domains', { unique: false })
    const [winner, loser] = [
      await made(workspace.api, 'companies', { name: 'Acme', custom_fields: { domains: 'acme.com' } }),
      await made(workspace.api, 'companies', {
        name: 'Acme Inc',
        custom_fields: { domains: 'www.acme.com', icp: true },
      }),
    ]
    const person = await made(workspace.api, 'people', { name: 'Ada', company_id: loser.id })
    await workspace.updateField('companies', 'domains', { unique: true })
    const found = await call('find_duplicates', { resource: 'companies' })
    expect(found).toMatchObject({ total: 1, data: [{ field: { code: 'domains' }, value: 'acme.com', count: 2 }] })
    expect(found.data[0].records.map(({ id }: { id: string }) => id)).toEqual([winner.id, loser.id])
    const input = { resource: 'companies', winner_id: winner.id, loser_ids: [loser.id] }
    expect(await refused('merge_records', { ...input, loser_ids: [winner.id], attributes: { nam: 'x' } })).toMatch(
      /- loser_ids\.0: A record cannot be merged into itself\.[\s\S]*- attributes\.nam: /,
    )
    const merged = await call('merge_records', { ...input, attributes: { name: 'Acme Corp' } })
    expect(merged.data).toMatchObject({
      id: winner.id,
      attributes: { name: 'Acme Corp', custom_fields: { icp: true } },
    })
    expect((await workspace.api.get(`/people/${person.id}`)).body.data.attributes.company_id).toBe(winner.id)
    await call('restore_record', { resource: 'companies', id: loser.id })
    expect((await workspace.api.get(`/people/${person.id}`)).body.data.attributes.company_id).toBe(loser.id)
  })
})

describe('summarize', () => {
  it('measures in groups, under any filter', async () => {
    const workspace = await newWorkspace()
    const { call, refused } = await connectTo(workspace)
    const company = await made(workspace.api, 'companies', { name: 'Acme' })
    for (const [stage, amount] of [
      ['Proposal', 100],
      ['Proposal', 50.5],
      ['Closed Won', 10],
    ] as const) {
      await made(workspace.api, 'opportunities', {
        name: stage,
        company_id: company.id,
        custom_fields: { stage, amount },
      })
    }
    await made(workspace.api, 'opportunities', { name: 'Elsewhere', custom_fields: { amount: 1000 } })
    const filter = { company: { name: { $eq: 'Acme' } } }
    const input = { resource: 'opportunities', filter, field: 'amount' }
    const summed = await call('summarize', { ...input, measure: 'sum', group_by: ['stage'] })
    expect(summed.meta).toMatchObject({
      measure: 'sum',
      field: 'amount',
      currency: 'USD',
      total_groups: 2,
      other: null,
    })
    expect(summed.data).toEqual([
      { keys: [expect.objectContaining({ label: 'Proposal' })], value: 150.5, count: 2 },
      { keys: [expect.objectContaining({ label: 'Closed Won' })], value: 10, count: 1 },
    ])
    const whole = async (measure: string) => (await call('summarize', { ...input, measure })).data[0].value
    expect([await whole('average'), await whole('smallest'), await whole('largest')]).toEqual([53.5, 10, 100])
    const byTwo = await call('summarize', {
      ...{ resource: 'opportunities', group_by: ['company', 'created_at'], period: 'year', time_zone: 'Asia/Tokyo' },
      ...{ limit: 1, sort: '-value' },
    })
    const year = expect.objectContaining({ id: expect.stringMatching(/^[0-9]{4}$/) })
    expect(byTwo.data).toEqual([{ keys: [{ id: company.id, label: 'Acme' }, year], value: 3, count: 3 }])
    expect(byTwo.meta).toMatchObject({ measure: 'count', total_groups: 2, other: { value: 1, count: 1 } })
    expect(
      await refused('summarize', { resource: 'opportunities', measure: 'sum', field: 'stage', group_by: ['amount'] }),
    ).toMatch(
      /- field: There is no sum of custom_fields\.stage[\s\S]*- group_by\.0: The opportunities cannot be grouped by amount\. Accepted: /,
    )
  })
})

describe('a text that is longer than an answer', () => {
  it('is cut, and read to its end in parts', async () => {
    const workspace = await newWorkspace()
    const { call } = await connectTo(workspace)
    // The parts end between letters, also between those of two units.
    const body = Array.from({ length: 15_000 }, (_, line) => `${line} 😀 é\n`).join('')
    const { id } = await made(workspace.api, 'notes', { title: 'Minutes', custom_fields: { body } })
    const stored: string = (await workspace.api.get(`/notes/${id}`)).body.data.attributes.custom_fields.body
    const { data, truncated_texts } = await call('get_record', { resource: 'notes', id })
    const shown: string = data.attributes.custom_fields.body
    const [cut] = truncated_texts
    expect(cut).toEqual({
      record: `notes/${id}`,
      field: 'custom_fields.body',
      shown: shown.length,
      length: stored.length,
    })
    let whole = shown
    for (let offset: number | null = shown.length, parts = 0; offset !== null; parts++) {
      expect(parts).toBeLessThan(50)
      const read = await call('get_record', { resource: 'notes', id, text_field: cut.field, text_offset: offset })
      expect([read.offset, read.length, read.text.isWellFormed()]).toEqual([offset, stored.length, true])
      whole += read.text
      offset = read.next_offset
    }
    expect(whole).toBe(stored)
  })
})

describe('custom fields', () => {
  it('are listed, made and changed by admins', async () => {
    const workspace = await newWorkspace()
    const admin = await workspace.member('admin')
    const { call, refused } = await connectTo(workspace, { user: admin })
    const field = { resource: 'companies', name: 'Tier', type: 'select', options: ['Gold', 'Silver'] }
    const { data } = await call('create_field', field)
    expect(data).toMatchObject({
      code: 'tier',
      entity_type: 'companies',
      options: [{ label: 'Gold' }, { label: 'Silver' }],
    })
    const changed = await call('update_field', {
      resource: 'companies',
      code: 'tier',
      name: 'Level',
      add_options: ['Bronze'],
    })
    expect(changed).toMatchObject({ duplicates: 0, data: { id: data.id, code: 'tier', name: 'Level' } })
    const listed = await call('list_fields', { resource: 'companies' })
    expect(listed.data.map(({ code }: { code: string }) => code)).toEqual(['domains', 'linkedin', 'icp', 'tier'])
    expect((await call('list_fields')).total).toBe(17)
    const rest = (await workspace.api.get('/custom-fields?entity_type=companies')).body.data
    expect(listed.data).toEqual(
      rest.map(({ id, attributes }: { id: string; attributes: object }) => ({ id, ...attributes })),
    )
    expect(await refused('create_field', { ...field, type: 'selekt' })).toContain('Did you mean select?')
    expect(await refused('create_field', { ...field, name: 'level' })).toContain('- name: The name is taken')
    expect(await refused('update_field', { resource: 'companies', code: 'teir', name: 'x' })).toContain(
      'Did you mean tier?',
    )
  })
})
