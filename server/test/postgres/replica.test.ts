import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Service, startService } from '../setup/service.ts'
import { newWorkspace, runtimeAt, type TestWorkspace } from '../workspace.ts'
import { ask, type ServerPair, startServerPair } from './server-pair.ts'

describe('with DATABASE_READ_URL', () => {
  let pair: ServerPair
  let service: Service
  let workspace: TestWorkspace

  beforeAll(async () => {
    pair = await startServerPair()
    const secret = randomBytes(32).toString('hex')
    service = await startService({ DATABASE_URL: pair.primary, DATABASE_READ_URL: pair.replica, SECRET: secret })
    workspace = await newWorkspace({ url: service.url, runtime: runtimeAt(pair.primary, secret) })
  })

  afterAll(async () => {
    await workspace?.runtime.engine.close()
    await service?.stop()
    await pair?.stop()
  })

  const listed = async () => {
    const { status, body } = await workspace.api.get('/companies?sort=name')
    expect(status).toBe(200)
    return body.data.map((one: { attributes: { name: string } }) => one.attributes.name)
  }
  /** Writes past the service, so that its versions do not change: a response with this name was read on the primary. */
  const disguise = (name: string) =>
    ask(pair.primary, `update records set name = '${name}' where resource = 1 and name <> '${name}'`)

  it('a list is found on the replica once that knows all of the workspace', async () => {
    await workspace.api.post('/companies', { name: 'Acme' })
    await pair.caughtUp()
    await pair.setReplay('pause')
    await disguise('Read on the primary')
    expect(await listed()).toEqual(['Acme'])
  })

  it('a client reads its own writes, however far the replica is behind', async () => {
    const { status } = await workspace.api.post('/companies', { name: 'Zenith' })
    expect(status).toBe(201)
    expect(await listed()).toEqual(['Read on the primary', 'Zenith'])
  })

  it('a new field is known at once', async () => {
    await pair.setReplay('resume')
    await pair.caughtUp()
    await pair.setReplay('pause')
    await workspace.field('companies', { name: 'Region', type: 'text' })
    const { body } = await workspace.api.get('/companies')
    expect(body.data[0].attributes.custom_fields).toHaveProperty('region', null)
    await pair.setReplay('resume')
  })

  it('a member who gets another name has it at once', async () => {
    const user = await workspace.member('member')
    const theirs = await workspace.token({ user })
    await theirs.post('/companies', { name: 'Made by a member' })
    await pair.caughtUp()
    await pair.setReplay('pause')
    await ask(pair.primary, `update users set name = 'Another Name' where id = '${user.id}'`)
    const { body } = await workspace.api.get('/companies?include=creator')
    expect(body.included.map((one: { attributes: { name: string } }) => one.attributes.name)).toContain('Another Name')
    await pair.setReplay('resume')
  })

  it('the primary answers while the replica is away', async () => {
    await pair.stopReplica()
    expect(await listed()).toEqual(['Read on the primary', 'Made by a member', 'Zenith'])
  })
})
