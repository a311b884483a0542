import { lengthOf } from '@kith/contract/fold'
import { newId } from '@kith/contract/id'
import {
  CLIENT_BODY_MAX_BYTES,
  CLIENT_DOCUMENT_MINUTES,
  CLIENT_LIST_MAX,
  CLIENT_NAME_MAX,
  LINK_MAX,
} from '@kith/contract/limits'
import { isObject, parseJson } from '@kith/contract/raw-input'
import type { Runtime } from '../../scope/scope.ts'
import { findClient, putDocumentClient } from '../../storage/tables/connections.ts'
import { isRedirectUri, REDIRECTS_ACCEPTED } from './plugin.ts'

/** The address and the cookies of a request to register. */
export type RegistrationOrigin = { address: string; cookie: string | undefined }

/** Clients whose ID is the URL of a document that describes them. */
export type ClientDocuments = {
  /**
   * Stores the client that the document describes, unless it was read recently. Returns the problem with the document.
   */
  learn(naming: RegistrationOrigin & { client_id: string }): Promise<string | undefined>
}

const FRESH_MS = CLIENT_DOCUMENT_MINUTES * 60_000

export function clientDocuments({
  engine,
  now,
  read,
  spend,
}: Pick<Runtime, 'engine' | 'now'> & {
  /** Fetches a URL that an anonymous caller has chosen, or returns a short reason for the failure. */
  read(url: string): Promise<{ body: string; error?: undefined } | { error: string }>
  /** Every document that is read counts as a registration. */
  spend(caller: RegistrationOrigin): Promise<void>
}): ClientDocuments {
  return {
    async learn({ client_id, ...caller }) {
      const at = now()
      const known = await findClient(engine.db, client_id)
      if (known && at.getTime() - new Date(known.created_at).getTime() < FRESH_MS) return undefined
      await spend(caller)
      const reading = await read(client_id)
      if (reading.error !== undefined) return unreadable(reading.error)
      const document = parseDocument(reading.body, client_id)
      if (typeof document === 'string') return document
      await putDocumentClient(engine.single, {
        id: newId(at.getTime()),
        client_id,
        created_at: at.toISOString(),
        ...document,
      })
      return undefined
    },
  }
}

/** Whether a client ID is the URL of a document. Without TLS only the operator's own hosts can be read. */
export function isDocumentUrl(clientId: string): boolean {
  const url = /^https?:/.test(clientId) && clientId.length <= LINK_MAX ? URL.parse(clientId) : null
  // In normal form, the path has no dot segments and the host has one spelling.
  if (url === null || url.href !== clientId || clientId.includes('#')) return false
  return url.pathname !== '/' && url.username === '' && url.password === ''
}

/** Anonymous callers must not learn about the network: neither whether a host exists nor its address. */
function unreadable(error: string): string {
  if (error === 'status') return 'The document at the client_id must have the status 200. Redirects are not followed.'
  if (error === 'type') return 'The document at the client_id must have the media type application/json.'
  if (error === 'too_large') return `The document at the client_id must have at most ${CLIENT_BODY_MAX_BYTES} bytes.`
  return 'The document at the client_id cannot be read.'
}

/** The client that the document describes, or the problem with the document. */
function parseDocument(
  body: string,
  url: string,
): { name: string | null; uri: string | null; redirect_uris: string } | string {
  const metadata = parseJson(body)
  if (!isObject(metadata)) return 'The document at the client_id must be a JSON object.'
  const { client_id, client_name, client_uri, redirect_uris, token_endpoint_auth_method = 'none' } = metadata
  if (client_id !== url) return 'The client_id in the document must be the URL of the document.'
  if (token_endpoint_auth_method !== 'none' || 'client_secret' in metadata) {
    return 'The token_endpoint_auth_method in the document must be none: clients have no secret.'
  }
  if (!Array.isArray(redirect_uris) || redirect_uris.length === 0 || !redirect_uris.every(isRedirectUri)) {
    return `The redirect_uris in the document must be a list of addresses. Accepted: ${REDIRECTS_ACCEPTED}.`
  }
  return (
    metadataProblem(body) ?? {
      name: textOf(client_name),
      uri: textOf(client_uri),
      redirect_uris: JSON.stringify(redirect_uris),
    }
  )
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value.trim() !== '' ? value : null
}

/** Control and format characters (direction marks among them): a name could imitate another one on the consent page. */
const INVISIBLE = /[\p{Cc}\p{Cf}]/u

/** Problems in the metadata of a new client that better-auth does not check. */
export function metadataProblem(body: string): string | undefined {
  const metadata = parseJson(body)
  // better-auth reports all other problems.
  if (!isObject(metadata)) return undefined
  for (const [key, value] of Object.entries(metadata)) {
    const problem = valueProblem(key, value)
    if (problem !== undefined) return `The ${key.replaceAll(/[^\w-]/g, '?').slice(0, 50)} ${problem}.`
  }
  return undefined
}

function valueProblem(key: string, value: unknown): string | undefined {
  if (typeof value === 'string') return textProblem(value, key === 'client_name' ? CLIENT_NAME_MAX : LINK_MAX)
  if (!Array.isArray(value)) return undefined
  if (value.length > CLIENT_LIST_MAX) return `must not have more than ${CLIENT_LIST_MAX} items`
  for (const item of value) {
    const problem = typeof item === 'string' ? textProblem(item, LINK_MAX) : undefined
    if (problem !== undefined) return problem
  }
  return undefined
}

function textProblem(text: string, max: number): string | undefined {
  if (lengthOf(text) > max) return `must not be greater than ${max} characters`
  return INVISIBLE.test(text)
    ? 'must not contain control characters, direction marks or other invisible characters'
    : undefined
}
