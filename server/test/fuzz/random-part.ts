import { type ResourceName, resourceNames } from '@kith/contract/resource'
import { webRoutes } from '../../src/http/app/register.ts'
import { v1Routes } from '../../src/http/v1/routes.ts'
import type { Chance } from '../../src/sample/chance.ts'
import type { World } from './fuzzed-world.ts'
import { nastyJson, nastyText } from './nasty.ts'
import { recordBody } from './random-body.ts'
import { oauthPart } from './random-grant.ts'
import { randomMessage } from './random-message.ts'
import { encoded } from './random-query.ts'

/** Which protocol is spoken at an address, and so how it answers. */
export type Door = 'v1' | 'app' | 'mcp' | 'oauth' | 'other'

/** Where a request goes, before chance spoils it. */
export type Part = {
  door: Door
  method: string
  path: string
  resource: ResourceName | null
  /** What follows the question mark, if it is not random. */
  query?: string
  /** A body that could be right. */
  body(): string
  /** Whether the body is a form and no JSON. */
  form?: boolean
}

export const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'QUERY']

const OTHER_PATHS = [
  '/',
  '/docs',
  '/api',
  '/api/openapi.json',
  '/healthz',
  '/api/auth/session',
  '/api/auth/sign-in/email',
  '/api/v1',
  '/v1/companies',
  '/mcp/x',
  '/metrics',
  '/.well-known/openid-configuration',
  '/assets/x.js',
  '/%',
  '/api/v1/%e0%a4',
  '//x',
  '/api/v1/companies/',
  '/API/V1/COMPANIES',
]

export function randomPart(chance: Chance, world: World): Part {
  const kind = chance.below(24)
  if (kind === 0) return otherPart(chance)
  if (kind <= 3)
    return { door: 'mcp', method: 'POST', path: '/mcp', resource: null, body: () => randomMessage(chance, world) }
  if (kind <= 5) return oauthPart(chance, world)
  return kind <= 9 ? appPart(chance, world) : v1Part(chance, world)
}

function otherPart(chance: Chance): Part {
  return {
    door: 'other',
    method: chance.pick(METHODS),
    path: chance.pick(OTHER_PATHS),
    resource: null,
    body: () => formBody(chance),
  }
}

/** Those that would end the session with which the others are asked. */
const ENDINGS = new Set(['/sign-out', '/sessions/end-others', '/sessions/:id', '/password'])
/** A stream stays open for as long as anyone listens. */
const apps = webRoutes.filter(({ at, path }) => at !== 'stream' && !ENDINGS.has(path))

function appPart(chance: Chance, world: World): Part {
  const route = chance.pick(apps)
  const path = route.path.replace(':slug', chance.oneIn(5) ? encoded(nastyText(chance)) : world.slug)
  return {
    door: 'app',
    method: route.method,
    path: `/api/app${withIds(chance, world, path)}`,
    resource: null,
    body: () => formBody(chance),
  }
}

function v1Part(chance: Chance, world: World): Part {
  const { method, path, resource, receives } = chance.pick(v1Routes)
  const asMember = chance.oneIn(8)
  const below = asMember ? `/api/app/w/${world.slug}/v1` : '/api/v1'
  const full = below + withIds(chance, world, path, { method, resource })
  return {
    door: asMember ? 'app' : 'v1',
    method,
    path: full,
    resource,
    ...(receives === 'file' ? { query: `name=${encoded(chance.oneIn(3) ? nastyText(chance) : 'a.txt')}` } : {}),
    body: () =>
      resource === null || path.endsWith('/comments') ? formBody(chance) : recordBody(chance, world, resource, full),
  }
}

const FORM_KEYS = [
  'name',
  'email',
  'password',
  'slug',
  'ids',
  'q',
  'filter',
  'role',
  'token',
  'resource',
  'state',
  'options',
  'measure',
  'field',
  'group_by',
  'attributes',
  'type',
  'code',
  'abilities',
  'winner_id',
  'loser_ids',
  'expires',
  'title',
  'settings',
  'position',
  'query',
  'accept',
  'workspace',
  'confirm',
  'custom_fields',
  'body',
  'reply_to',
  'entity_type',
]

function formBody(chance: Chance): string {
  const pairs = Array.from({ length: 3 }, () => {
    const key = chance.pick(FORM_KEYS)
    const value = key === 'resource' && chance.oneIn(2) ? `"${chance.pick(resourceNames)}"` : nastyJson(chance)
    return `"${key}":${value}`
  })
  return `{${pairs.join(',')}}`
}

function withIds(
  chance: Chance,
  world: World,
  path: string,
  route?: { method: string; resource: ResourceName | null },
): string {
  const named = path.replace(':resource', () => chance.pick(resourceNames))
  return named.replace(/:\w+/g, () => {
    const kind = chance.below(10)
    if (kind === 0) return encoded(nastyText(chance)).slice(0, 2000)
    // Few are deleted, or soon there would be nothing left to be asked about.
    if (kind === 1 || (route?.method === 'DELETE' && !chance.oneIn(100))) return chance.pick(world.foreign)
    const [, part] = /^\/(files|comments)\//.exec(path) ?? []
    const own =
      part === 'files' || part === 'comments' ? world.parts[part] : route?.resource && world.ids[route.resource]
    const id = own && kind < 8 ? own : chance.pick(Object.values(world.ids))
    return kind === 2 ? id.toUpperCase() : id
  })
}
