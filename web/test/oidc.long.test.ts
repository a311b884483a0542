import { expect, it } from 'vitest'
import { ownService } from '../../server/test/own-service.ts'
import { freePort } from '../../server/test/setup/postgres.ts'
import { startProvider } from '../../server/test/sign-in/oidc-provider.ts'
import { newPage } from './pages.ts'

it('people sign in through the provider, and see why when they may not', async () => {
  const provider = await startProvider()
  const PORT = String(await freePort())
  const own = await ownService({ ...provider.env, PORT, OIDC_MEMBERSHIP: 'acme.example=acme:member' })
  const home = `http://localhost:${PORT}`
  provider.expect(home)
  const { id } = await own.workspace()
  await own.runtime.engine.single.session.run(`update workspaces set slug = 'acme' where id = '${id}'`, [])
  provider.people.set('grace', { email: 'grace@acme.example', email_verified: true, name: 'Grace Moss' })
  provider.people.set('mallory', { email: 'mallory@elsewhere.example', email_verified: true, name: 'Mallory' })

  const page = await newPage()
  await page.goto(`${home}/sign-in?next=/acme/companies`)
  await page.getByRole('button', { name: 'Continue with Acme Login' }).click()
  await page.locator('input[name="login"]').fill('grace')
  await page.locator('input[name="password"]').fill('any')
  await page.locator('button[type="submit"]').click()
  await page.locator('button[type="submit"]').click()
  await page.getByRole('navigation', { name: 'Workspace' }).waitFor()
  expect(new URL(page.url()).pathname).toBe('/acme/companies')
  await page.goto(`${home}/acme/settings/security`)
  await page.getByRole('region', { name: 'Sign-in with Acme Login' }).getByText('Your account is connected.').waitFor()
  // Without a password there is none to change, and no code to ask for after it.
  expect(await page.getByRole('region', { name: 'Change password' }).count()).toBe(0)
  expect(await page.getByRole('region', { name: 'Authenticator app' }).count()).toBe(0)

  const stranger = await newPage()
  await stranger.goto(`${home}/sign-in`)
  await stranger.getByRole('button', { name: 'Continue with Acme Login' }).click()
  await stranger.locator('input[name="login"]').fill('mallory')
  await stranger.locator('input[name="password"]').fill('any')
  await stranger.locator('button[type="submit"]').click()
  await stranger.locator('button[type="submit"]').click()
  await stranger.getByRole('alert').getByText('You have no account here.').waitFor()
  await own.stop()
})
