import { EXTERNAL_IDS } from '@kith/contract/resource'
import { isResourceCode, RESOURCE_CODE } from '@kith/contract/resource-code'
import { type OpenApiDocument, openApiDocument } from '../src/http/openapi/document.ts'
import type { Answered } from './api.ts'
import { schemasOf } from './openapi-schemas.ts'

export type Asked = { method: string; url: string; body: unknown }
export type CheckAnswer = (asked: Asked, answered: Answered) => void

type Operation = { responses?: Record<string, Response> }
type Response = { $ref?: string; headers?: Record<string, Header>; content?: Record<string, { schema: object }> }
type Header = { $ref?: string; required?: boolean; schema?: { type: string } }

/** A check that throws unless the answer is one that the document promises for the request. */
export function answerCheck(document: OpenApiDocument): CheckAnswer {
  const { problemsOf, componentAt } = schemasOf(document)
  const namesByType = attributesByType(document)
  /** In the document's order, in which literal paths come before those with an id. */
  const known = Object.entries(document.paths)
    .toSorted(([one], [other]) => Number(one.includes('{resource}')) - Number(other.includes('{resource}')))
    .map(([path, operations]) => ({
      first: path.split('/')[2],
      pattern: new RegExp(`^${path.replace('{resource}', RESOURCE_CODE.slice(1, -1)).replace(/\{\w+\}/g, '[^/]+')}$`),
      // What is in there is read with care below.
      operations: operations as Record<string, Operation>,
    }))
  /** The codes of resources that tests have made, which the document of all workspaces does not have. */
  const ownTypes = new Set<string>()

  return (asked, answered) => {
    const problems = problemsIn(asked, answered)
    if (problems.length === 0) return
    const shown = answered.text.slice(0, 1000)
    throw new Error(
      `${asked.method} ${asked.url} answered ${answered.status}, not as openapi.json says:\n- ${problems.join('\n- ')}\n${shown}`,
    )
  }

  function problemsIn(asked: Asked, answered: Answered): string[] {
    const path = pathOf(asked.url)
    if (path === '/v1/schema' && answered.status === 201) ownTypes.add(answered.body.data.id)
    const own = ownPath(path)
    const operations = operationsAt(own ?? path)
    const operation = operations?.[asked.method === 'HEAD' ? 'get' : asked.method.toLowerCase()]
    // The token, and whether there is such a resource, are checked before the method.
    if (operation === undefined && own && operations) return problemsOf(errorSchema, answered.body)
    if (operation === undefined) return outsideProblems(operations === undefined, answered)
    const response = resolved(operation.responses?.[answered.status])
    if (response === undefined && own && answered.status === 404) return problemsOf(errorSchema, answered.body)
    if (response === undefined) return [`the status is not among ${Object.keys(operation.responses ?? {}).join(', ')}`]
    return [
      ...headerProblems(response, answered),
      ...(asked.method === 'HEAD'
        ? []
        : contentProblems(response, answered, own !== undefined || ownTypes.has(answered.body?.data?.type))),
      ...(answered.status < 300 && !asksForFields(asked) ? missingAttributes(answered.body) : []),
    ]
  }

  /** A path below a resource that the document does not have, as that of one that has the same endpoints. */
  function ownPath(path: string): string | undefined {
    const [, , code = ''] = path.split('/')
    if (!isResourceCode(code) || known.some(({ first }) => first === code)) return undefined
    return path.replace(code, 'companies')
  }

  /** A path that cannot be decoded, or is too long, belongs to no operation. */
  function operationsAt(path: string): Record<string, Operation> | undefined {
    return isRoutable(path) ? known.find(({ pattern }) => pattern.test(path))?.operations : undefined
  }

  function resolved<T extends { $ref?: string }>(part: T | undefined): T | undefined {
    return part?.$ref === undefined ? part : (componentAt(part.$ref) as T)
  }

  /** No such path, no such method, or what never became a request: all say so in the common form. */
  function outsideProblems(unknownPath: boolean, { status, headers, body }: Answered): string[] {
    const problems = problemsOf(errorSchema, body)
    if (status !== (unknownPath ? 404 : 405)) problems.push(`the document has no such path or method`)
    if (!unknownPath && headers.get('allow') === null) problems.push('there is no Allow header')
    return [...problems, ...headerProblems({ headers: { 'X-Request-Id': { required: true } } }, { headers })]
  }

  function headerProblems(response: Response, { headers }: Pick<Answered, 'headers'>): string[] {
    const problems: string[] = []
    for (const [name, header] of Object.entries(response.headers ?? {})) {
      const { required, schema } = resolved(header) ?? {}
      const value = headers.get(name)
      if (value === null && required) problems.push(`the header ${name} is missing`)
      if (value !== null && schema?.type === 'integer' && !/^\d+$/.test(value)) {
        problems.push(`the header ${name} is no whole number: ${value}`)
      }
    }
    const undocumented = [...limits, 'X-Schema-Version', 'Retry-After'].filter(
      (name) => headers.has(name) && response.headers?.[name] === undefined,
    )
    return [...problems, ...undocumented.map((name) => `the header ${name} is not documented`)]
  }

  function contentProblems({ content }: Response, { headers, status, text, body }: Answered, isOwn: boolean): string[] {
    if (content === undefined) return text === '' ? [] : ['there should be no body']
    if ('*/*' in content) return []
    const type = headers.get('content-type') ?? ''
    const schema = content[type]?.schema
    if (schema === undefined) return [`the Content-Type is ${type}, not ${Object.keys(content).join(', ')}`]
    // The general document has no schemas of own resources.
    return isOwn && status < 300 ? [] : problemsOf(schema, body)
  }

  /**
   * The document cannot require attributes, because `fields` may leave them out. Where it does not, all are there, in
   * order.
   */
  function missingAttributes(body: { data?: unknown } | undefined): string[] {
    const records = [body?.data ?? []].flat()
    const problems = records.flatMap((record) => {
      const { type = '', attributes } = record as { type?: string; attributes?: object }
      const all = namesByType.get(type)
      if (all === undefined || attributes === undefined) return []
      const names = all.filter((name) => name in attributes || !(name === EXTERNAL_IDS || name.endsWith('_count')))
      // Counts of what the workspace has made come after the others.
      const shown = Object.keys(attributes).filter((name) => names.includes(name) || !name.endsWith('_count'))
      return shown.join() === names.join() ? [] : [wrongNames(attributes)]
    })
    return [...new Set(problems)]
  }
}

