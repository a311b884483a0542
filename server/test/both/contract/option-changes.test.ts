import { describe, expect, it } from 'vitest'
import { sql } from '../../../src/storage/engines/sql.ts'
import type { Answered } from '../../api.ts'
import { storedValues } from '../../stored-rows.ts'
import { newWorkspace, type TestWorkspace } from '../../workspace.ts'

const single = ['radio', 'toggle-buttons', 'select'] as const
const several = ['checkbox-list', 'multi-select'] as const

async function withChoices(type: string, options: readonly string[] = ['A', 'B', 'C']) {
  const workspace = await newWorkspace()
  const field = await workspace.field('companies', { name: 'It', type, options })
  return { ...workspace, options: field.options.map(({ id, label }) => ({ id, label })) }
}

async function make({ api }: Pick<TestWorkspace, 'api'>, it: unknown) {
  return (await api.post('/companies', { name: 'Acme', custom_fields: { it } })).body.data
}

/** The sorted labels that a list shows. */
function order(answer: Answered): unknown[] {
  return answer.body.data.map((record: { attributes: { custom_fields: { it: { label: string } | null } } }) => {
    return record.attributes.custom_fields.it?.label ?? null
  })
}

describe('4. Options keep their id when renamed', () => {
  it.each(single)('%s: records show the new label, under which the option is then found', async (type) => {
    const { api, options, updateField } = await withChoices(type)
    const [a] = options
    const { id, attributes } = await make({ api }, 'A')
    await updateField('companies', 'it', { rename_options: [{ from: 'A', to: 'Alpha' }] })

    const renamed = (await api.get(`/companies/${id}`)).body.data.attributes
    expect(renamed.custom_fields.it).toEqual({ id: a?.id, label: 'Alpha' })
    expect(renamed.updated_at).toBe(attributes.updated_at)
    const definitions = (await api.get('/custom-fields?entity_type=companies')).body.data
    expect(definitions.at(-1).attributes.options[0]).toMatchObject({ id: a?.id, label: 'Alpha' })

    expect((await make({ api }, 'alpha')).attributes.custom_fields.it).toEqual({ id: a?.id, label: 'Alpha' })
    const old = await api.post('/companies', { name: 'Acme', custom_fields: { it: 'A' } })
    expect(old.body.errors).toEqual({ 'custom_fields.it': [expect.stringContaining('Alpha, B, C')] })
    // What was read before the renaming can still be sent back: its id says which option it is.
    expect((await api.put(`/companies/${id}`, attributes)).body.data.attributes).toEqual(renamed)
    for (const operand of ['ALPHA', a?.id]) {
      const found = await api.post('/companies/query', { filter: { custom_fields: { it: { $eq: operand } } } })
      expect(found.body.meta.total).toBe(2)
    }
  })

  it.each(several)('%s: likewise in lists', async (type) => {
    const { api, options, updateField } = await withChoices(type)
    const { id } = await make({ api }, ['C', 'A'])
    await updateField('companies', 'it', {
      options: [{ ...options[0], label: 'B' }, { ...options[1], label: 'A' }, 'C'],
    })
    const { body } = await api.get(`/companies/${id}`)
    expect(body.data.attributes.custom_fields.it).toEqual([options[2], { id: options[0]?.id, label: 'B' }])
  })
})

