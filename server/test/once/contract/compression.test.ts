import { request } from 'node:http'
import { gunzipSync } from 'node:zlib'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Api } from '../../api.ts'
import { signedInMember } from '../../browser.ts'
import { newWorkspace, type TestWorkspace } from '../../workspace.ts'

let workspace: TestWorkspace
beforeAll(async () => {
  workspace = await newWorkspace()
  for (let i = 0; i < 10; i++) await workspace.api.post('/companies', { name: `Acme ${i}` })
})

type Raw = { status: number | undefined; headers: Record<string, unknown>; bytes: Buffer }

function rawly({ base, token }: Api, path: string, encodings?: string): Promise<Raw> {
  const headers = { Authorization: `Bearer ${token}`, ...(encodings ? { 'Accept-Encoding': encodings } : {}) }
  return new Promise((resolve, reject) => {
    request(base + path, { headers, agent: false }, async (response) => {
      const bytes = Buffer.concat(await response.toArray())
      resolve({ status: response.statusCode, headers: response.headers, bytes })
    })
      .on('error', reject)
      .end()
  })
}

describe('gzip for responses over 1 KB when the client accepts it', () => {
  it.each(['gzip', 'br, gzip;q=0.5', 'GZIP'])('with Accept-Encoding: %s', async (encodings) => {
    const plain = await rawly(workspace.api, '/companies')
    const { status, headers, bytes } = await rawly(workspace.api, '/companies', encodings)
    expect([status, headers['content-encoding'], headers.vary]).toEqual([200, 'gzip', 'Accept-Encoding'])
    expect(headers['content-type']).toBe('application/vnd.api+json')
    expect(headers['content-length']).toBe(String(bytes.length))
    expect(bytes.length).toBeLessThan(plain.bytes.length / 3)
    expect(gunzipSync(bytes)).toEqual(plain.bytes)
  })

  it.each([undefined, 'identity', 'br', 'gzip;q=0', 'deflate, gzip; q=0.0'])('not with %s', async (encodings) => {
    const { headers, bytes } = await rawly(workspace.api, '/companies', encodings)
    expect([headers['content-encoding'], headers.vary]).toEqual([undefined, 'Accept-Encoding'])
    expect(JSON.parse(bytes.toString()).data).toHaveLength(10)
  })

  it('not below 1 KB; refusals as well as successes', async () => {
    const small = await rawly(workspace.api, '/user', 'gzip')
    expect([small.headers['content-encoding'], small.headers.vary]).toEqual([undefined, undefined])
    const many = Array.from({ length: 30 }, (_, index) => `unknown_parameter_${index}=1`).join('&')
    const refused = await rawly(workspace.api, `/companies?${many}`, 'gzip')
    expect([refused.status, refused.headers['content-encoding']]).toEqual([422, 'gzip'])
    expect(Object.keys(JSON.parse(gunzipSync(refused.bytes).toString()).errors)).toHaveLength(30)
  })

  it('the records of the application too, but not its other answers and no stream of events', async () => {
    const { browser } = await signedInMember(workspace, 'member')
    const at = new URL(`/api/app/w/${workspace.slug}/`, workspace.api.base).href
    const encodingOf = (path: string) =>
      new Promise((resolve, reject) => {
        const headers = { Cookie: browser.cookie(), 'Accept-Encoding': 'gzip' }
        request(at + path, { headers, agent: false }, (response) => {
          resolve([response.statusCode, response.headers['content-encoding']])
          response.destroy()
        })
          .on('error', reject)
          .end()
      })
    expect(await encodingOf('v1/companies')).toEqual([200, 'gzip'])
    expect(await encodingOf('fields')).toEqual([200, undefined])
    expect(await encodingOf('events')).toEqual([200, undefined])
  })
})
