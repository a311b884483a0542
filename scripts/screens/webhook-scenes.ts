import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import type { Scene } from './scenes.ts'

/** The names of receivers, and how they answer. */
const receivers = { warehouse: 204, billing: 500, newsletter: 410 } as const

type ReceiverName = keyof typeof receivers

export const receiverNames = Object.keys(receivers) as ReceiverName[]

/** What a service needs to reach them. */
export const receiverSettings = { WEBHOOK_ALLOW_PRIVATE: receiverNames.map((name) => `${name}.localhost`).join() }

/** Receivers that accept events, fail, and want no more of them. */
export async function startReceivers() {
  const server = createServer((request, response) => {
    const name = receiverNames.find((one) => request.headers.host?.startsWith(`${one}.`))
    const status = name === undefined ? 404 : receivers[name]
    const body = status === 500 ? '{"error":"The queue is full."}' : undefined
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(status === 204 ? undefined : body)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    urlOf: (name: ReceiverName) => `http://${name}.localhost:${port}/kith`,
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

async function openWebhook(page: Page, base: string, name: ReceiverName): Promise<void> {
  await page.goto(`${base}/settings/webhooks`)
  await page.getByRole('link', { name: `${name}.localhost` }).click()
  await page.getByRole('list', { name: 'Deliveries' }).waitFor()
}

/** Webhooks that deliver, fail and are disabled, and what one of them sent. */
export const webhookScenes: Omit<Scene, 'group'>[] = [
  {
    name: 'settings-webhooks',
    title: 'Webhooks',
    async show(page, { base }) {
      await page.goto(`${base}/settings/webhooks`)
      await page.getByRole('list', { name: 'Webhooks' }).getByText('Failing').waitFor()
    },
  },
  {
    name: 'settings-webhook',
    title: 'A webhook that delivers',
    async show(page, { base }) {
      await openWebhook(page, base, 'warehouse')
      await page.getByText('Up to date').waitFor()
    },
  },
  {
    name: 'settings-webhook-failing',
    title: 'A webhook that fails',
    async show(page, { base }) {
      await openWebhook(page, base, 'billing')
      await page.getByRole('region', { name: 'State' }).getByText('The receiver returned 500.').waitFor()
    },
  },
  {
    name: 'settings-webhook-disabled',
    title: 'A webhook that is disabled',
    async show(page, { base }) {
      await openWebhook(page, base, 'newsletter')
      await page.getByText('Disabled: nothing is sent').waitFor()
    },
  },
  {
    name: 'settings-webhook-delivery',
    title: 'A delivery in the log',
    async show(page, { base }) {
      await openWebhook(page, base, 'billing')
      await page.getByRole('list', { name: 'Deliveries' }).getByRole('link').first().click()
      await page
        .getByRole('dialog')
        .getByRole('region', { name: /^Body of the response/ })
        .waitFor()
    },
  },
  {
    name: 'settings-new-webhook',
    title: 'A new webhook',
    async show(page, { base }) {
      await page.goto(`${base}/settings/webhooks?webhook=new`)
      await page.getByLabel('URL').waitFor()
    },
  },
]
