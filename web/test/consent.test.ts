import { randomBytes } from 'node:crypto'
import type { Page } from 'playwright-core'
import { describe, expect, inject, it } from 'vitest'
import { addMember } from '../../server/src/accounts/members.ts'
import { documentHost } from '../../server/test/client-document.ts'
import { challengeOf, RETURNS_TO } from '../../server/test/oauth-person.ts'
import { authorizeUrl, register, tokensFor } from '../../server/test/oauth-service.ts'
import { isLong } from '../../server/test/run-length.ts'
import { newWorkspace } from '../../server/test/workspace.ts'
import { expectFitting, narrow } from './accessibility.ts'
import { newPage } from './pages.ts'
import { visit } from './visit.ts'

const verifier = randomBytes(32).toString('base64url')

const home = () => inject('service').url

/** The address of the consent page to which a program sends a user. */
async function consentUrl(state = '12345678901234567890'): Promise<{ url: string; client_id: string; state: string }> {
  const { client_id } = await register(home(), { client_name: 'Assistant' })
  const pkce = { code_challenge: challengeOf(verifier), code_challenge_method: 'S256' }
  return { url: authorizeUrl(home(), { client_id, state, ...pkce }).href, client_id, state }
}

async function onConsentPage(page: Page): Promise<void> {
  await page.getByRole('heading', { name: 'Let Assistant use Kith?' }).waitFor()
}

/** The address of the program, to which the browser returns. */
async function serveProgram(page: Page): Promise<void> {
  await page.route(`${RETURNS_TO}**`, (route) => route.fulfill({ contentType: 'text/html', body: '<h1>Back</h1>' }))
}

async function backAt(page: Page): Promise<URLSearchParams> {
  await page.getByRole('heading', { name: 'Back', exact: true }).waitFor()
  return new URL(page.url()).searchParams
}

describe('letting a program in', () => {
  it('asks for a workspace and abilities, after signing in, and sends the browser back with a code', async () => {
    const { email, password } = await visit()
    const second = await newWorkspace()
    await addMember(await second.scope(), { email, role: 'member' })
    const page = await newPage()
    await serveProgram(page)
    const { url, client_id, state } = await consentUrl()
    await page.goto(url)
    await page.getByLabel('Email').fill(email)
    await page.getByRole('textbox', { name: 'Password' }).fill(password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await onConsentPage(page)
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

  it.runIf(isLong)(
    'names the host of the document that describes a program, because its name is not verified',
    async () => {
      const host = await documentHost()
      const { page } = await visit()
      const pkce = { code_challenge: challengeOf(verifier), code_challenge_method: 'S256' }
      await page.goto(authorizeUrl(home(), { client_id: host.clientId(), ...pkce }).href)
      await onConsentPage(page)
      await page.getByText(`The program comes from 127.0.0.1:${host.port}. Its name is not verified.`).waitFor()
      await page.getByText('Access goes to a program on this computer.').waitFor()
      const wrong = host.clientId({ client_id: 'https://example.com/client.json' })
      await page.goto(authorizeUrl(home(), { client_id: wrong, ...pkce }).href)
      await page.getByText('The client_id in the document must be the URL of the document.').waitFor()
    },
  )

  it.runIf(isLong)('can be refused', async () => {
    const { page } = await visit()
    await serveProgram(page)
    await page.goto((await consentUrl()).url)
    await onConsentPage(page)
    await page.getByRole('button', { name: 'Deny' }).click()
    expect((await backAt(page)).get('error')).toBe('access_denied')
  })

  it.runIf(isLong)('says what is wrong with an invalid request', async () => {
    const { page } = await visit()
    await page.goto(`${home()}/oauth/consent?client_id=nobody`)
    await page.getByRole('heading', { name: 'This link does not work' }).waitFor()
    await page.getByText('is not known here').waitFor()
    await page.goto(authorizeUrl(home(), { client_id: 'nobody' }).href)
    await page.getByRole('heading', { name: 'This link does not work' }).waitFor()
  })

  it.runIf(isLong)('in both themes axe finds nothing, on a narrow screen too', async () => {
    const { page } = await visit({ width: 400 })
    await page.goto((await consentUrl()).url)
    await onConsentPage(page)
    await expectFitting(page, narrow)
  })
})
