import { describe, expect, it } from 'vitest'
import { connectTo } from '../../tool-client.ts'
import { newWorkspace } from '../../workspace.ts'

describe('sync 11. external ids through tools', () => {
  it('are in the inputs of create, update and upsert, and in their results', async () => {
    const { call } = await connectTo(await newWorkspace())
    const attributes = { name: 'Acme', external_ids: { salesforce: '001A' } }
    const made = await call('create_record', { resource: 'companies', attributes })
    expect(made.data.attributes.external_ids).toEqual({ salesforce: ['001A'] })
    const { id } = made.data
    const changed = await call('update_record', {
      resource: 'companies',
      id,
      attributes: { external_ids: { billing: ['42'] } },
      include: 'creator',
    })
    expect(changed.data.attributes.external_ids).toEqual({ billing: ['42'], salesforce: ['001A'] })
    expect(changed.included).toHaveLength(1)
    const match = { field: 'external_ids.salesforce', value: '001A' }
    const found = await call('upsert_record', { resource: 'companies', match, attributes: { name: 'Acme Inc.' } })
    expect(found).toMatchObject({ created: false, data: { id } })
    const read = await call('get_record', { resource: 'companies', id })
    expect(read.data.attributes.external_ids).toEqual({ billing: ['42'], salesforce: ['001A'] })
    const fetched = await call('fetch', { id: `companies/${id}` })
    expect(fetched.text).toContain('- ID in salesforce: 001A')
    const filter = { external_ids: { billing: { $has_any: ['42'] } } }
    const listed = await call('list_records', { resource: 'companies', filter, include: ['externalIds'] })
    expect(listed.data[0].attributes.external_ids).toEqual({ billing: ['42'], salesforce: ['001A'] })
  })

  it('describe_resource says how to write, read, filter and match them', async () => {
    const { call } = await connectTo(await newWorkspace())
    const { attributes, upsert_match } = await call('describe_resource', { resource: 'people' })
    const described = attributes.find((one: { name: string }) => one.name === 'external_ids')
    expect(described).toMatchObject({ written: true, operators: ['$has_any', '$has_none', '$is_empty'] })
    expect(upsert_match).toContain('external_ids.<namespace>')
  })
})
