import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { conditionHeaders, isCurrent, notModified, unlessCurrent } from '../calls/conditions.ts'
import type { ScopeFacts, WorkspaceFacts } from '../scope/scope.ts'
import { version } from '../version.ts'
import { openApiDocument, writeDocument } from './openapi/document.ts'
import type { AppParts } from './parts.ts'
import { addRoute, type Steps } from './pipeline.ts'
import { read, type V1Route } from './v1/record-routes.ts'
import { authorize } from './v1/register.ts'
import { refuseParameters } from './v1/requests.ts'
import { keptBytes, type StaticFile, sendKept, variesBy } from './wire/file-stream.ts'
import { sendFailure, type WireParts } from './wire/send-answer.ts'

/** Whoever may read the schema of a workspace may read its document. */
const AS_SCHEMA: V1Route = { method: 'GET', path: '/schema', handler: 'schemas', ...read }

/** The caller who sent a token, and what the request says. */
type DocumentCall = {
  facts: ScopeFacts | undefined
  request: { method: string; query: string; headers: ReturnType<typeof conditionHeaders> }
}

/** The OpenAPI document: the general one, which is public, or with a token the one of its workspace. */
export function registerOpenApi(app: FastifyInstance, parts: AppParts): void {
  const wire: WireParts = { ...parts, mediaType: 'application/json', compress: true }
  const generalAt = generalDocuments()
  const textOf = workspaceDocuments(parts.schemaFor)
  const steps: Steps<DocumentCall> = {
    wire,
    async admit({ request, reply }) {
      variesBy(reply, 'Authorization')
      if (request.headers.authorization === undefined) return
      request.admitted = await authorize(reply, AS_SCHEMA, parts)
      reply.header('Cache-Control', 'private')
    },
    call({ request }) {
      const { method, originalUrl, raw, admitted: facts } = request
      const query = originalUrl.split('?')[1] ?? ''
      if (facts) refuseParameters({ query })
      return { facts, request: { method, query, headers: conditionHeaders(raw) } }
    },
    condition: ({ facts, request }) =>
      facts && isCurrent(request, tagOf(facts)) ? notModified(tagOf(facts)) : undefined,
    async execute({ facts }, { request, reply }) {
      const server = serverOf(request, parts)
      if (facts)
        return { status: 200, body: at(server, await textOf(facts.workspace)), headers: { ETag: tagOf(facts) } }
      // The document is public, and tools in browsers read it from any origin.
      reply.header('Access-Control-Allow-Origin', '*')
      await sendKept(request, reply, generalAt(server))
      return undefined
    },
    present: (answer, { request }) => unlessCurrent(request, answer),
  }
  app.setErrorHandler((error, _request, reply: FastifyReply) => sendFailure(reply, error, wire))
  for (const url of ['/api/openapi.json', '/api/v1/openapi.json']) addRoute(app, { method: 'GET', url }, steps)
}

function tagOf({ workspace }: ScopeFacts): string {
  return `"${version}-${workspace.fields_version}"`
}

/** Its server is the address of the request. */
function serverOf(
  request: FastifyRequest,
  { default_host, api_domain }: Pick<AppParts, 'default_host' | 'api_domain'>,
): string {
  const origin = `${request.protocol}://${request.host || default_host}`
  if (api_domain === undefined) return `${origin}/api`
  const onApiDomain = request.originalUrl.startsWith('/v1/')
  return onApiDomain ? origin : `https://${api_domain}`
}

/** Stands for the server in a document that is kept. */
const HERE = 'https://here.invalid'

function at(server: string, text: string): string {
  const escaped = JSON.stringify(server).slice(1, -1)
  return text.replaceAll(HERE, () => escaped)
}

const GENERAL_MAX = 16

/** The general document by server. */
function generalDocuments(): (server: string) => StaticFile {
  const known = new Map<string, StaticFile>()
  let text: string | undefined
  return (server) => {
    text ??= JSON.stringify(openApiDocument(HERE))
    const document = known.get(server) ?? keptBytes('application/json', Buffer.from(at(server, text)))
    // Invented host names must not fill the memory.
    if (known.size >= GENERAL_MAX) known.clear()
    known.set(server, document)
    return document
  }
}

const CHARACTERS_MAX = 32_000_000

type CachedDocument = { version: number; text: Promise<string>; characters: number }

/** The texts of the documents of workspaces. Those that were used last are kept until their schema changes. */
function workspaceDocuments(schemaFor: AppParts['schemaFor']): (workspace: WorkspaceFacts) => Promise<string> {
  const known = new Map<string, CachedDocument>()
  const write = (id: string, version: number): CachedDocument => {
    const text = schemaFor({ id, fields_version: version }).then((resources) => writeDocument(HERE, resources))
    const kept: CachedDocument = { version, text, characters: 0 }
    const noteSize = ({ length }: string) => {
      kept.characters = length
      evict(known)
    }
    text.then(noteSize, () => known.get(id) === kept && known.delete(id))
    return kept
  }
  return ({ id, fields_version: version }) => {
    const before = known.get(id)
    const kept = before?.version === version ? before : write(id, version)
    known.delete(id)
    known.set(id, kept)
    return kept.text
  }
}

/** Removes what was used first, until the others have room. */
function evict(known: Map<string, CachedDocument>): void {
  let left = 0
  for (const { characters } of known.values()) left += characters
  for (const [id, { characters }] of known) {
    if (left <= CHARACTERS_MAX) return
    known.delete(id)
    left -= characters
  }
}