describe('4. Deleting an option clears it from records', () => {
  it.each(single)('%s: reads null, is empty, and the time moves', async (type) => {
    const { api, options, updateField } = await withChoices(type)
    const holder = await make({ api }, 'B')
    const bystander = await make({ api }, 'C')
    const without = await make({ api }, null)
    await updateField('companies', 'it', { remove_options: ['B'] })

    const after = (await api.get(`/companies/${holder.id}`)).body.data.attributes
    expect(after).toEqual({
      ...holder.attributes,
      updated_at: after.updated_at,
      custom_fields: { ...holder.attributes.custom_fields, it: null },
    })
    expect(after.updated_at > holder.attributes.updated_at).toBe(true)
    for (const { id, ...record } of [bystander, without]) {
      expect((await api.get(`/companies/${id}`)).body.data).toEqual({ id, ...record })
    }
    const empty = await api.post('/companies/query', { filter: { custom_fields: { it: { $is_empty: true } } } })
    expect(empty.body.data.map((record: { id: string }) => record.id).sort()).toEqual([holder.id, without.id].sort())
    for (const operand of ['B', options[1]?.id]) {
      const filter = { custom_fields: { it: { $eq: operand } } }
      expect((await api.post('/companies/query', { filter })).status).toBe(422)
      expect((await api.put(`/companies/${holder.id}`, { custom_fields: { it: operand } })).status).toBe(422)
    }
  })

  it.each(several)('%s: the others stay in their order', async (type) => {
    const { api, options, updateField } = await withChoices(type, ['A', 'B', 'C', 'D'])
    const [a, , , d] = options
    const holder = await make({ api }, ['D', 'B', 'A'])
    const only = await make({ api }, ['B'])
    const bystander = await make({ api }, ['C', 'A'])
    await updateField('companies', 'it', { remove_options: ['B', 'C'] })
    const read = async (id: string) => (await api.get(`/companies/${id}`)).body.data.attributes
    expect((await read(holder.id)).custom_fields.it).toEqual([d, a])
    expect((await read(only.id)).custom_fields.it).toEqual([])
    expect((await read(bystander.id)).custom_fields.it).toEqual([a])
    for (const { id, attributes } of [holder, only, bystander]) {
      expect((await read(id)).updated_at > attributes.updated_at).toBe(true)
    }
    const empty = await api.post('/companies/query', { filter: { custom_fields: { it: { $is_empty: true } } } })
    expect(empty.body.data.map((record: { id: string }) => record.id)).toEqual([only.id])
  })

  it.each([...single, ...several])('%s: a new option with that label is another one', async (type) => {
    const { api, options, updateField } = await withChoices(type)
    const list = several.some((one) => one === type)
    const { id } = await make({ api }, list ? ['B'] : 'B')
    await updateField('companies', 'it', { remove_options: ['B'] })
    await updateField('companies', 'it', { add_options: ['B'] })
    const { body } = await api.get(`/companies/${id}`)
    expect(body.data.attributes.custom_fields.it).toEqual(list ? [] : null)
    const again = (await make({ api }, list ? ['B'] : 'B')).attributes.custom_fields.it
    expect((list ? again[0] : again).id).not.toBe(options[1]?.id)
    const filter = { custom_fields: { it: list ? { $has_any: ['B'] } : { $eq: 'B' } } }
    expect((await api.post('/companies/query', { filter })).body.meta.total).toBe(1)
  })

  it('a required field whose option is deleted reads null, and stays so until it is sent', async () => {
    const { api, updateField } = await withChoices('select')
    await updateField('companies', 'it', { required: true })
    const { id } = await make({ api }, 'A')
    await updateField('companies', 'it', { remove_options: ['A'] })
    const { attributes } = (await api.get(`/companies/${id}`)).body.data
    expect(attributes.custom_fields.it).toBeNull()
    expect((await api.put(`/companies/${id}`, attributes)).body.data.attributes).toEqual(attributes)
  })

  it('system fields have options that can be edited too', async () => {
    const { api, updateField } = await newWorkspace()
    const made = await api.post('/tasks', { title: 'Call', custom_fields: { status: 'Done', priority: 'Low' } })
    await updateField('tasks', 'status', { remove_options: ['Done'], add_options: ['Cancelled'] })
    const { body } = await api.get(`/tasks/${made.body.data.id}`)
    expect(body.data.attributes.custom_fields).toEqual({
      ...made.body.data.attributes.custom_fields,
      status: null,
    })
    const again = await api.put(`/tasks/${made.body.data.id}`, { custom_fields: { status: 'cancelled' } })
    expect(again.body.data.attributes.custom_fields.status).toEqual({ id: expect.any(String), label: 'Cancelled' })
  })
})

describe('2. Choices sort by the order of their options', () => {
  it.each(single)('%s: also after the options were moved', async (type) => {
    const { api, options, updateField } = await withChoices(type, ['Low', 'Medium', 'High'])
    for (const it of ['High', null, 'Low', 'Medium']) await make({ api }, it)
    const sorted = async (sort: string) => {
      const labels = order(await api.get(`/companies?sort=${sort}`))
      // Sorted in another way.
      expect(order(await api.get(`/companies?sort=${sort},name`))).toEqual(labels)
      return labels
    }
    expect(await sorted('custom_fields.it')).toEqual(['Low', 'Medium', 'High', null])
    expect(await sorted('-it')).toEqual(['High', 'Medium', 'Low', null])
    const [low, medium, high] = options
    await updateField('companies', 'it', { options: [medium, high, low] })
    expect(await sorted('custom_fields.it')).toEqual(['Medium', 'High', 'Low', null])
    await updateField('companies', 'it', { options: [high, low] })
    expect(await sorted('it')).toEqual(['High', 'Low', null, null])
    await updateField('companies', 'it', { options: ['New', high, low] })
    await make({ api }, 'new')
    expect(await sorted('it')).toEqual(['New', 'High', 'Low', null, null])
    expect(await sorted('-it')).toEqual(['Low', 'High', 'New', null, null])
  })
})

it('deleting an option clears it from records, also from those that are written at that moment', async () => {
  const workspace = await newWorkspace()
  const { api } = workspace
  const { id: fieldId, code } = await workspace.field('companies', {
    name: 'Tier',
    type: 'select',
    options: ['Gold', 'Lead'],
  })
  const made = await Promise.all(Array.from({ length: 10 }, (_, n) => api.post('/companies', { name: `Company ${n}` })))
  const [updated] = await Promise.all([
    workspace.updateField('companies', code, { remove_options: ['Lead'] }),
    ...made.map(({ body }) => api.put(`/companies/${body.data.id}`, { custom_fields: { [code]: 'Lead' } })),
  ])
  expect(updated).toBeDefined()
  const held = await api.post('/companies/query', { filter: { custom_fields: { [code]: { $is_empty: false } } } })
  expect(held.body.meta.total).toBe(0)
  const rows = sql`select record_id from ${storedValues} where v.field_id = ${fieldId}`
  expect(await rows.all(workspace.runtime.engine.db)).toEqual([])
})
