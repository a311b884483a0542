import { Webhook } from 'standardwebhooks'
import { describe, expect, it } from 'vitest'
import { verifyWebhook, WebhookError } from './client.ts'

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
const other = `whsec_${Buffer.alloc(32, 8).toString('base64')}`
const event = { type: 'webhook.test', timestamp: '2026-11-14T09:30:00.125Z', data: { endpoint_id: 'Zoë' } }
const body = JSON.stringify(event)

/** A request as the official library signs it. */
function signed(secrets: readonly string[], at = new Date()): Record<string, string> {
  const signatures = secrets.map((one) => new Webhook(one).sign('01kb', at, body))
  return {
    'webhook-id': '01kb',
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': signatures.join(' '),
  }
}

async function faultOf(checking: Promise<unknown>): Promise<string> {
  const error = await checking.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(WebhookError)
  return error instanceof WebhookError ? error.reason : ''
}

describe('verifyWebhook', () => {
  it('takes what the official library signs, in every form of headers and bodies', async () => {
    const headers = signed([secret])
    const node = { ...Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]])) }
    for (const form of [headers, new Headers(headers), node, { 'Webhook-Id': '01kb', ...headers }]) {
      expect(await verifyWebhook(form, body, secret)).toEqual(event)
      expect(await verifyWebhook(form, new TextEncoder().encode(body), [secret])).toEqual(event)
    }
    expect(new Webhook(secret).verify(body, headers)).toEqual(event)
  })

  it('takes one of several secrets and one of several signatures, as during a rotation', async () => {
    expect(await verifyWebhook(signed([other, secret]), body, secret)).toEqual(event)
    expect(await verifyWebhook(signed([secret]), body, [other, secret])).toEqual(event)
    const later = {
      ...signed([secret]),
      'webhook-signature': `v2,xyz v1a,abc ${signed([secret])['webhook-signature']}`,
    }
    expect(await verifyWebhook(later, body, secret)).toEqual(event)
  })

  it('refuses another secret, body, id or time', async () => {
    const headers = signed([secret])
    expect(await faultOf(verifyWebhook(headers, body, other))).toBe('wrong_signature')
    expect(await faultOf(verifyWebhook(headers, `${body} `, secret))).toBe('wrong_signature')
    expect(await faultOf(verifyWebhook({ ...headers, 'webhook-id': 'x' }, body, secret))).toBe('wrong_signature')
    expect(await faultOf(verifyWebhook({ ...headers, 'webhook-signature': 'v1,?' }, body, secret))).toBe(
      'wrong_signature',
    )
    const moved = { ...headers, 'webhook-timestamp': String(Number(headers['webhook-timestamp']) + 1) }
    expect(await faultOf(verifyWebhook(moved, body, secret))).toBe('wrong_signature')
    expect(await faultOf(verifyWebhook(headers, body, []))).toBe('wrong_signature')
  })

  it('refuses what is older or newer than the tolerance, 300 seconds unless told otherwise', async () => {
    const ago = (seconds: number) => signed([secret], new Date(Date.now() - seconds * 1000))
    expect(await verifyWebhook(ago(290), body, secret)).toEqual(event)
    expect(await faultOf(verifyWebhook(ago(310), body, secret))).toBe('too_old')
    expect(await faultOf(verifyWebhook(ago(-310), body, secret))).toBe('too_new')
    expect(await verifyWebhook(ago(310), body, secret, { toleranceSeconds: 600 })).toEqual(event)
    expect(await faultOf(verifyWebhook(ago(20), body, secret, { toleranceSeconds: 10 }))).toBe('too_old')
  })

  it('says which header is missing or wrong, and that a secret is none', async () => {
    const headers = signed([secret])
    for (const name of Object.keys(headers)) {
      const checking = verifyWebhook({ ...headers, [name]: undefined }, body, secret)
      await expect(checking).rejects.toThrow(`no ${name} header`)
      expect(await faultOf(checking)).toBe('missing_header')
    }
    expect(await faultOf(verifyWebhook({ ...headers, 'webhook-timestamp': 'now' }, body, secret))).toBe('bad_timestamp')
    await expect(verifyWebhook(headers, body, 'whsec_')).rejects.toThrow(TypeError)
    await expect(verifyWebhook(headers, body, 'no secret!')).rejects.toThrow(TypeError)
  })
})
