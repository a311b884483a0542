import type { APIRequestContext, Page } from 'playwright-core'

/** Opens a list and waits for its records. */
export async function openList(page: Page, address: string): Promise<void> {
  await page.goto(address)
  await page
    .locator(`main a[href^="${new URL(address).pathname}/"]`)
    .nth(5)
    .waitFor()
}

export async function openRecord(page: Page, address: string): Promise<void> {
  await page.goto(address)
  await page.getByRole('button', { name: /^Edit (Name|Title)/ }).waitFor()
}

// biome-ignore lint/suspicious/noExplicitAny: each caller knows the shape of its response
type Answer = any

/** Calls the private API of the application, and fails with what it said. */
export function callsOf(request: APIRequestContext) {
  return async (method: 'get' | 'post' | 'put' | 'patch', address: string, sent: Sent = {}): Promise<Answer> => {
    const headers = { 'X-Kith-App': '1', ...(sent.type !== undefined && { 'Content-Type': sent.type }) }
    const response = await request[method](address, { headers, data: sent.data })
    if (!response.ok()) throw new Error(`${address}: ${response.status()} ${await response.text()}`)
    return response.json()
  }
}

type Sent = { data?: object | Buffer; type?: string }
