import type { Page } from 'playwright-core'
import { expect, inject, it } from 'vitest'
import { loadSample } from '../../server/src/sample/load.ts'
import { isLong } from '../../server/test/run-length.ts'
import { newPage } from './pages.ts'
import { visit } from './visit.ts'

/** Of a list. Other screens may take a little more. */
const MAX_BYTES = 300_000
const MAX_REQUESTS = 25
const ELSEWHERE = 1.1

/** What comes over the wire, compressed as the service sends it, until the page rests. */
async function loadOf(page: Page, load: () => Promise<void>): Promise<{ requests: number; bytes: number }> {
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('Network.enable')
  // As if the page was never loaded before.
  await devtools.send('Network.setCacheDisabled', { cacheDisabled: true })
  let requests = 0
  let bytes = 0
  devtools.on('Network.requestWillBeSent', () => requests++)
  devtools.on('Network.loadingFinished', ({ encodedDataLength }) => {
    bytes += encodedDataLength
  })
  await load()
  // What the page fetches ahead once it is shown belongs to its first load as well.
  for (let before = -1; before !== bytes; ) {
    before = bytes
    await page.waitForTimeout(500)
  }
  await devtools.detach()
  return { requests, bytes }
}

function expectLight({ requests, bytes }: { requests: number; bytes: number }, factor = 1): void {
  expect(bytes).toBeGreaterThan(150_000)
  expect(bytes).toBeLessThan(MAX_BYTES * factor)
  expect(requests).toBeLessThanOrEqual(MAX_REQUESTS * factor)
}

it.runIf(isLong)('at the entrance the first load is small', async () => {
  const page = await newPage()
  const load = await loadOf(page, async () => {
    await page.goto(`${inject('service').url}/sign-in`)
    await page.getByRole('heading', { name: 'Sign in to Kith' }).waitFor()
  })
  // With what it fetches ahead for the screens behind it.
  expectLight(load, ELSEWHERE)
})

it('on a list the first load is under 300 KB and at most 25 requests', async () => {
  const { workspace, page, open } = await visit()
  // Names with letters beyond those of Western Europe need a second font.
  const sizes = { companies: 20, people: 300, opportunities: 0, tasks: 0, notes: 0 }
  await loadSample(await workspace.scope(), { sizes, seed: 1 })
  const load = await loadOf(page, async () => {
    await open('/people')
    await page.getByRole('grid', { name: 'People' }).waitFor()
  })
  expectLight(load)
})

it.runIf(isLong).each([
  ['at home', () => '', { role: 'img', name: /Proposal/ }],
  ['on the page of a record', (id: string) => `/opportunities/${id}`, { role: 'button', name: 'Edit Name' }],
  ['on a page of the settings', () => '/settings/profile', { role: 'button', name: 'Save' }],
] as const)('%s the first load is small', async (_where, path, seen) => {
  const { workspace, page, open } = await visit()
  const custom_fields = { stage: 'Proposal', amount: 1200 }
  const { body } = await workspace.api.post('/opportunities', { name: 'Renewal', custom_fields })
  const load = await loadOf(page, async () => {
    await open(path(body.data.id))
    await page.getByRole(seen.role, { name: seen.name }).first().waitFor()
  })
  expectLight(load, ELSEWHERE)
})
