import { expect, it } from 'vitest'
import { connectTo } from '../../tool-client.ts'
import { newWorkspace } from '../../workspace.ts'

it('every tool that takes a resource takes an own one, and names the nearest if it is unknown', async () => {
  const workspace = await newWorkspace()
  const { api } = workspace
  await api.post('/schema', { name: 'Sales orders', singular: 'Sales order', description: 'What we sold. '.repeat(40) })
  const { client, call } = await connectTo(workspace)
  const resource = 'sales_orders'
  const unknown = async (tool: string, input: object) => {
    const answer = await client.callTool({ name: tool, arguments: { ...input } })
    expect(answer, tool).toMatchObject({ isError: true })
    expect(JSON.stringify(answer.content), tool).toContain('sales_orders')
  }

  const field = await call('create_field', { resource, name: 'Total', type: 'number' })
  expect(field.data).toMatchObject({ entity_type: resource, code: 'total' })
  await call('update_field', { resource, code: 'total', name: 'Sum' })
  expect((await call('list_fields', { resource })).data).toMatchObject([{ code: 'total', name: 'Sum' }])

  const { resources } = await call('describe_resource', {})
  expect(resources).toHaveLength(6)
  for (const one of resources) expect(JSON.stringify(one).length).toBeLessThanOrEqual(240)
  expect(resources[5]).toMatchObject({ resource, name: 'Sales orders', custom_fields: 1 })
  expect(await call('describe_resource', { resource })).toMatchObject({ resource, custom_fields: [{ code: 'total' }] })

  const attributes = { name: 'Twelve chairs', custom_fields: { total: 12 } }
  const { id } = (await call('create_record', { resource, attributes })).data
  const other = (await call('create_record', { resource, attributes: { name: 'Ten chairs' } })).data
  await call('update_record', { resource, id, attributes: { external_ids: { shop: '7' } } })
  const match = { field: 'external_ids.shop', value: '7' }
  expect((await call('upsert_record', { resource, match, attributes: { name: 'Chairs' } })).created).toBe(false)
  const operations = [{ op: 'update', resource, id, data: { custom_fields: { total: 13 } } }]
  expect((await call('batch_records', { operations })).meta.succeeded).toBe(1)
  expect((await call('get_record', { resource, id })).data.attributes.custom_fields).toEqual({ total: 13 })
  expect((await call('list_records', { resource })).total).toBe(2)
  const note = await call('create_record', {
    resource: 'notes',
    attributes: { title: 'About chairs', sales_order_ids: [id] },
  })
  expect(note.data.type).toBe('notes')
  expect((await call('search', { query: 'chairs', resource })).results).toHaveLength(2)
  expect((await call('fetch', { id: `${resource}/${id}` })).text).toContain('About chairs')
  expect((await call('summarize', { resource, measure: 'sum', field: 'total' })).data).toMatchObject([{ value: 13 }])
  expect((await call('record_history', { resource, id })).data.length).toBeGreaterThan(1)
  expect((await call('list_changes', { cursor: 'start', resource })).data).toHaveLength(2)
  expect(await call('find_duplicates', { resource })).toMatchObject({ data: [] })
  await call('merge_records', { resource, winner_id: id, loser_ids: [other.id] })
  await call('delete_record', { resource, id })
  expect((await call('list_trash', { resource })).total).toBe(2)
  await call('restore_record', { resource, id })

  const wrong = { resource: 'sales_order', id, attributes, match, measure: 'count', query: 'x', code: 'total' }
  for (const { name, inputSchema } of (await client.listTools()).tools) {
    const { properties = {}, required = [] } = inputSchema
    if (!('resource' in properties) || name === 'list_changes') continue
    const needed = Object.entries({ ...wrong, name: 'X', type: 'text', winner_id: id, loser_ids: [other.id] })
    const taken = needed.filter(([key]) => key === 'resource' || required.includes(key))
    await unknown(name, Object.fromEntries(taken))
  }
  await unknown('batch_records', { operations: [{ op: 'create', resource: 'sales_order', data: {} }] })
  await unknown('fetch', { id: `sales_order/${id}` })
})
