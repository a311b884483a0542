import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { gridOn } from './grid.ts'
import { visit } from './visit.ts'

const MAX_BYTES = 300 * 1024

/** How much script comes over the wire, compressed as the service sends it, until the page rests. */
async function scriptBytes(page: Page, load: () => Promise<void>): Promise<number> {
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('Network.enable')
  const scripts = new Set<string>()
  let bytes = 0
  devtools.on('Network.responseReceived', ({ requestId, type }) => type === 'Script' && scripts.add(requestId))
  devtools.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    if (scripts.has(requestId)) bytes += encodedDataLength
  })
  await load()
  return bytes
}

describe('the first load', () => {
  it('is under 300 KB of compressed script, for a list', async () => {
    const { workspace, page, open } = await visit()
    await workspace.api.post('/companies', { name: 'Alder' })
    const list = await scriptBytes(page, async () => {
      await open('/companies')
      await gridOn(page).shows(['Alder'])
    })
    expect(list).toBeGreaterThan(50 * 1024)
    expect(list).toBeLessThan(MAX_BYTES)
  })
})
