import { randomBytes } from 'node:crypto'
import type { Page } from 'playwright-core'
import { describe, expect, inject, it } from 'vitest'
import { addMember } from '../../server/src/accounts/members.ts'
import { createUser } from '../../server/src/accounts/users.ts'
import { challengeOf, RETURNS_TO } from '../../server/test/oauth-person.ts'
import { authorizeUrl, register, tokensFor } from '../../server/test/oauth-service.ts'
import { newWorkspace } from '../../server/test/workspace.ts'
import { accessibilityProblems } from './accessibility.ts'
import { type Look, newContext } from './visit.ts'

const PASSWORD = 'correct horse battery'
const verifier = randomBytes(32).toString('base64url')

/** Where the service believes to be, and where programs therefore send people. */
function home(): string {
  return `http://localhost:${new URL(inject('service').url).port}`
}

/** Somebody with two workspaces, before the page to which a program has sent them; signed out. */
async function sentHere(look: Look = {}, state = '12345678901234567890') {
  const [first, second] = [await newWorkspace(), await newWorkspace()]
  const email = `${randomBytes(8).toString('hex')}@example.com`
  await createUser(first.runtime, { name: 'Ada Lindqvist', email, password: PASSWORD })
  await addMember(await first.scope(), { email, role: 'owner' })
  await addMember(await second.scope(), { email, role: 'member' })
  const { client_id } = await register(home(), { client_name: 'Assistant' })
  const page = await (await newContext(look)).newPage()
  await page.route(`${RETURNS_TO}**`, (route) => route.fulfill({ contentType: 'text/html', body: '<h1>Back</h1>' }))
  const pkce = { code_challenge: challengeOf(verifier), code_challenge_method: 'S256' }
  await page.goto(authorizeUrl(home(), { client_id, state, ...pkce }).href)
  await page.getByLabel('Email').fill(email)
  await page.getByRole('textbox', { name: 'Password' }).fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'Let Assistant use Kith?' }).waitFor()
  return { page, first, second, client_id, state }
}

async function backAt(page: Page): Promise<URLSearchParams> {
  await page.getByRole('heading', { name: 'Back', exact: true }).waitFor()
  return new URL(page.url()).searchParams
}

describe('letting a program in', () => {
  it('asks for a workspace and abilities, after signing in, and sends the browser back with a code', async () => {
    const { page, second, client_id, state } = await sentHere()
    await page.getByRole('combobox', { name: 'Workspace' }).click()
    await page.getByRole('option', { name: `Workspace ${second.slug}` }).click()
    for (const name of ['create records', 'update records', 'delete records']) {
      await page.getByRole('checkbox', { name }).uncheck()
    }
    await page.getByRole('button', { name: 'Allow' }).click()
    const returned = await backAt(page)
    expect(returned.get('state')).toBe(state)
    const tokens = await tokensFor(home(), {
      grant_type: 'authorization_code',
      client_id,
      code: returned.get('code') ?? '',
      redirect_uri: RETURNS_TO,
      code_verifier: verifier,
    })
    expect(tokens).toMatchObject({ status: 200, scope: 'read offline_access' })
    const headers = { Authorization: `Bearer ${tokens.access_token}`, 'Content-Type': 'application/json' }
    const params = { name: 'whoami', arguments: {} }
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })
    const { result } = await (await fetch(`${home()}/mcp`, { method: 'POST', headers, body })).json()
    expect(result.structuredContent).toMatchObject({ workspace: { slug: second.slug }, abilities: ['read'] })
  })

  it('can be refused', async () => {
    const { page } = await sentHere()
    await page.getByRole('button', { name: 'Deny' }).click()
    expect((await backAt(page)).get('error')).toBe('access_denied')
  })

  it('tells what is wrong with a request that is none', async () => {
    const { page } = await sentHere()
    await page.goto(`${home()}/oauth/consent?client_id=nobody`)
    await page.getByRole('heading', { name: 'This link does not work' }).waitFor()
    await page.getByText('is not known here').waitFor()
    await page.goto(authorizeUrl(home(), { client_id: 'nobody' }).href)
    await page.getByRole('heading', { name: 'This link does not work' }).waitFor()
  })

  it.each(['light', 'dark'] as const)('in the %s theme axe finds nothing, on a narrow screen too', async (theme) => {
    const { page } = await sentHere({ theme, width: 400 })
    expect(await accessibilityProblems(page)).toEqual([])
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(400)
  })
})
