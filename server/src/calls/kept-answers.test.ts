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

function listCall(asked: Asked = {}, handler: 'list' | 'query' | 'user' = 'list'): Call {
  const { standing = 1, user = 'u', query = '', text = null, readable = true } = asked
  const workspace = { id: 'w', slug: 'w', name: 'W', fields_version: 1 }
  const actor = { user_id: user, role: 'owner', abilities: ['read'], token_id: 't', source: 'api' } as const
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
  const thrice = async (call: Call) => [await ask(call), await ask(call), await ask(call)]
  return { ask, thrice, later }
}

describe('an answer that is kept', () => {
  it('is given again as long as the database stands as it stood', async () => {
    const { ask, thrice } = counting()
    expect(await thrice(listCall())).toEqual(['1', '2', '2'])
    expect(await thrice(listCall({ standing: 2 }))).toEqual(['3', '4', '4'])
    expect(await ask(listCall())).toBe('5')
  })

  it('is shared by those who ask at the same time', async () => {
    const { ask } = counting()
    expect(await Promise.all([1, 2, 3, 4].map(() => ask(listCall())))).toEqual(['1', '2', '2', '2'])
  })

  it.each<[string, Call]>([
    ['another user', listCall({ user: 'v' })],
    ['another query string', listCall({ query: 'page=2' })],
    ['another handler', listCall({}, 'query')],
    ['another body', listCall({ text: '{}' })],
    ['a body that cannot be read', listCall({ readable: false })],
  ])('is not for %s', async (_, other) => {
    const { ask, thrice } = counting()
    expect(await thrice(listCall())).toEqual(['1', '2', '2'])
    expect(await ask(other)).toBe('3')
  })

  it.each<[string, Call]>([
    ['what is told of the caller', listCall({}, 'user')],
    ['a database that does not tell how it stands', listCall({ standing: null })],
  ])('there is none of %s', async (_, call) => {
    const { thrice } = counting()
    expect(await thrice(call)).toEqual(['1', '2', '3'])
  })

  it('is none that tells of a failure, which each caller is told by itself', async () => {
    const { ask } = counting((n) => ({ status: n === 2 ? 503 : 200, body: String(n) }))
    expect(await Promise.all([1, 2, 3].map(() => ask(listCall())))).toEqual(['1', '2', '3'])
    expect(await ask(listCall())).toBe('4')
  })

  it('is forgotten after a minute, and when there are too many', async () => {
    const { thrice, later } = counting((n) => ({ status: 200, body: `${n} ${'x'.repeat(3 * 1024 * 1024)}` }))
    const numbers = async (call: Call) => (await thrice(call)).map((body) => body?.split(' ')[0])
    expect(await numbers(listCall())).toEqual(['1', '2', '2'])
    later(61_000)
    expect(await numbers(listCall())).toEqual(['3', '3', '3'])
    expect(await numbers(listCall({ query: 'page=2' }))).toEqual(['4', '5', '6'])
    expect(await numbers(listCall())).toEqual(['7', '8', '8'])
  })
})
