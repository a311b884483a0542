import type { FactorsAnswer, TotpSetUp } from '@kith/contract/app/factors'
import type { Page, Route } from 'playwright-core'
import type { Scene } from './scenes.ts'

/** Mocked responses, since passkeys need a device and a sign-in provider needs its own address. */
const factors: FactorsAnswer = {
  has_password: true,
  totp: true,
  passkeys: [
    { id: '01k00000000000000000000001', name: 'MacBook', created_at: '2026-09-14T08:12:00.000Z', backed_up: true },
    {
      id: '01k00000000000000000000002',
      name: 'Security key',
      created_at: '2026-10-02T15:40:00.000Z',
      backed_up: false,
    },
  ],
  provider: { name: 'Acme Login', connected: true },
  session_factor: 'passkey',
}

const made: TotpSetUp = {
  secret: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXPJBSW',
  uri: 'otpauth://totp/Kith:ada%40example.com?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXPJBSW&issuer=Kith',
  recovery_codes: ['4Jk2p-Qm8Zt', 'a91Lx-0PbnE', 'Wq7Rd-tY3uG', 'mN5vC-8sKe2', 'Zx0Hf-Lr6Jw', 'pT4yB-Dg9Qa'].concat([
    'c3UoV-I7hXn',
    'S2kEm-5fRzL',
    'gY8Wt-Ab1Mp',
    'J6dNq-vO4Cs',
  ]),
}

const answer = (data: unknown, status = 200) => ({
  status,
  contentType: 'application/json',
  body: JSON.stringify(status < 400 ? { data } : data),
})

const heading = (page: Page, name: string) => page.getByRole('heading', { name }).first().waitFor()

async function fill(route: Route, changed: object): Promise<void> {
  const response = await route.fetch()
  const { data } = await response.json()
  await route.fulfill(answer({ ...data, ...changed }))
}

async function toCode(page: Page, base: string): Promise<void> {
  await page.route('**/api/app/sign-in', (route) => route.fulfill(answer({ needs_code: true })))
  await page.goto(`${new URL(base).origin}/sign-in`)
  await page.getByLabel('Email').fill('ada@example.com')
  await page.getByRole('textbox', { name: 'Password' }).fill('a long password')
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await heading(page, 'Enter the code')
}

export const signInScenes: Scene[] = [
  one('sign-in-ways', 'Sign in through a provider', async (page, { base }) => {
    await page.route('**/api/app/start', (route) => fill(route, { provider: 'Acme Login' }))
    await page.goto(`${new URL(base).origin}/sign-in`)
    await page.getByRole('button', { name: 'Continue with Acme Login' }).waitFor()
  }),
  one('sign-in-refused', 'Refused by the provider', async (page, { base }) => {
    await page.route('**/api/app/start', (route) => fill(route, { provider: 'Acme Login' }))
    await page.goto(`${new URL(base).origin}/sign-in?problem=account_not_linked`)
    await page.getByRole('alert').waitFor()
  }),
  one('sign-in-code', 'Code of the app', (page, { base }) => toCode(page, base)),
  one('sign-in-recovery', 'Recovery code', async (page, { base }) => {
    await toCode(page, base)
    await page.getByRole('button', { name: 'Use a recovery code' }).click()
    await heading(page, 'Enter a recovery code')
  }),
].map((scene) => ({ ...scene, group: 'Entrance', outside: true as const }))

const refusals = [
  ['second_factor_missing', 'Set up a second factor', 'Set up a passkey or an authenticator app to open it.'],
  ['second_factor_unused', 'Use your second factor', 'Sign in with your passkey or a code to open it.'],
] as const

export const heldBackScenes: Scene[] = refusals.map(([reason, title, how]) =>
  one(`held-back-${reason.replaceAll('_', '-')}`, title, async (page, { base }) => {
    const told = { message: `This workspace requires a second factor. ${how}`, reason }
    await page.route('**/api/app/w/*/*', (route) => route.fulfill(answer(told, 403)))
    await page.goto(`${base}/companies`)
    await heading(page, title)
  }),
)

async function scan(page: Page, base: string): Promise<void> {
  const off: FactorsAnswer = { ...factors, totp: false }
  await page.route('**/api/app/factors', (route) => route.fulfill(answer(off)))
  await page.route('**/api/app/factors/totp', (route) => route.fulfill(answer(made, 201)))
  await page.route('**/api/app/factors/totp/confirm', (route) => route.fulfill(answer(null)))
  await page.goto(`${base}/settings/security`)
  await page.getByRole('button', { name: 'Set up' }).click()
  await page.getByRole('textbox', { name: 'Your password' }).fill('a long password')
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('img', { name: 'The secret as a QR code' }).waitFor()
}

export const factorScenes: Scene[] = [
  one('settings-factors', 'Passkeys, app and provider', async (page, { base }) => {
    await page.route('**/api/app/factors', (route) => route.fulfill(answer(factors)))
    await page.goto(`${base}/settings/security`)
    await page.getByRole('list', { name: 'Passkeys' }).waitFor()
  }),
  one('settings-add-passkey', 'A new passkey', async (page, { base }) => {
    await page.goto(`${base}/settings/security`)
    await page.getByRole('button', { name: 'Add a passkey' }).click()
    await page.getByRole('dialog').waitFor()
  }),
  one('settings-scan', 'Authenticator app', (page, { base }) => scan(page, base)),
  one('settings-recovery-codes', 'Recovery codes', async (page, { base }) => {
    await scan(page, base)
    await page.getByLabel('Code', { exact: true }).fill('123456')
    await page.getByRole('button', { name: 'Confirm' }).click()
    await page.getByRole('list', { name: 'Recovery codes' }).waitFor()
  }),
  one('settings-end-sessions', 'Ending the sessions of a member', async (page, { base }) => {
    await page.goto(`${base}/settings/members`)
    await page
      .getByRole('button', { name: /^More about (?!Ada)/ })
      .first()
      .click()
    await page.getByRole('menuitem', { name: 'End sessions' }).click()
    await page.getByRole('alertdialog').waitFor()
  }),
  one('settings-sign-ins', 'Sign-ins in the audit log', async (page, { base }) => {
    await page.request.post(`${new URL(base).origin}/api/app/sign-in`, {
      headers: { 'X-Kith-App': '1' },
      data: { email: 'ada@harbour.example', password: 'not the password' },
    })
    await page.goto(`${base}/settings/audit?of=sign_ins`)
    await page.getByRole('button', { name: 'Details' }).first().click()
  }),
]

function one(name: string, title: string, show: Scene['show']): Scene {
  return { name, title, group: '', show }
}
