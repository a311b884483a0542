import { type Role, roles } from '@kith/contract/abilities'
import { type Permission, roleMay } from '@kith/contract/permissions'
import { beforeAll, describe, expect, it } from 'vitest'
import { webRoutes } from '../../../src/http/app/register.ts'
import { type Browser, openBrowser, signedInMember } from '../../browser.ts'
import { newWorkspace, type TestWorkspace } from '../../workspace.ts'

const ID = '01arz3ndektsv4rrffq69g5fav'

let workspace: TestWorkspace
let stranger: Browser
const members = new Map<Role, Browser>()

beforeAll(async () => {
  workspace = await newWorkspace()
  stranger = (await signedInMember(await newWorkspace(), 'owner')).browser
  for (const role of roles) members.set(role, (await signedInMember(workspace, role)).browser)
})

const inWorkspace = webRoutes.flatMap((route) =>
  route.at === 'workspace' ? [{ ...route, named: `${route.method} ${route.path}` }] : [],
)

function pathOf(path: string, slug = workspace.slug): string {
  return path.replace(':slug', slug).replace(':resource', 'companies').replace(/:\w+/g, ID)
}

/** With a body that no endpoint takes, so that an accepted request changes nothing. */
function ask(browser: Browser, method: string, path: string, headers: Record<string, string> = {}) {
  return browser.send(method, path, method === 'GET' ? undefined : '[]', { headers })
}

describe.each(inWorkspace)('$named', ({ method, path, needs }) => {
  it('is closed to users who are not signed in or no members, with a message that reveals nothing', async () => {
    expect((await ask(openBrowser(), method, pathOf(path))).status).toBe(401)
    const real = await ask(stranger, method, pathOf(path))
    const madeUp = await ask(stranger, method, pathOf(path, 'no-such-workspace'))
    expect(real.status).toBe(404)
    expect(real.text).toBe(madeUp.text.replace('no-such-workspace', workspace.slug))
  })

  it('is open to exactly the roles of the table', async () => {
    for (const [role, browser] of members) {
      const { status } = await ask(browser, method, pathOf(path))
      // An allowed request fails at the next check, never with a server error.
      if (roleMay(role, needs)) expect(status, role).toBeLessThan(500)
      else expect(status, role).toBe(403)
    }
  })
})

describe('all routes', () => {
  it.each(webRoutes.filter((route) => route.method !== 'GET'))(
    '$method $path: refuses what another site could have sent',
    async ({ method, path }) => {
      const owner = members.get('owner') ?? openBrowser()
      expect((await ask(owner, method, pathOf(path), { 'X-Kith-App': '' })).status).toBe(403)
      expect((await ask(owner, method, pathOf(path), { Origin: 'https://evil.example.com' })).status).toBe(403)
    },
  )

  it.each(webRoutes.filter((route) => route.at !== 'stream'))(
    '$method $path: takes strange addresses and bodies without a fault',
    async ({ method, path }) => {
      const owner = members.get('owner') ?? openBrowser()
      const bodies = [
        'null',
        '"x"',
        '[1]',
        '{"__proto__":{"role":"owner"},"constructor":1}',
        `{"a":${'['.repeat(500)}${']'.repeat(500)}}`,
      ]
      for (const part of ['%00', '%EF%BF%BF', '__proto__', "';--", 'x'.repeat(900)]) {
        const strange = path.replace(/:\w+/g, part)
        expect((await ask(owner, method, strange)).status, strange).toBeLessThan(500)
      }
      if (method === 'GET' || path === '/sign-out') return
      for (const body of bodies) {
        const { status } = await owner.send(method, pathOf(path), body)
        expect(status, body).toBeLessThan(500)
      }
    },
  )

  it('names in the table what each operation asks for', () => {
    const managed: Permission[] = ['manage_members', 'manage_workspace', 'delete_workspace']
    for (const permission of managed) expect(inWorkspace.some((route) => route.needs === permission)).toBe(true)
  })
})
