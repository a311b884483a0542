import { expect, it } from 'vitest'
import { signedInMember } from '../../browser.ts'
import { newWorkspace } from '../../workspace.ts'

const key = { headers: { 'Idempotency-Key': 'k' } }

it('in the application, an Idempotency-Key belongs to the user and the workspace, not to a token', async () => {
  const workspace = await newWorkspace()
  const { browser } = await signedInMember(workspace, 'member')
  const { browser: colleague } = await signedInMember(workspace, 'member')
  const path = `/w/${workspace.slug}/v1/companies`
  const first = await browser.post(path, { name: 'Acme' }, key)
  const again = await browser.post(path, { name: 'Acme' }, key)
  expect([again.status, again.text]).toEqual([201, first.text])
  expect(again.headers.get('idempotent-replayed')).toBe('true')
  for (const other of [
    colleague.post(path, { name: 'Acme' }, key),
    workspace.api.post('/companies', { name: 'A' }, key),
  ]) {
    const { status, headers } = await other
    expect([status, headers.get('idempotent-replayed')]).toEqual([201, null])
  }
  expect((await workspace.api.get('/companies')).body.meta.total).toBe(3)
})

it('in the application, If-Match refuses a save over a change of someone else', async () => {
  const workspace = await newWorkspace()
  const { browser } = await signedInMember(workspace, 'member')
  const made = (await workspace.api.post('/notes', { title: 'One' })).body.data
  await workspace.api.put(`/notes/${made.id}`, { title: 'Two' })
  const options = { headers: { 'If-Match': `"${made.attributes.updated_at}"` } }
  const refused = await browser.put(`/w/${workspace.slug}/v1/notes/${made.id}`, { title: 'Three' }, options)
  expect([refused.status, Object.keys(refused.body)]).toEqual([412, ['message', 'updated_at']])
})