const errorSchema = { $ref: '#/components/schemas/Error' }

const limits = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset']

/** The names of the attributes of records, by their type. */
function attributesByType({ components: { schemas = {} } }: OpenApiDocument): Map<string, string[]> {
  const found = Object.entries(schemas).flatMap(([name, { properties }]): [string, string[]][] => {
    const attributes = Object.keys(Object(schemas[`${name}Attributes`]?.properties))
    const { type } = Object(properties)
    return attributes.includes('custom_fields') ? [[type.const, attributes]] : []
  })
  return new Map(found)
}

const SEGMENT_MAX = 1024

function isRoutable(path: string): boolean {
  try {
    return decodeURIComponent(path)
      .split('/')
      .every((segment) => segment.length <= SEGMENT_MAX)
  } catch {
    return false
  }
}

function pathOf(url: string): string {
  const { pathname } = new URL(url)
  return pathname.slice(pathname.indexOf('/v1'))
}

function asksForFields({ url, body }: Asked): boolean {
  return url.includes('fields') || (typeof body === 'string' && body.includes('"fields"'))
}

function wrongNames(attributes: object): string {
  return `the attributes are not all there, in their order: ${Object.keys(attributes).join(', ')}`
}

/** By the general document. */
export const checkAnswer = answerCheck(openApiDocument())
