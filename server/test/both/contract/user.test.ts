import { describe, expect, it } from 'vitest'
import { newWorkspace } from '../../workspace.ts'

describe('6. GET /v1/user (ability read): the token’s user', () => {
  it('is {data: {id, type: "users", attributes: {name, email}}}', async () => {
    const { api, owner } = await newWorkspace()
    const answer = await api.get('/user')
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toBe('application/vnd.api+json')
    const { id, name, email } = owner
    expect(answer.text).toBe(JSON.stringify({ data: { id, type: 'users', attributes: { name, email } } }))
  })

  it.each(['admin', 'member', 'viewer'] as const)('is the user of the token: a %s', async (role) => {
    const { api, member, token } = await newWorkspace()
    const user = await member(role)
    const other = await token({ user, abilities: ['read'] })
    expect((await other.get('/user')).body.data).toMatchObject({ id: user.id, attributes: { email: user.email } })
    expect((await api.get('/user')).body.data.id).not.toBe(user.id)
  })

  it('its id is the member id that records take', async () => {
    const { api } = await newWorkspace()
    const { id } = (await api.get('/user')).body.data
    const made = await api.post('/companies', { name: 'Acme', account_owner_id: id })
    expect(made.body.data.attributes.account_owner_id).toBe(id)
  })

  it('takes no parameters', async () => {
    const { api } = await newWorkspace()
    const answer = await api.get('/user?include=company&nothing=1')
    expect(answer.status).toBe(422)
    expect(Object.keys(answer.body.errors).sort()).toEqual(['include', 'nothing'])
  })
})
