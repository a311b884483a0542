import { TOKENS_PER_MEMBER_MAX } from '@kith/contract/limits'
import { describe, expect, it } from 'vitest'
import { createToken, revokeToken } from '../../../src/accounts/tokens.ts'
import { signedInMember } from '../../browser.ts'
import { ownService } from '../../own-service.ts'
import { runKith } from '../../run-kith.ts'
import { newWorkspace } from '../../workspace.ts'

/** Starting a service takes long where much else runs. */

describe('Workspaces of an account', () => {
  it('are limited; the command line is not, and a deleted one makes room', async () => {
    const own = await ownService({ WORKSPACES_PER_ACCOUNT: '2' })
    const { browser, email } = await signedInMember(await own.workspace(), 'member', own.url)
    const make = (name: string) => browser.post('/workspaces', { name })
    expect((await make('One')).status).toBe(201)
    expect((await browser.get('/session')).body.data.workspace_problem).toBeNull()
    const at_once = await Promise.all(['Two', 'Three', 'Four'].map(make))
    expect(at_once.map(({ status }) => status).sort()).toEqual([201, 403, 403])
    const problem = expect.stringMatching(
      /^You have created 2 workspaces already, and an account can create no more here\./,
    )
    expect((await make('Five')).body).toEqual({ message: problem })
    expect((await browser.get('/session')).body.data.workspace_problem).toEqual(problem)
    const ran = await runKith(['workspace', 'create', '--name', 'By operator', '--owner', email], own.env)
    expect(ran.code, ran.stderr).toBe(0)
    expect((await browser.delete('/w/one/workspace', { confirm: 'one' })).status).toBe(200)
    expect((await make('Six')).status).toBe(201)
    await own.stop()
  })

  it('can be left to owners and admins', async () => {
    const own = await ownService({ WORKSPACE_CREATION: 'admins' })
    const workspace = await own.workspace()
    const member = await signedInMember(workspace, 'member', own.url)
    const refused = await member.browser.post('/workspaces', { name: 'Mine' })
    expect([refused.status, refused.body.message]).toEqual([403, expect.stringMatching(/^Only owners and admins/)])
    const admin = await signedInMember(workspace, 'admin', own.url)
    expect((await admin.browser.post('/workspaces', { name: 'Ours' })).status).toBe(201)
    await own.stop()
  })

  it('can be left to the command line', async () => {
    const own = await ownService({ WORKSPACE_CREATION: 'operator' })
    const owner = await signedInMember(await own.workspace(), 'owner', own.url)
    const refused = await owner.browser.post('/workspaces', { name: 'Mine' })
    expect([refused.status, refused.body.message]).toEqual([
      403,
      expect.stringMatching(/^Only the operator of this installation/),
    ])
    await own.stop()
  })
})

it('a member has at most 100 working tokens in a workspace', async () => {
  const scope = await (await newWorkspace()).scope()
  const input = { name: 'test', abilities: ['read'], expires: '7' }
  const tokens = []
  for (let n = 0; n < TOKENS_PER_MEMBER_MAX; n++) tokens.push(await createToken(scope, input).catch((error) => error))
  // The workspace of a test has a token already.
  expect(tokens.at(-1)).toMatchObject({
    message: 'A member can have 100 working tokens in a workspace. Revoke one that is no longer used.',
  })
  await revokeToken(scope, tokens[0].id)
  expect((await createToken(scope, input)).name).toBe('test')
})
