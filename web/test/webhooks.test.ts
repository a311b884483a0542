import { verifyWebhook } from '@kith/sdk'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { type Answering, accept, newReceiver, type Received } from '../../server/test/both/webhooks/receiver.ts'
import { isLong } from '../../server/test/run-length.ts'
import { visit, visitTo } from './visit.ts'

const answer =
  (status: number): Answering =>
  (_received, response) =>
    response.writeHead(status).end('no')

/** The secret that a dialog shows once. */
async function shownSecret(page: Page): Promise<string> {
  const secret = await page.getByRole('region', { name: 'Secret', exact: true }).innerText()
  await page.getByRole('button', { name: 'Done' }).click()
  expect(await page.getByText(secret).count()).toBe(0)
  return secret
}

async function pick(page: Page, item: string): Promise<void> {
  await page.getByRole('button', { name: 'More' }).click()
  await page.getByRole('menuitem', { name: item }).click()
}

function verified({ headers, text }: Received, secret: string) {
  return verifyWebhook(headers, text, secret)
}

describe('Settings > Webhooks', () => {
  it('creates a webhook with a filter, tests it, shows what was sent, replays it and rotates its secret', async () => {
    const receiver = await newReceiver()
    const { workspace, page, open } = await visit()
    await open('/settings/webhooks')
    await page.getByText('A webhook sends every change that you choose to a URL').waitFor()
    await page.getByRole('button', { name: 'New webhook' }).first().click()
    await page.getByLabel('URL').fill('http://10.0.0.1/hook')
    await page.getByRole('radio', { name: 'Chosen events' }).click()
    await page.getByRole('button', { name: 'Create webhook' }).click()
    await page.getByText('The url must', { exact: false }).waitFor()
    await page.getByText('The types must be a list of 1 to 100').waitFor()
    await expect.poll(() => page.getByLabel('URL').inputValue()).toBe('http://10.0.0.1/hook')

    await page.getByLabel('URL').fill(receiver.url)
    await page.getByLabel('Description').fill('Warehouse')
    await page.getByRole('checkbox', { name: 'Companies' }).click()
    await page.getByRole('group', { name: 'Companies' }).getByRole('checkbox', { name: 'deleted' }).click()
    await page.getByRole('button', { name: 'Filter companies' }).click()
    await page.getByRole('button', { name: 'Field: Choose a field' }).click()
    await page.getByRole('option', { name: 'Name', exact: true }).click()
    await page.getByRole('textbox', { name: 'Value for Name' }).fill('Alder')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Companies: Any update' }).click()
    await page.getByRole('option', { name: /^Name/ }).click()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Create webhook' }).click()
    const secret = await shownSecret(page)

    await page.getByText('Companies created, updated, restored or merged').waitFor()
    await page.getByText('Companies: 1 condition, only updates of name').waitFor()
    await page.getByRole('button', { name: 'Send test event' }).click()
    const sheet = page.getByRole('dialog', { name: 'webhook.test' })
    await sheet.getByText('The receiver accepted it with 204.').waitFor()
    expect(await verified((await receiver.until(1))[0] as Received, secret)).toMatchObject({ type: 'webhook.test' })
    await sheet.getByRole('region', { name: 'Headers of the request of try 1' }).getByText('[redacted]').waitFor()
    await sheet.getByRole('button', { name: 'Close' }).click()

    await workspace.api.post('/companies', { name: 'Birch' })
    await workspace.api.post('/companies', { name: 'Alder' })
    const log = page.getByRole('list', { name: 'Deliveries' })
    await log.getByRole('link', { name: /companies.created/ }).click()
    const created = page.getByRole('dialog', { name: 'companies.created' })
    await created.getByRole('region', { name: 'Body of the request of try 1' }).getByText('"name": "Alder"').waitFor()
    await created.getByRole('button', { name: 'Replay' }).click()
    await log.getByText('Replay', { exact: true }).waitFor()
    const [, event, again] = await receiver.until(3)
    expect(event?.body.data.record.attributes.name).toBe('Alder')
    expect(again?.headers).toMatchObject({ 'kith-replay': 'true', 'webhook-id': event?.headers['webhook-id'] })

    await pick(page, 'Rotate the secret')
    await page.getByRole('button', { name: 'Rotate', exact: true }).click()
    const second = await shownSecret(page)
    await page.getByRole('button', { name: 'Send test event' }).click()
    await sheet.getByText('The receiver accepted it with 204.').waitFor()
    const latest = (await receiver.until(4)).at(-1) as Received
    for (const one of [secret, second]) expect(await verified(latest, one)).toMatchObject({ type: 'webhook.test' })

    await sheet.getByRole('button', { name: 'Close' }).click()
    receiver.answer(answer(500))
    await page.getByRole('button', { name: 'Send test event' }).click()
    await sheet.getByText('The receiver returned 500.').waitFor()
    await sheet.getByRole('button', { name: 'Close' }).click()
    await page.getByRole('navigation', { name: 'Deliveries' }).getByRole('link', { name: 'Failed' }).click()
    await page.getByText('Test events are not replayed. Send a new one.').waitFor()
    expect(await page.getByRole('button', { name: 'Replay all failed' }).count()).toBe(0)
  })

  it.runIf(isLong)('shows what a failing receiver does, when the next try is, and what to do', async () => {
    const receiver = await newReceiver()
    const { workspace, page, open } = await visit()
    const { api } = workspace
    const { body } = await api.post('/webhooks', { url: receiver.url, types: ['companies.*'] })
    receiver.answer(answer(500))
    await api.post('/companies', { name: 'First' })
    await open('/settings/webhooks')
    await page.getByRole('list', { name: 'Webhooks' }).getByText('Last failure just now').waitFor()
    await page.getByRole('link', { name: receiver.url }).click()
    const state = page.getByRole('region', { name: 'State' })
    await state.getByText('The last try failed').waitFor()

    const operations = Array.from({ length: 20 }, (_, place) => ({
      op: 'create',
      resource: 'companies',
      data: { name: `Company ${place}` },
    }))
    expect((await api.post('/batch', { operations })).status).toBe(200)
    await state.getByText('Failing: the receiver does not accept events').waitFor()
    await state.getByText('The receiver returned 500.').waitFor()
    await state.getByText('Look into the log of the receiver.').waitFor()
    await state.getByText('The next try is', { exact: false }).waitFor()
    await state.getByText(/events wait for another try/).waitFor()

    receiver.answer(answer(410))
    await state.getByRole('button', { name: 'Try again now' }).click()
    await state.getByText('Disabled: nothing is sent').waitFor()
    await state.getByText('The receiver answered 410 Gone').waitFor()
    receiver.answer(accept)
    await state.getByRole('button', { name: 'Continue from now' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Continue from now' }).click()
    await state.waitFor({ state: 'detached' })
    receiver.received.length = 0

    await page.getByRole('navigation', { name: 'Deliveries' }).getByRole('link', { name: 'Failed' }).click()
    await page.getByRole('button', { name: 'Replay all failed' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Replay' }).click()
    await page.getByText(/^\d+ events are sent again$/).waitFor()
    expect((await receiver.until(1))[0]?.headers['kith-replay']).toBe('true')

    await pick(page, 'Pause')
    await state.getByText('Paused: nothing is sent').waitFor()
    await page.getByRole('button', { name: 'Resume' }).click()
    await state.waitFor({ state: 'detached' })
    await pick(page, 'Delete')
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('heading', { name: 'No webhook yet' }).waitFor()
    expect((await api.get(`/webhooks/${body.data.id}`)).status).toBe(404)
  })

  it.runIf(isLong)(
    'keeps a draft when a request fails, and when the page is loaded again, until it is discarded',
    async () => {
      const { workspace, page, open } = await visit()
      await open('/settings/webhooks?webhook=new')
      await page.getByLabel('URL').fill('https://example.com/kith')
      await page.getByRole('radio', { name: 'Without the record' }).click()
      await page.route('**/v1/webhooks', (route) => route.abort())
      await page.getByRole('button', { name: 'Create webhook' }).click()
      await page.getByRole('alert').getByText('The service could not be reached.').waitFor()
      await page.unroute('**/v1/webhooks')
      await page.reload()
      await page.getByText('This is your draft').waitFor()
      await expect.poll(() => page.getByLabel('URL').inputValue()).toBe('https://example.com/kith')
      await expect.poll(() => page.getByRole('radio', { name: 'Without the record' }).isChecked()).toBe(true)
      await page.getByRole('radio', { name: 'From a cursor' }).click()
      await page.getByRole('textbox', { name: 'Cursor' }).fill('nothing')
      await page.getByRole('button', { name: 'Create webhook' }).click()
      await page.locator('[aria-invalid="true"]').waitFor()
      const { body } = await workspace.api.get('/changes?cursor=now')
      await page.getByRole('textbox', { name: 'Cursor' }).fill(body.meta.next_cursor)
      // It is created, but the answer is lost. The same draft creates nothing more, and gets the secret.
      await page.route('**/v1/webhooks', async (route) => {
        await route.fetch()
        await route.abort()
      })
      await page.getByRole('button', { name: 'Create webhook' }).click()
      await page.getByRole('alert').getByText('The service could not be reached.').waitFor()
      await page.unroute('**/v1/webhooks')
      await page.reload()
      await page.getByRole('button', { name: 'Create webhook' }).click()
      await shownSecret(page)
      expect((await workspace.api.get('/webhooks')).body.meta.total).toBe(1)

      await pick(page, 'Edit')
      await page.getByLabel('Description').fill('Reports')
      await page.getByRole('link', { name: 'Webhook', exact: true }).click()
      await pick(page, 'Edit')
      await expect.poll(() => page.getByLabel('Description').inputValue()).toBe('Reports')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('Reports').waitFor()
      await open('/settings/webhooks?webhook=new')
      await expect.poll(() => page.getByLabel('URL').inputValue()).toBe('')
    },
  )

  it.runIf(isLong)('says when someone else has deleted it', async () => {
    const { workspace, page, open } = await visit()
    const { body } = await workspace.api.post('/webhooks', { url: 'https://owner.example/', types: ['*'] })
    await open(`/settings/webhooks?webhook=${body.data.id}`)
    await page.getByRole('heading', { name: 'https://owner.example/' }).waitFor()
    await workspace.api.delete(`/webhooks/${body.data.id}`)
    await page.getByRole('alert').getByText('No webhook with the ID').waitFor()
  })

  it.runIf(isLong)('shows members their own webhooks, owners all of them, and viewers none', async () => {
    const owner = await visit()
    const { workspace } = owner
    await workspace.api.post('/webhooks', { url: 'https://owner.example/', types: ['*'] })
    const member = await visitTo(workspace, { role: 'member', name: 'Mia Moss' })
    await member.open('/settings/webhooks?webhook=new')
    await member.page.getByLabel('URL').fill('https://member.example/')
    await member.page.getByRole('button', { name: 'Create webhook' }).click()
    await shownSecret(member.page)
    await member.open('/settings/webhooks')
    await member.page.getByRole('link', { name: 'https://member.example/' }).waitFor()
    expect(await member.page.getByRole('link', { name: 'https://owner.example/' }).count()).toBe(0)

    await owner.open('/settings/webhooks')
    await owner.page.getByRole('link', { name: 'https://owner.example/' }).waitFor()
    await owner.page.getByRole('link', { name: 'https://member.example/' }).getByText('By Mia Moss').waitFor()

    const viewer = await visitTo(workspace, { role: 'viewer', name: 'Vera Moss' })
    await viewer.open('/settings/webhooks')
    await viewer.page.getByRole('link', { name: 'Sync' }).waitFor()
    expect(await viewer.page.getByRole('link', { name: 'Webhooks' }).count()).toBe(0)
    expect(await viewer.page.getByRole('button', { name: 'New webhook' }).count()).toBe(0)
  })
})

it.runIf(isLong)('"Use in API" of a list shows how to create a webhook with its filter', async () => {
  const { page, open } = await visit()
  const filter = encodeURIComponent(JSON.stringify({ name: { $contains: 'Alder' } }))
  await open(`/companies?filter=${filter}`)
  await page.getByRole('button', { name: 'Use in API' }).click()
  await page.getByRole('tab', { name: 'curl, webhook' }).click()
  await page.getByText('/v1/webhooks').waitFor()
  await page.getByText('"$contains": "Alder"').waitFor()
  await page.getByRole('tab', { name: 'TypeScript, webhook' }).click()
  await page.getByText('kith.webhooks.create').waitFor()
})

it('a question about access that ends names the webhooks that end with it, and their page says why', async () => {
  const { workspace, page, open } = await visit()
  const member = await visitTo(workspace, { role: 'member', name: 'Mia Sand' })
  const user = { id: '', name: '', email: member.email }
  const token = await workspace.token({ user })
  const hook = { url: 'https://hooks.example.com/warehouse', types: ['*'], description: 'Warehouse' }
  const { id } = (await token.post('/webhooks', hook)).body.data
  await token.post('/webhooks', { ...hook, url: 'https://hooks.example.com/reports', description: null })
  const ending = page.getByRole('alertdialog').getByRole('list', { name: 'Webhooks that are disabled' })

  await open('/settings/tokens')
  await page.getByRole('tab', { name: 'All of the workspace' }).click()
  const line = page.getByRole('listitem').filter({ hasText: 'Mia Sand' })
  await line.getByRole('button', { name: 'Revoke test' }).click()
  await ending.getByText('https://hooks.example.com/reports').waitFor()
  await ending.getByText('Warehouse', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Cancel' }).click()

  await open('/settings/members')
  await page.getByRole('combobox', { name: 'Role of Mia Sand' }).click()
  await page.getByRole('option', { name: 'Viewer' }).click()
  await page.getByText('These 2 webhooks are disabled, and nothing more is sent there:').waitFor()
  const changed = page.waitForResponse((response) => response.request().method() === 'PATCH')
  await page.getByRole('alertdialog').getByRole('button', { name: 'Change the role' }).click()
  expect((await changed).ok()).toBe(true)

  await open(`/settings/webhooks?webhook=${id}`)
  await page.getByText('The member who created it may no longer change records.').waitFor()
  await page.getByRole('button', { name: 'Continue from now' }).click()
  const continued = page.waitForResponse((response) => response.request().method() === 'PATCH')
  await page.getByRole('alertdialog').getByRole('button', { name: 'Continue from now' }).click()
  expect((await continued).ok()).toBe(true)
  await page.getByText('Up to date').waitFor()
  const [webhook] = (await workspace.api.get('/webhooks?per_page=100')).body.data.filter(
    (one: { id: string }) => one.id === id,
  )
  expect(webhook.attributes).toMatchObject({ state: 'active', reason: null })
  expect(webhook.attributes.creator_id).not.toBe(user.id)

  // With nothing to end, the question does not mention webhooks.
  await open('/settings/members')
  await page.getByRole('button', { name: 'More about Mia Sand' }).click()
  await page.getByRole('menuitem', { name: 'Remove' }).click()
  await page.getByRole('alertdialog').getByText('They lose access at once').waitFor()
  expect(await ending.count()).toBe(0)
})
