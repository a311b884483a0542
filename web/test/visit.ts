import { randomBytes } from 'node:crypto'
import type { Role } from '@kith/contract/abilities'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { inject, onTestFinished } from 'vitest'
import { addMember } from '../../server/src/accounts/members.ts'
import { createUser } from '../../server/src/accounts/users.ts'
import { whenFileEnds } from '../../server/test/when-file-ends.ts'
import { newWorkspace, type TestWorkspace } from '../../server/test/workspace.ts'

export type Look = { width?: number; height?: number; theme?: 'light' | 'dark' }

/** How somebody comes: with which role, and to which service where it is not the one that all journeys share. */
export type Coming = Look & { role?: Role; url?: string; name?: string }

/** Somebody in a workspace of their own, before the screen. */
export type Visit = {
  workspace: TestWorkspace
  page: Page
  /** With what they sign in. */
  email: string
  password: string
  /** Opens an address below the workspace: `/companies`. */
  open(path: string): Promise<void>
}

let browser: Promise<Browser> | undefined

/** A workspace of one's own, and its owner signed in to it. */
export async function visit(coming: Coming = {}): Promise<Visit> {
  return visitTo(await newWorkspace(), coming)
}

/** Somebody else in a workspace that is there already. */
export async function visitTo(workspace: TestWorkspace, coming: Coming = {}): Promise<Visit> {
  const { url = inject('service').url, role = 'owner', name = 'Ada Lindqvist', ...look } = coming
  const context = await newContext(look)
  const email = `${randomBytes(8).toString('hex')}@example.com`
  const password = randomBytes(12).toString('hex')
  await createUser(workspace.runtime, { name, email, password })
  await addMember(await workspace.scope(), { email, role })
  const signedIn = await context.request.post(`${url}/api/app/sign-in`, {
    headers: { 'X-Kith-App': '1' },
    data: { email, password },
  })
  if (!signedIn.ok()) throw new Error(`Could not sign in: ${await signedIn.text()}`)
  const page = await context.newPage()
  const open = async (path: string) => {
    await page.goto(`${url}/${workspace.slug}${path}`)
  }
  return { workspace, page, email, password, open }
}

/** A browser that knows nobody. It fails the test when the page breaks. */
export async function newContext({ width = 1280, height = 800, theme = 'light' }: Look = {}): Promise<BrowserContext> {
  const context = await (await sharedBrowser()).newContext({
    viewport: { width, height },
    colorScheme: theme,
    reducedMotion: 'reduce',
    locale: 'en-GB',
    timezoneId: 'Europe/Berlin',
  })
  context.setDefaultTimeout(60_000)
  const broken: string[] = []
  context.on('weberror', (error) => broken.push(error.error().message))
  onTestFinished(async () => {
    await context.close()
    if (broken.length > 0) throw new Error(`The page broke: ${broken.join('; ')}`)
  })
  return context
}

function sharedBrowser(): Promise<Browser> {
  if (browser) return browser
  const connected = chromium.connect(inject('browser').endpoint)
  browser = connected
  whenFileEnds(async () => {
    browser = undefined
    await (await connected).close()
  })
  return connected
}
