import { request } from 'node:http'
import type { Answered } from './api.ts'

export type PlainRequest = {
  method?: string
  headers?: Readonly<Record<string, string>>
  body?: string | Buffer
}

/** A request that says exactly what it is told to, headers that `fetch` keeps to itself included. */
export function plainRequest(
  url: string,
  { method = 'GET', headers = {}, body }: PlainRequest = {},
): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers, agent: false }, async (response) => {
      const text = (await response.setEncoding('utf8').toArray()).join('')
      const answered = new Headers()
      for (const [name, value] of Object.entries(response.headers)) answered.set(name, String(value))
      resolve({
        status: response.statusCode ?? 0,
        headers: answered,
        text,
        body: text === '' ? undefined : JSON.parse(text),
      })
    })
    sent.on('error', reject)
    sent.end(body)
  })
}
