import { expect, it } from 'vitest'
import { newWorkspace } from '../../workspace.ts'

it('creates a company and lists it', async () => {
  const { api } = await newWorkspace()
  const created = await api.post('/companies', { name: 'Acme' })
  expect(created.status).toBe(201)
  const listed = await api.get('/companies')
  expect(listed.body.data).toEqual([created.body.data])
})
