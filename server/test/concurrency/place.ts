import { randomBytes } from 'node:crypto'
import { abilities } from '@kith/contract/abilities'
import { createToken } from '../../src/accounts/tokens.ts'
import { enterAsMember, enterAsOperator } from '../../src/accounts/workspace.ts'
import { createWorkspace } from '../../src/accounts/workspaces.ts'
import type { Runtime, Scope } from '../../src/scope/scope.ts'
import { newUser, openBrowser, PASSWORD } from '../browser.ts'
import { installation } from '../installation.ts'
import { whenFileEnds } from '../when-file-ends.ts'
import { type Person, runtimeAt } from '../workspace.ts'

/** One installation: a single process on SQLite, two processes on one database on PostgreSQL. Rate limits are off. */
export type Place = { nodes: readonly string[]; runtime: Runtime; owner: Person; cookie: string; worker: Person }

export async function openPlace(): Promise<Place> {
  const { database, env, start } = await installation()
  const count = process.env.TEST_ENGINE === 'postgres' ? 2 : 1
  const nodes: string[] = []
  for (let node = 0; node < count; node++)
    nodes.push((await start({ DATABASE_CONNECTIONS: '20', RATE_LIMIT_SESSION: '0' })).url)
  const runtime = runtimeAt(database.url, env.SECRET ?? '')
  whenFileEnds(() => runtime.engine.close())
  const owner = await newUser(runtime, 'Owner')
  const browser = openBrowser(nodes[0])
  const { status } = await browser.post('/sign-in', { email: owner.email, password: PASSWORD })
  if (status !== 200) throw new Error(`Signing in was answered with ${status}.`)
  return { nodes, runtime, owner, cookie: browser.cookie(), worker: await newUser(runtime, 'Worker') }
}

/** A workspace of the place's owner. All processes serve it. */
export type Ground = { id: string; slug: string; token: string; scope: Scope }

export async function openGround({ runtime, owner }: Place): Promise<Ground> {
  const slug = `w${randomBytes(8).toString('hex')}`
  const { id } = await createWorkspace(runtime, { name: slug, slug, owner: owner.email })
  const member = await enterAsMember(runtime, slug, owner.email)
  const { token } = await createToken(member, { name: 'random run', abilities, expires: 'never' })
  return { id, slug, token, scope: await enterAsOperator(runtime, slug) }
}
