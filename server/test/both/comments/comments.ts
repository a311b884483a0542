import { expect } from 'vitest'
import type { Api } from '../../api.ts'

/** Writes a comment on a record: the id of a company, or a path. */
export function sendComment(api: Api, record: string, body: string, more: object = {}) {
  return api.post(`/${record.includes('/') ? record : `companies/${record}`}/comments`, { body, ...more })
}

/** A new comment on a record. */
export async function newComment(api: Api, record: string, body = 'Hello', more: object = {}) {
  const sent = await sendComment(api, record, body, more)
  expect(sent.status, sent.text).toBe(201)
  return sent.body.data
}
