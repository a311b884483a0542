import { newId } from '@kith/contract/id'
import { CLIENT_BODY_MAX_BYTES, CLIENT_DOCUMENT_MINUTES, LINK_MAX } from '@kith/contract/limits'
import { isObject, parseJson } from '@kith/contract/raw-input'
import type { Runtime } from '../../scope/scope.ts'
import { findClient, putDocumentClient } from '../../storage/tables/connections.ts'
import { metadataProblem } from './client-metadata.ts'
import { isRedirectUri, REDIRECTS_ACCEPTED } from './redirects.ts'

type DocumentParts = Pick<Runtime, 'engine' | 'now'> & {
  /** Reads a URL that a stranger has chosen, or says in a word why not. */
  read(url: string): Promise<{ body: string; error?: undefined } | { error: string }>
  /** Every document that is read counts as a registration. */
  spend(clientAddress: string): Promise<void>
}

/** A client that names itself by a URL, and where its request comes from. */
type Naming = { client_id: string; clientAddress: string }

/** Clients that are described by the document at the URL that is their ID. */
export type ClientDocuments = {
  /** Stores what the document says, unless it was read a short time ago. Returns what is wrong with it. */
  learn(naming: Naming): Promise<string | undefined>
}

const FRESH_MS = CLIENT_DOCUMENT_MINUTES * 60_000

export function clientDocuments({ engine, now, read, spend }: DocumentParts): ClientDocuments {
  return {
    async learn({ client_id, clientAddress }) {
      const at = now()
      const known = await findClient(engine.db, client_id)
      if (known && at.getTime() - new Date(known.created_at).getTime() < FRESH_MS) return undefined
      await spend(clientAddress)
      const reading = await read(client_id)
      if (reading.error !== undefined) return unreadable(reading.error)
      const document = parseDocument(reading.body, client_id)
      if (typeof document === 'string') return document
      await putDocumentClient(engine.single, {
        ...{ id: newId(at.getTime()), client_id, created_at: at.toISOString() },
        ...document,
      })
      return undefined
    },
  }
}

/** Whether a client ID is the URL of a document. Without TLS only the operator's own hosts can be read. */
export function isDocumentUrl(clientId: string): boolean {
  const url = /^https?:/.test(clientId) && clientId.length <= LINK_MAX ? URL.parse(clientId) : null
  // In its normal form there are no dots in the path and no other spellings of the host.
  if (url === null || url.href !== clientId || clientId.includes('#')) return false
  return url.pathname !== '/' && url.username === '' && url.password === ''
}

/** Strangers learn nothing about the network: whether there is such a host, and where. */
function unreadable(error: string): string {
  if (error === 'status') return 'The document at the client_id must have the status 200. Redirects are not followed.'
  if (error === 'type') return 'The document at the client_id must have the media type application/json.'
  if (error === 'too_large') return `The document at the client_id must have at most ${CLIENT_BODY_MAX_BYTES} bytes.`
  return 'The document at the client_id cannot be read.'
}

type ClientDocument = { name: string | null; uri: string | null; redirect_uris: string }

/** What the document says about the client, or the problem. */
function parseDocument(body: string, url: string): ClientDocument | string {
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
