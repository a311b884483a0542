import { gzipSync } from 'node:zlib'
import { fieldTypeNames } from '@kith/contract/field-type'
import { registry } from '@kith/contract/registry'
import { includeNames, type ResourceName, resourceNames } from '@kith/contract/resource'
import { v1Routes } from '../../src/http/v1-routes.ts'
import { webRoutes } from '../../src/http/web/routes.ts'
import type { Chance } from '../../src/sample/chance.ts'
import { codeOf } from '../derived/full-records.ts'
import { samples } from '../field-samples.ts'
import { nastyJson, nastyName, nastyText } from './nasty.ts'

/** Whom requests come from, and what there is to be found. */
export type World = {
  token: string
  cookie: string
  slug: string
  ids: Readonly<Record<string, string>>
  /** Ids of another workspace, which nobody here may learn anything about. */
  foreign: readonly string[]
}

export type Fuzzed = { line: string; bytes: Buffer; headOnly: boolean; broken: boolean; path: string }

type Part = { method: string; path: string; resource: ResourceName | null; app: boolean }

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'QUERY']
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
  '/mcp',
  '/metrics',
  '/.well-known/openid-configuration',
  '/assets/x.js',
  '/%',
  '/api/v1/%e0%a4',
  '//x',
  '/api/v1/companies/',
  '/API/V1/COMPANIES',
]
/** Those that would end the session with which the others are asked. */
const ENDINGS = new Set(['/sign-out', '/sessions/end-others', '/sessions/:id', '/password'])
/** A stream stays open for as long as anyone listens. */
const apps = webRoutes.filter(({ at, path }) => at !== 'stream' && !ENDINGS.has(path))

/** The next request of a seed. */
export function randomRequest(chance: Chance, world: World): Fuzzed {
  const part = randomPart(chance, world)
  const method = chance.oneIn(12) ? chance.pick(METHODS) : part.method
  const query = chance.oneIn(part.method === 'GET' ? 2 : 6) ? randomQuery(chance, world, part.resource) : ''
  const body =
    ['GET', 'HEAD', 'DELETE', 'OPTIONS', 'TRACE'].includes(method) && !chance.oneIn(10)
      ? undefined
      : randomBody(chance, world, part)
  const target = part.path + (query === '' ? '' : `?${query}`)
  const headers = randomHeaders(chance, world, part, body)
  const line = `${method} ${target} HTTP/1.1`
  const head = Buffer.from(`${line}\r\n${headers.join('\r\n')}\r\n\r\n`, 'latin1')
  return {
    line: line.slice(0, 500),
    bytes: body ? Buffer.concat([head, body]) : head,
    headOnly: method === 'HEAD',
    broken: false,
    path: part.path,
  }
}

function randomPart(chance: Chance, world: World): Part {
  if (chance.oneIn(25))
    return { method: chance.pick(METHODS), path: chance.pick(OTHER_PATHS), resource: null, app: false }
  if (chance.oneIn(6)) {
    const route = chance.pick(apps)
    const path = route.path.replace(':slug', chance.oneIn(5) ? encoded(nastyText(chance)) : world.slug)
    return { method: route.method, path: `/api/app${withIds(chance, world, path)}`, resource: null, app: true }
  }
  const route = chance.pick(v1Routes)
  const below = chance.oneIn(8) ? `/api/app/w/${world.slug}/v1` : '/api/v1'
  return {
    method: route.method,
    path: below + withIds(chance, world, route.path, route),
    resource: route.resource,
    app: below !== '/api/v1',
  }
}

function withIds(
  chance: Chance,
  world: World,
  path: string,
  route?: { method: string; resource: ResourceName | null },
): string {
  return path.replace(/:\w+/g, () => {
    const kind = chance.below(10)
    if (kind === 0) return encoded(nastyText(chance)).slice(0, 2000)
    // Few are deleted, or soon there would be nothing left to be asked about.
    if (kind === 1 || (route?.method === 'DELETE' && !chance.oneIn(100))) return chance.pick(world.foreign)
    const own = route?.resource && world.ids[route.resource]
    const id = own && kind < 8 ? own : chance.pick(Object.values(world.ids))
    return kind === 2 ? id.toUpperCase() : id
  })
}

function encoded(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replaceAll('.', '%2e')
}

const PARAMETERS = [
  'per_page',
  'page',
  'cursor',
  'sort',
  'include',
  'fields',
  'fields[people]',
  'fields[users]',
  'filter',
  'entity_type',
  'include[]',
  'q',
  '__proto__',
  'filter[__proto__][x]',
  'filter[constructor]',
  'fields[__proto__]',
]
const OPERATORS = [
  '$eq',
  '$contains',
  '$is_empty',
  '$gt',
  '$gte',
  '$lt',
  '$lte',
  '$has_any',
  '$has_none',
  '$in',
  '$not_in',
  '$and',
  '$or',
  '$not',
  'eq',
  '$',
  '',
]

