import { openAsBlob } from 'node:fs'
import { rm } from 'node:fs/promises'
import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import { setTimeout as pause } from 'node:timers/promises'
import { refuse } from '@kith/contract/refusal'
import { AwsClient } from 'aws4fetch'
import { type ContentStore, contentsIn, type Objects } from './content-store.ts'
import type { FilesPlace } from './files-url.ts'

/** How long a bucket has to begin with its response, and how long a draft may take to be sent. */
const RESPONSE_MS = 60_000
const SENDING_MS = 30 * 60_000

const TRIES = 3
const RETRY_MS = 500

export type Bucket = Extract<FilesPlace, { kind: 'bucket' }> & {
  access_key: string
  secret_key: string
  /** The folder for drafts. A request needs the length and the hash of its body before it is sent. */
  drafts: string
  onTrouble(error: unknown): void
}

/** Contents in a bucket: `<prefix><workspace>/<hash>`. */
export function bucketStore(bucket: Bucket): ContentStore {
  return contentsIn(bucketObjects(bucket), {
    keyOf: ({ workspace_id, sha256 }) => `${workspace_id}/${sha256}`,
    form: /^([0-7][0-9a-hjkmnp-tv-z]{25})\/([\da-f]{64})$/,
  })
}

/** Objects in a bucket of an S3-compatible service, below the prefix. */
export function bucketObjects({ url, prefix, region, access_key, secret_key, drafts, onTrouble }: Bucket): Objects {
  const keys = { accessKeyId: access_key, secretAccessKey: secret_key }
  const client = new AwsClient({ ...keys, service: 's3', region, retries: 0 })

  /** Repeats a request that the service could not carry out. `accepted` are the statuses that are an answer. */
  async function ask(
    path: string,
    init: RequestInit,
    accepted: readonly number[],
    ms = RESPONSE_MS,
  ): Promise<Response> {
    for (let tries = 1; ; tries++) {
      try {
        const response = await within(ms, (signal) => client.fetch(`${url}${path}`, { ...init, signal }))
        if (accepted.includes(response.status)) return response
        const text = (await response.text()).slice(0, 500)
        throw new Error(`The bucket answered ${init.method ?? 'GET'} with ${response.status}: ${text}`)
      } catch (error) {
        if (tries === TRIES) {
          onTrouble(error)
          const message = 'The place where files are stored cannot be reached at the moment. Retry shortly.'
          return refuse({ kind: 'busy', message, retry_after: 10 })
        }
        await pause(RETRY_MS * tries)
      }
    }
  }

  return {
    drafts,
    async put(key, draft) {
      const body = await openAsBlob(draft.path)
      // The service compares the hash with what it has received.
      const headers = { 'X-Amz-Content-Sha256': draft.sha256 }
      const response = await ask(`/${prefix}${key}`, { method: 'PUT', body, headers }, [200, 201, 204], SENDING_MS)
      await response.body?.cancel()
      await rm(draft.path, { force: true })
    },
    async open(key, range) {
      const headers: Record<string, string> = range ? { Range: `bytes=${range.start}-${range.end}` } : {}
      const response = await ask(`/${prefix}${key}`, { headers }, [200, 206, 404, 416])
      const { body } = response
      // The types of Node and of browsers differ.
      if (body && response.ok) return { size: sizeOf(response), bytes: Readable.fromWeb(body as ReadableStream) }
      await body?.cancel()
      return undefined
    },
    async remove(key) {
      const response = await ask(`/${prefix}${key}`, { method: 'DELETE' }, [200, 204, 404])
      await response.body?.cancel()
    },
    async *list() {
      for (let next: string | undefined = ''; next !== undefined; ) {
        const query = new URLSearchParams({ 'list-type': '2', prefix, ...(next && { 'continuation-token': next }) })
        const text = await (await ask(`?${query}`, {}, [200])).text()
        for (const [, part = ''] of text.matchAll(/<Contents>(.*?)<\/Contents>/gs)) {
          yield { key: tagIn(part, 'Key')?.slice(prefix.length) ?? '', size: Number(tagIn(part, 'Size')) }
        }
        next = tagIn(text, 'NextContinuationToken')
      }
    },
  }
}

/** The whole size of what a response has a part of. */
function sizeOf({ headers }: Response): number {
  return Number(/\/(\d+)$/.exec(headers.get('content-range') ?? '')?.[1] ?? headers.get('content-length'))
}

/** The keys that the store writes, sizes and tokens need no decoding, except of `&`. */
function tagIn(text: string, name: string): string | undefined {
  const start = text.indexOf(`<${name}>`)
  const end = text.indexOf(`</${name}>`, start)
  return start === -1 || end === -1 ? undefined : text.slice(start + name.length + 2, end).replaceAll('&amp;', '&')
}

/** Cancels work that takes too long. The body of a response may take longer. */
async function within<T>(ms: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const ending = new AbortController()
  const timer = setTimeout(() => ending.abort(new Error(`There was no response within ${ms / 1000} s.`)), ms)
  try {
    return await work(ending.signal)
  } finally {
    clearTimeout(timer)
  }
}
