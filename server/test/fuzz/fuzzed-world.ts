import { randomBytes } from 'node:crypto'
import { resourceNames } from '@kith/contract/resource'
import { newComment } from '../both/comments/comments.ts'
import { newFile, sendFile } from '../both/files/files.ts'
import { defineEveryType, relatedRecords, valuesOfEveryType } from '../derived/full-records.ts'
import { challengeOf, signedIn } from '../oauth-person.ts'
import { authorizeUrl, tokensByHand } from '../oauth-service.ts'
import type { OwnService } from '../own-service.ts'
import type { TestWorkspace } from '../workspace.ts'
import { FOREIGN_MARK } from './judge.ts'

/** Whom requests come from, and what there is to be found. */
export type World = {
  url: string
  token: string
  cookie: string
  slug: string
  ids: Readonly<Record<string, string>>
  /** A file of one of them, and a comment on it. */
  parts: { files: string; comments: string }
  /** Ids of another workspace, which must stay hidden here. */
  foreign: readonly string[]
  /** A program that was let in, and one that waits to be. */
  oauth: {
    client_id: string
    code: string
    refresh_token: string
    verifier: string
    challenge: string
    /** What the browser asks the page of consent for. */
    page: string
    resource: string
  }
}

/** A workspace with a field of every type, a second one with marks in it, and a connected program. */
export async function fuzzedWorld(own: OwnService): Promise<{ workspace: TestWorkspace; world: World }> {
  const [workspace, neighbour] = [await own.workspace(), await own.workspace()]
  await neighbour.field('companies', { name: FOREIGN_MARK, type: 'text' })
  const foreign: string[] = [neighbour.id, neighbour.owner.id]
  for (const type of resourceNames) {
    const made = await neighbour.api.post(`/${type}`, {
      [type === 'tasks' || type === 'notes' ? 'title' : 'name']: FOREIGN_MARK,
    })
    foreign.push(made.body.data.id)
  }
  const hidden = { bytes: FOREIGN_MARK, 'Content-Type': 'text/plain' }
  const sent = await sendFile(neighbour.api, foreign.at(-5) ?? '', FOREIGN_MARK, hidden)
  const said = await newComment(neighbour.api, foreign.at(-5) ?? '', FOREIGN_MARK)
  foreign.push(sent.body.data.id, said.id)
  for (const type of resourceNames) await defineEveryType(workspace, type)
  await workspace.updateField('companies', 'my_text', { unique: true })
  const ids = await relatedRecords(workspace, valuesOfEveryType())
  const { slug, api } = workspace
  const company = ids.companies ?? ''
  const parts = { files: (await newFile(api, company)).id, comments: (await newComment(api, company)).id }
  const { cookie, oauth } = await letIn(own.url, workspace)
  return { workspace, world: { url: own.url, token: api.token, cookie, slug, ids, parts, foreign, oauth } }
}

async function letIn(url: string, workspace: TestWorkspace): Promise<Pick<World, 'cookie' | 'oauth'>> {
  const person = await signedIn(workspace, url, 'admin')
  const grant = { workspace: workspace.slug, abilities: ['read'] }
  const { client_id, code, tokens } = await tokensByHand(url, person, grant)
  const verifier = randomBytes(32).toString('base64url')
  const challenge = challengeOf(verifier)
  const asked = { client_id, state: 'xyz', code_challenge: challenge, code_challenge_method: 'S256' }
  const page = await person.open(authorizeUrl(url, asked))
  const { refresh_token } = tokens
  const oauth = {
    client_id,
    code,
    refresh_token,
    verifier,
    challenge,
    page: page.search.slice(1),
    resource: `${url}/mcp`,
  }
  return { cookie: person.browser.cookie(), oauth }
}
