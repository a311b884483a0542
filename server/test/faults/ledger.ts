import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import type { Answered, Api } from '../api.ts'

/** What is known of one record: what was answered last, and what was asked and never answered. */
export type Entry = {
  type: 'companies' | 'tasks'
  id: string
  /** The names that it may have now. One, unless a write was cut off. */
  names: Set<string>
  /** Whether it may be there, and whether it may be gone. */
  there: 'yes' | 'no' | 'open'
}

/** Writers that keep a book of every answer they got, so that others can check it afterwards. */
export type Ledger = {
  entries: Map<string, Entry>
  /** Keys of which at most one company may ever be the holder. */
  sharedKeys: readonly string[]
  /** Names of creations that were never answered: each may be there whole, or not at all. */
  openCreations: Set<string>
  answered: number
  /** Requests that were never answered. */
  unanswered: Request[]
  /** Answers that are no failure of the connection and no success. */
  wrong: string[]
  refused: number
}

/** A write with its Idempotency-Key, and what its answer tells. */
type Request = { method: string; path: string; body?: unknown; key: string; settle(answer: Answered): void }

const SHARED = ['shared-0.example', 'shared-1.example', 'shared-2.example']

export function newLedger(): Ledger {
  return {
    entries: new Map(),
    sharedKeys: SHARED,
    openCreations: new Set(),
    unanswered: [],
    answered: 0,
    wrong: [],
    refused: 0,
  }
}

/**
 * One writer: goes on until it is told to stop or the service is gone. Each step is a create, an update, a delete, an
 * upsert or a task with links.
 */
export async function writeOn(api: Api, ledger: Ledger, writer: number, going: () => boolean): Promise<void> {
  const own: Entry[] = []
  for (let step = 0; going(); step++) {
    const name = `w${writer} s${step}`
    const last = own.at(-1)
    if (step % 5 === 3 && last) await update(api, ledger, last, `${name} renamed`)
    else if (step % 5 === 4 && own.length > 2) await remove(api, ledger, own.shift())
    else if (step % 5 === 1) await upsert(api, ledger, name, SHARED[(step + writer) % SHARED.length] ?? '')
    else if (step % 5 === 2 && last) await createTask(api, ledger, name, last)
    else await createCompany(api, ledger, name, own)
  }
}

async function createCompany(api: Api, ledger: Ledger, name: string, own: Entry[]): Promise<void> {
  ledger.openCreations.add(name)
  const domain = `${name.replaceAll(' ', '-')}.example`
  const body = { name, custom_fields: { domains: [domain], icp: true } }
  await attempt(api, ledger, {
    method: 'POST',
    path: '/companies',
    body,
    settle(answer) {
      ledger.openCreations.delete(name)
      if (answer.status !== 201) return
      const entry: Entry = { type: 'companies', id: answer.body.data.id, names: new Set([name]), there: 'yes' }
      ledger.entries.set(entry.id, entry)
      own.push(entry)
    },
  })
}

async function createTask(api: Api, ledger: Ledger, title: string, company: Entry): Promise<void> {
  const body = { title, company_ids: [company.id], custom_fields: { status: 'To do', description: title } }
  await attempt(api, ledger, {
    method: 'POST',
    path: '/tasks',
    body,
    settle(answer) {
      if (answer.status !== 201) return
      const { id } = answer.body.data
      ledger.entries.set(id, { type: 'tasks', id, names: new Set([title]), there: 'yes' })
    },
  })
}

async function upsert(api: Api, ledger: Ledger, name: string, value: string): Promise<void> {
  const body = { name, match: { field: 'domains', value } }
  await attempt(api, ledger, { method: 'POST', path: '/companies/upsert', body, settle() {} })
}

async function update(api: Api, ledger: Ledger, entry: Entry, name: string): Promise<void> {
  entry.names.add(name)
  await attempt(api, ledger, {
    method: 'PUT',
    path: `/companies/${entry.id}`,
    body: { name },
    settle(answer) {
      if (answer.status === 200) entry.names = new Set([name])
      else entry.names.delete(name)
    },
  })
}

async function remove(api: Api, ledger: Ledger, entry: Entry | undefined): Promise<void> {
  if (!entry) return
  entry.there = 'open'
  await attempt(api, ledger, {
    method: 'DELETE',
    path: `/companies/${entry.id}`,
    settle(answer) {
      entry.there = answer.status === 204 ? 'no' : 'yes'
    },
  })
}

async function attempt(api: Api, ledger: Ledger, request: Omit<Request, 'key'>): Promise<void> {
  const keyed = { ...request, key: randomUUID() }
  const answer = await sent(ledger, () => send(api, keyed))
  if (answer) keyed.settle(answer)
  else ledger.unanswered.push(keyed)
}

function send(api: Api, { method, path, body, key }: Request): Promise<Answered> {
  const text = body === undefined ? undefined : JSON.stringify(body)
  return api.send(method, path, text, { headers: { 'Idempotency-Key': key } })
}

/**
 * Repeats every request that was never answered, with its key, twice: whether it was done before or is done now, both
 * answers are the same, so that it took effect once. Returns how many were done before.
 */
export async function repeatUnanswered(api: Api, ledger: Ledger): Promise<number> {
  let done = 0
  for (const request of ledger.unanswered.splice(0)) {
    const answer = await send(api, request)
    expect(answer.status, answer.text).toBeLessThan(300)
    if (answer.headers.get('idempotent-replayed') === 'true') done++
    const again = await send(api, request)
    expect([again.status, again.text]).toEqual([answer.status, answer.text])
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    request.settle(answer)
  }
  return done
}

/**
 * Undefined when the answer never came, or says that the outcome is unknown. A 503 that says when to come back
 * has done nothing.
 */
async function sent(ledger: Ledger, send: () => Promise<Answered>): Promise<Answered | undefined> {
  let answer: Answered
  try {
    answer = await send()
  } catch {
    // The service has time to go, and the writer to see that it is to stop.
    await new Promise((resolve) => setTimeout(resolve, 5))
    return undefined
  }
  if (answer.status === 503) {
    ledger.refused++
    if (answer.headers.get('Retry-After') === null) return undefined
    await new Promise((resolve) => setTimeout(resolve, 20))
  } else if (answer.status < 300) ledger.answered++
  else ledger.wrong.push(`${answer.status} ${answer.text}`)
  return answer
}
