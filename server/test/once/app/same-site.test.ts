import { expect, inject, it } from 'vitest'
import { openBrowser, signedInMember } from '../../browser.ts'
import { newWorkspace } from '../../workspace.ts'

it('a request that another site could have made is refused, whatever cookies come with it', async () => {
  const workspace = await newWorkspace()
  const { browser } = await signedInMember(workspace, 'admin')
  const path = `/w/${workspace.slug}/v1/companies`
  const company = JSON.stringify({ name: 'Acme' })
  const foreign: Record<string, string>[] = [
    { 'X-Kith-App': '' },
    { 'X-Kith-App': 'true' },
    { Origin: 'https://evil.example.com' },
    { Origin: 'null' },
    { Origin: `${browser.url}.evil.example.com` },
    { 'Sec-Fetch-Site': 'cross-site' },
    { 'Sec-Fetch-Site': 'same-site' },
  ]
  for (const headers of foreign) {
    expect((await browser.send('POST', path, company, { headers })).status, JSON.stringify(headers)).toBe(403)
  }
  expect((await browser.get(path)).body.meta.total).toBe(0)
  const own = { Origin: inject('service').url, 'Sec-Fetch-Site': 'same-origin' }
  expect((await browser.send('POST', path, company, { headers: own })).status).toBe(201)
})

it('that goes for signing in and out, too, and a form cannot reach them', async () => {
  const browser = openBrowser()
  for (const path of ['/sign-in', '/sign-out', '/set-up']) {
    const answer = await browser.send('POST', path, 'email=a%40example.com&password=x', {
      headers: { 'X-Kith-App': '', 'Content-Type': 'application/x-www-form-urlencoded' },
    })
    expect(answer.status, path).toBe(403)
  }
})

it('no other origin is given leave to read answers', async () => {
  const response = await fetch(`${inject('service').url}/api/app/start`, {
    headers: { Origin: 'https://evil.example.com' },
  })
  expect(response.headers.get('access-control-allow-origin')).toBeNull()
  const asked = await fetch(`${inject('service').url}/api/app/sign-in`, {
    method: 'OPTIONS',
    headers: { Origin: 'https://evil.example.com' },
  })
  expect(asked.status).toBe(405)
})