function randomQuery(chance: Chance, world: World, resource: ResourceName | null): string {
  const pairs = Array.from({ length: 1 + chance.below(4) }, () => {
    if (chance.oneIn(2)) return `${filterName(chance, resource)}=${value(chance, world, resource)}`
    const name = chance.pick(PARAMETERS)
    const given = chance.oneIn(3) ? goodValue(chance, name, resource) : value(chance, world, resource)
    return `${chance.oneIn(4) ? encoded(name) : name}=${given}`
  })
  return chance.oneIn(20)
    ? pairs.join('&').replaceAll('=', chance.pick(['', '==', '%3d', '&']))
    : pairs.join(chance.oneIn(20) ? '&&' : '&')
}

function goodValue(chance: Chance, name: string, resource: ResourceName | null): string {
  if (name === 'per_page' || name === 'page') return chance.pick(['1', '5', '100', '0', '101', '1e2', '9'.repeat(30)])
  if (name === 'cursor') return chance.pick(['true', 'e30', 'eyJhIjoxfQ.x', 'a'.repeat(500)])
  if (name.startsWith('include')) return resource ? chance.pick(includeNames(registry[resource])) : 'creator'
  if (name === 'sort')
    return chance.pick([
      'name',
      '-created_at',
      `custom_fields.${codeOf('number')}`,
      `-${codeOf('select')}`,
      'updated_at,name',
      '-',
    ])
  return chance.pick(['name', 'title', `custom_fields.${codeOf('text')}`, 'created_at'])
}

function filterName(chance: Chance, resource: ResourceName | null): string {
  const part = () => `[${chance.oneIn(6) ? encoded(nastyName(chance)) : chance.pick(filterKeys(chance, resource))}]`
  const depth = chance.oneIn(30) ? chance.pick([20, 200, 3000]) : chance.below(4)
  const middle = Array.from({ length: depth }, part).join('')
  const name = `filter${middle}[${chance.pick(OPERATORS)}]${chance.oneIn(5) ? '[]' : ''}${chance.oneIn(8) ? '[0]' : ''}`
  return chance.oneIn(20) ? name.replace(']', '') : name
}

function filterKeys(chance: Chance, resource: ResourceName | null): string[] {
  const relations = resource ? Object.keys(registry[resource].relations) : []
  return [
    'name',
    'title',
    'created_at',
    'creator',
    'custom_fields',
    codeOf(chance.pick(fieldTypeNames)),
    '$and',
    '$or',
    '$not',
    '0',
    '1',
    'domain',
    ...relations,
  ]
}

function value(chance: Chance, world: World, resource: ResourceName | null): string {
  const kind = chance.below(8)
  if (kind === 0) return chance.pick(Object.values(world.ids))
  if (kind === 1) return chance.pick(world.foreign)
  if (kind === 2) return chance.pick(['%', '%zz', '%c3%28', '%00', '%ff', '%ed%a0%80', '+', '%2b'])
  if (kind === 3) return goodValue(chance, chance.pick(PARAMETERS), resource)
  return encoded(nastyText(chance))
}

function randomBody(chance: Chance, world: World, part: Part): Buffer {
  const kind = chance.below(24)
  if (kind === 0) return Buffer.from(Array.from({ length: chance.below(200) }, () => chance.below(256)))
  if (kind === 1) return Buffer.from(nastyJson(chance))
  if (kind === 2) return gzipSync(Buffer.alloc(chance.pick([10, 100_000, 10_000_000])))
  if (kind === 3) return Buffer.alloc(chance.pick([1, 262_145, 1_048_577]), 0x20)
  const text =
    part.resource === null
      ? `{${Array.from({ length: 3 }, () => `"${chance.pick(['name', 'email', 'password', 'slug', 'ids', 'q', 'filter', 'role', 'token'])}":${nastyJson(chance)}`).join(',')}}`
      : recordBody(chance, world, part.resource, part.path)
  const bytes = Buffer.from(text)
  if (chance.oneIn(10) && bytes.length > 2) bytes.writeUInt8(chance.below(256), chance.below(bytes.length))
  return chance.oneIn(15) ? bytes.subarray(0, chance.below(bytes.length)) : bytes
}

