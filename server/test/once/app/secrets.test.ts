import { expect, it } from 'vitest'
import { openBrowser, PASSWORD, signedInMember } from '../../browser.ts'
import { ownProcess } from '../../own-service.ts'
import { runKith } from '../../run-kith.ts'

const tokenIn = (url: string) => new URL(url).searchParams.get('token') ?? ''

it('no password, cookie, link or token is found in the log or in the database', async () => {
  const own = await ownProcess({ LOG_LEVEL: 'trace' })
  const workspace = await own.workspace()
  const admin = await signedInMember(workspace, 'admin', own.url)
  const base = `/w/${workspace.slug}`
  const invited = tokenIn((await admin.browser.post(`${base}/invitations`, { role: 'viewer' })).body.data.url)
  await openBrowser(own.url).get(`/invitations/${invited}`)
  await openBrowser(own.url).post(`/invitations/${invited}/accept`, { name: 'x' })
  const member = await signedInMember(workspace, 'member', own.url)
  const reset = tokenIn((await admin.browser.post(`${base}/members/${member.id}/reset-link`)).body.data.url)
  await openBrowser(own.url).post('/password/reset', { token: `${reset}x`, new_password: 'another good password' })
  const made = await admin.browser.post(`${base}/tokens`, { name: 'x', abilities: ['read'], expires_in_days: 7 })
  const { token } = made.body.data
  const cookie = decodeURIComponent(admin.browser.cookies.get('kith.session_token') ?? '-')
  const [session = '-', signature = '-'] = cookie.split('.')
  const secrets = { PASSWORD, cookie, session, signature, invited, reset, token }

  // An operator hands out a link, too, and it takes the place of the one before.
  const { stdout, code } = await runKith(['user', 'reset-link', '--email', member.email], {
    ...own.env,
    APP_URL: own.url,
  })
  expect(code).toBe(0)
  const next = 'another good password'
  expect((await openBrowser(own.url).post('/password/reset', { token: reset, new_password: next })).status).toBe(422)
  const fresh = await openBrowser(own.url).post('/password/reset', {
    token: tokenIn(stdout.trim()),
    new_password: next,
  })
  expect(fresh.status).toBe(200)
  expect((await runKith(['user', 'reset-link', '--email', 'nobody@example.com'], own.env)).code).not.toBe(0)

  const { engine } = own.runtime
  const stored = []
  for (const { name } of await engine.loadTables(engine.db)) {
    stored.push(JSON.stringify((await engine.db.session.run(`select * from ${name}`, [])).rows))
  }
  await own.service.stop()
  const output = own.service.output()
  expect(output).toContain('/api/app/invitations/:token')
  for (const [name, secret] of Object.entries(secrets)) {
    expect(secret.length, name).toBeGreaterThan(10)
    expect(output.includes(secret), name).toBe(false)
    expect(stored.join().includes(secret), name).toBe(false)
  }
  await own.stop()
})
