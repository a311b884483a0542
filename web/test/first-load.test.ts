import type { Page } from 'playwright-core'
import { expect, inject, it } from 'vitest'
import { isLong } from '../../server/test/run-length.ts'
import { newPage } from './pages.ts'
import { visit } from './visit.ts'

const MAX_BYTES = 300 * 1024

/** How much script comes over the wire, compressed as the service sends it, until the page rests. */
async function scriptBytes(page: Page, load: () => Promise<void>): Promise<number> {
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('Network.enable')
  // As if the page was never loaded before.
  await devtools.send('Network.setCacheDisabled', { cacheDisabled: true })
  const scripts = new Set<string>()
  let bytes = 0
  devtools.on('Network.responseReceived', ({ requestId, type }) => type === 'Script' && scripts.add(requestId))
  devtools.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    if (scripts.has(requestId)) bytes += encodedDataLength
  })
  await load()
  // What the page fetches ahead once it is shown belongs to its first load as well.
  for (let before = -1; before !== bytes; ) {
    before = bytes
    await page.waitForTimeout(500)
  }
  await devtools.detach()
  return bytes
}

it('at the entrance the first load is under 300 KB of compressed script', async () => {
  const page = await newPage()
  const bytes = await scriptBytes(page, async () => {
    await page.goto(`${inject('service').url}/sign-in`)
    await page.getByRole('heading', { name: 'Sign in to Kith' }).waitFor()
  })
  expect(bytes).toBeGreaterThan(50 * 1024)
  expect(bytes).toBeLessThan(MAX_BYTES)
})

const places = [
  ['at home', () => '', { role: 'img', name: /Proposal/ }],
  ['on a list', () => '/opportunities', { role: 'link', name: 'Renewal' }],
  ['on a board', () => '/opportunities?layout=board', { role: 'link', name: 'Renewal' }],
  ['on the page of a record', (id: string) => `/opportunities/${id}`, { role: 'button', name: 'Edit Name' }],
  ['on a page of the settings', () => '/settings/profile', { role: 'button', name: 'Save' }],
] as const

// The others load less, or the same parts.
it.each(isLong ? places : places.slice(1, 2))(
  '%s the first load is under 300 KB of compressed script',
  async (_where, path, seen) => {
    const { workspace, page, open } = await visit()
    const custom_fields = { stage: 'Proposal', amount: 1200 }
    const { body } = await workspace.api.post('/opportunities', { name: 'Renewal', custom_fields })
    const bytes = await scriptBytes(page, async () => {
      await open(path(body.data.id))
      await page.getByRole(seen.role, { name: seen.name }).first().waitFor()
    })
    expect(bytes).toBeGreaterThan(50 * 1024)
    expect(bytes).toBeLessThan(MAX_BYTES)
  },
)
