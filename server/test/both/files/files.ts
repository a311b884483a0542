import { createHash } from 'node:crypto'
import { expect } from 'vitest'
import type { Answered, Api } from '../../api.ts'
import type { TestWorkspace } from '../../workspace.ts'

export const sha256 = (bytes: string | Uint8Array) => createHash('sha256').update(bytes).digest('hex')

/** A record of a resource. */
export async function newRecord({ api }: Pick<TestWorkspace, 'api'>, resource = 'companies'): Promise<string> {
  const label = resource === 'tasks' || resource === 'notes' ? 'title' : 'name'
  const made = await api.post(`/${resource}`, { [label]: 'With files' })
  expect(made.status, made.text).toBe(201)
  return made.body.data.id
}

/** Sends a file. The name is written into the query string as it is. */
export function sendFile(
  api: Api,
  record: string,
  name: string,
  { bytes = 'content', ...headers }: { bytes?: string | Uint8Array } & Record<string, string | Uint8Array> = {},
): Promise<Answered> {
  const path = `/${record.includes('/') ? record : `companies/${record}`}/files?name=${encodeURIComponent(name)}`
  const type = { 'Content-Type': 'text/plain' }
  // Only the bytes are no text.
  return api.send('POST', path, bytes, { headers: { ...type, ...(headers as Record<string, string>) } })
}

/** A new file of a record. */
export async function newFile(api: Api, record: string, name = 'offer.txt', bytes: string | Uint8Array = 'content') {
  const sent = await sendFile(api, record, name, { bytes })
  expect(sent.status, sent.text).toBe(201)
  return sent.body.data
}
