import { describe, expect, it } from 'vitest'
import { newWorkspace } from '../../workspace.ts'

const match = { field: 'external_ids.salesforce', value: ' 001A0000012xyz ' }
const stored = ['001A0000012xyz']

describe('sync 8. Upsert by an external id', () => {
  it('on create the id is stored', async () => {
    const { api } = await newWorkspace()
    const first = await api.post('/companies/upsert?include=externalIds', {
      match,
      name: 'Acme',
      external_ids: { billing: '42' },
    })
    expect(first.status).toBe(201)
    expect(first.body.data.attributes.external_ids).toEqual({ billing: ['42'], salesforce: stored })
    const second = await api.post('/companies/upsert?include=externalIds', { match, name: 'Acme Inc.' })
    expect([second.status, second.body.data.id]).toEqual([200, first.body.data.id])
    expect(second.body.data.attributes.external_ids).toEqual({ billing: ['42'], salesforce: stored })
    expect(second.body.data.attributes.name).toBe('Acme Inc.')
  })

  it('ids are compared exactly: another letter case is another record', async () => {
    const { api } = await newWorkspace()
    await api.post('/companies/upsert', { match, name: 'Acme' })
    const lower = { ...match, value: '001a0000012xyz' }
    expect((await api.post('/companies/upsert', { match: lower, name: 'Other' })).status).toBe(201)
  })

  it('external_ids.salesforce sent without it: 422, on create and on update; sent with it, all are stored', async () => {
    const { api } = await newWorkspace()
    const errors = {
      'external_ids.salesforce': [
        'The external_ids.salesforce must contain the value of match.value, by which the record was looked for.',
      ],
    }
    const without = [{ salesforce: 'other' }, { salesforce: [] }, { salesforce: null }, null]
    const refuseAll = async () => {
      for (const external_ids of without) {
        const answer = await api.post('/companies/upsert', { match, name: 'Acme', external_ids })
        expect([answer.status, answer.body.errors]).toEqual([422, errors])
      }
    }
    await refuseAll()
    const external_ids = { salesforce: ['other', ...stored] }
    const made = await api.post('/companies/upsert?include=externalIds', { match, name: 'Acme', external_ids })
    expect([made.status, made.body.data.attributes.external_ids]).toEqual([201, external_ids])
    await refuseAll()
    const found = await api.post('/companies/upsert?include=externalIds', {
      match,
      name: 'Acme',
      external_ids: { salesforce: stored[0] },
    })
    expect([found.status, found.body.data.attributes.external_ids]).toEqual([200, { salesforce: stored }])
  })

  it.each([
    [{ field: 'external_ids.Sales', value: 'x' }, 'match.field', 'has no namespace Sales. A namespace has 1 to 40'],
    [{ field: 'external_ids.', value: 'x' }, 'match.field', 'A namespace has 1 to 40'],
    [{ field: 'external_ids', value: 'x' }, 'match.field', 'Accepted: domains, external_ids.<namespace>.'],
    [{ field: 'external_ids.crm', value: ' ' }, 'match.value', 'The match.value field is required.'],
    [{ field: 'external_ids.crm', value: 7 }, 'match.value', 'The match.value must be a string.'],
    [{ field: 'external_ids.crm', value: 'x\0' }, 'match.value', 'must not contain the NUL character'],
    [{ field: 'external_ids.crm', value: 'x'.repeat(256) }, 'match.value', 'must not be greater than 255 characters'],
  ])('%j is 422', async (wrong, path, message) => {
    const { api } = await newWorkspace()
    const answer = await api.post('/companies/upsert', { match: wrong, name: 'Acme' })
    expect(answer.status).toBe(422)
    expect(answer.body.errors[path][0]).toContain(message)
  })
})
