import { describe, expect, it } from 'vitest'
import type { Answer } from './answer.ts'
import type { Call } from './call.ts'
import { keepingAnswers } from './kept-answers.ts'

type Asked = {
  standing?: number | string | null
  user?: string
  query?: string
  text?: string | null
  readable?: boolean
}

function listCall(asked: Asked = {}, handler: 'list' | 'query' | 'read' = 'list'): Call {
  const { standing = 1, user = 'u', query = '', text = null, readable = true } = asked
  const workspace = { id: 'w', slug: 'w', name: 'W', fields_version: 1 }
  const actor = { user_id: user, role: 'owner', abilities: ['read'], token_id: 't', door: 'api' } as const
  const request = {
    handler,
    resource: 'companies',
    id: null,
    path: 'http://localhost/companies',
    query,
    body: { text, readable },
  } as const
  return { request_id: 'r', lane: 'read', standing, surface: 'v1', facts: { workspace, actor }, request }
}

/** Answers with a number that counts the calls. */
function counting(answer: (n: number) => Answer = (n) => ({ status: 200, body: String(n) })) {
  let calls = 0
  let time = 0
  const perform = keepingAnswers(
    async () => answer(++calls),
    () => new Date(time),
  )
  const ask = async (call: Call) => (await perform(call)).body
  const later = (ms: number) => {
    time += ms
  }
  return { ask, later }
}

describe('an answer that is kept', () => {
  it('is given again as long as the database stands as it stood', async () => {
    const { ask } = counting()
    expect([await ask(listCall()), await ask(listCall())]).toEqual(['1', '1'])
    expect([await ask(listCall({ standing: 2 })), await ask(listCall({ standing: 2 }))]).toEqual(['2', '2'])
    expect(await ask(listCall())).toBe('3')
  })

  it('is shared by those who ask at the same time', async () => {
    const { ask } = counting()
    expect(await Promise.all([ask(listCall()), ask(listCall()), ask(listCall())])).toEqual(['1', '1', '1'])
  })

  it.each<[string, Call]>([
    ['another user', listCall({ user: 'v' })],
    ['another query string', listCall({ query: 'page=2' })],
    ['another handler', listCall({}, 'query')],
    ['another body', listCall({ text: '{}' })],
    ['a body that cannot be read', listCall({ readable: false })],
  ])('is not for %s', async (_, other) => {
    const { ask } = counting()
    expect([await ask(listCall()), await ask(other)]).toEqual(['1', '2'])
  })

  it.each<[string, Call]>([
    ['a single record', listCall({}, 'read')],
    ['a database that does not tell how it stands', listCall({ standing: null })],
  ])('there is none of %s', async (_, call) => {
    const { ask } = counting()
    expect([await ask(call), await ask(call)]).toEqual(['1', '2'])
  })

  it('is none that tells of a failure, which each caller is told by itself', async () => {
    const { ask } = counting((n) => ({ status: n === 1 ? 503 : 200, body: String(n) }))
    expect(await Promise.all([ask(listCall()), ask(listCall())])).toEqual(['1', '2'])
    expect(await ask(listCall())).toBe('3')
  })

  it('is forgotten after a minute, and when there are too many', async () => {
    const { ask, later } = counting((n) => ({ status: 200, body: `${n} ${'x'.repeat(3 * 1024 * 1024)}` }))
    const first = async (call: Call) => (await ask(call))?.split(' ')[0]
    expect(await first(listCall())).toBe('1')
    later(61_000)
    expect(await first(listCall())).toBe('2')
    expect(await first(listCall({ query: 'page=2' }))).toBe('3')
    expect(await first(listCall())).toBe('4')
  })
})