function recordBody(chance: Chance, world: World, resource: ResourceName, path: string): string {
  const pairs: [string, string][] = []
  const put = (key: string, good: unknown) =>
    pairs.push([key, chance.oneIn(12) ? nastyJson(chance) : JSON.stringify(good)])
  if (path.endsWith('/query')) {
    put('filter', JSON.parse('{}'))
    pairs.push(['filter', randomFilter(chance, world, resource, 0)])
    if (chance.oneIn(2)) put('sort', chance.pick(['name', '-created_at', codeOf('number')]))
    if (chance.oneIn(3)) put('cursor', 'true')
    if (chance.oneIn(3)) put('include', includeNames(registry[resource]))
  } else {
    const { label, references, links } = registry[resource]
    if (!chance.oneIn(8)) put(label, `Fuzz ${chance.below(1000)}`)
    if (path.endsWith('/upsert'))
      put('match', { field: chance.pick(['domains', 'emails', codeOf('text')]), value: nastyText(chance) })
    for (const key of [...Object.keys(references), ...Object.keys(links)]) {
      if (chance.oneIn(3))
        put(
          key,
          chance.oneIn(2)
            ? [chance.pick(Object.values(world.ids))]
            : chance.pick([...world.foreign, ...Object.values(world.ids)]),
        )
    }
    const values = fieldTypeNames
      .filter(() => chance.oneIn(5))
      .map((type) => {
        const good = JSON.stringify(samples[type][chance.pick(['one', 'other'] as const)])
        return `${JSON.stringify(chance.oneIn(15) ? nastyName(chance) : codeOf(type))}:${chance.oneIn(6) ? nastyJson(chance) : good}`
      })
    pairs.push(['custom_fields', `{${values.join(',')}}`])
  }
  if (chance.oneIn(10)) pairs.push([nastyName(chance), nastyJson(chance)])
  if (chance.oneIn(12)) pairs.push(...pairs.slice(0, 1))
  return `{${pairs.map(([key, text]) => `${JSON.stringify(key)}:${text}`).join(',')}}`
}

function randomFilter(chance: Chance, world: World, resource: ResourceName, depth: number): string {
  const key = chance.pick(filterKeys(chance, resource))
  if (depth > 5 || chance.oneIn(10)) return nastyJson(chance)
  if (key === '$and' || key === '$or')
    return `{"${key}":[${randomFilter(chance, world, resource, depth + 1)},${randomFilter(chance, world, resource, depth + 1)}]}`
  if (key === '$not') return `{"$not":${randomFilter(chance, world, resource, depth + 1)}}`
  if (key in registry[resource].relations && chance.oneIn(2))
    return `{"${key}":${randomFilter(chance, world, chance.pick(resourceNames), depth + 1)}}`
  const operand = chance.oneIn(3) ? JSON.stringify([chance.pick(world.foreign), nastyText(chance)]) : nastyJson(chance)
  const operators = `{"${chance.pick(OPERATORS)}":${operand}}`
  return key.startsWith('my_') ? `{"custom_fields":{"${key}":${operators}}}` : `{${JSON.stringify(key)}:${operators}}`
}

function randomHeaders(chance: Chance, world: World, part: Part, body: Buffer | undefined): string[] {
  const headers = [
    `Host: ${chance.oneIn(30) ? chance.pick(['evil.example', 'a'.repeat(300), '[::1]', 'x:99999', '']) : 'localhost'}`,
  ]
  if (part.app) headers.push('X-Kith-App: 1', ...(chance.oneIn(4) ? [] : [`Cookie: ${world.cookie}`]))
  else if (!chance.oneIn(20)) headers.push(`Authorization: Bearer ${world.token}`)
  else
    headers.push(
      `Authorization: ${chance.pick(['Bearer', 'Bearer x', 'Basic YTpi', `Bearer kith_${'a'.repeat(46)}`, `bearer  ${world.token}  `, 'Bearer \xff'])}`,
    )
  if (body) {
    headers.push(`Content-Length: ${body.length}`)
    if (!chance.oneIn(15))
      headers.push(
        `Content-Type: ${chance.oneIn(12) ? chance.pick(['text/plain', 'application/xml', 'multipart/form-data; boundary=x', 'application/json; charset=latin1', ';', 'application/x-www-form-urlencoded', '\xff']) : 'application/json'}`,
      )
    if (chance.oneIn(20)) headers.push(`Content-Encoding: ${chance.pick(['gzip', 'br', 'deflate', 'identity', 'x'])}`)
  }
  if (chance.oneIn(15)) headers.push(`X-Request-Id: ${chance.pick(['ok-1', '<script>', 'a'.repeat(200), '\xe9', "'"])}`)
  if (chance.oneIn(15))
    headers.push(
      `Accept: ${chance.pick(['text/html', '*/*', 'application/xml', ';;;', 'application/vnd.api+json; ext=x'])}`,
    )
  if (chance.oneIn(25))
    headers.push(
      `X-Forwarded-For: ${chance.pick(['1.2.3.4', 'x', ','.repeat(100)])}`,
      'X-Forwarded-Host: evil.example',
      'X-HTTP-Method-Override: DELETE',
    )
  if (chance.oneIn(25)) headers.push(`Origin: ${chance.pick(['https://evil.example', 'null', 'http://localhost'])}`)
  if (chance.oneIn(40)) headers.push(`X-Fill: ${'x'.repeat(chance.pick([100, 5000, 70_000]))}`)
  return headers
}
