import { answerParameters } from '@kith/contract/answer-options'
import { isUnsent } from '@kith/contract/raw-input'
import { Refusal } from '@kith/contract/refusal'
import { INCLUDE_EXTERNAL_IDS } from '@kith/contract/resource'
import type { Asked, Sent } from '../records/ask.ts'
import type { Presented, ResourceObject } from '../records/present.ts'
import { anyObject, type Schema, text } from './schema.ts'
import type { ToolInput } from './tool.ts'
import { parametersIn } from './tool-input.ts'

export const idSchema: Schema = text('The ID of the record.')

/** How an answer shows its records. */
export const answerArguments = {
  include: {
    type: 'array',
    items: { type: 'string' },
    description: 'Relations, counts or externalIds to add, such as ["company"]; describe_resource lists them.',
  },
  fields: {
    anyOf: [{ type: 'array', items: { type: 'string' } }, { type: 'object' }],
    description:
      'Only these attributes, such as ["name", "custom_fields.stage"]; for included records an object of lists by type.',
  },
} as const

/** What a write gives a record. The keys depend on the resource; the values of custom fields on the workspace. */
export const attributesSchema: Schema = anyObject(
  'Attributes by name, and custom_fields by code; describe_resource lists both. Choices by label. A record by its ID or ' +
    '{"match": {"field": …, "value": …}}, a member also by {"email": …}.',
)

/** A write of `attributes`, as the operations take it. */
export function sentIn(input: ToolInput, others: Readonly<Record<string, unknown>> = {}): Sent {
  const attributes = typeof input.attributes === 'object' ? input.attributes : {}
  const asked = parametersIn(input, answerParameters)
  const body: Record<string, unknown> = { ...attributes, ...others }
  return { body, asked: body.external_ids === undefined ? asked : withExternalIds(asked) }
}

/** Runs a write, and tells the problems of its body at the place where a tool takes it: below `attributes`. */
export async function underAttributes<T>(write: Promise<T>, others: readonly string[] = []): Promise<T> {
  try {
    return await write
  } catch (error) {
    if (!(error instanceof Refusal) || error.reason.kind !== 'invalid') throw error
    const issues = error.reason.issues.map(({ path, message }) => ({ path: placed(path, others), message }))
    throw new Refusal({ kind: 'invalid', issues })
  }
}

function placed(path: string, others: readonly string[]): string {
  const [first = ''] = path.split('.', 1)
  return [...answerParameters, ...others].includes(first) ? path : `attributes.${path}`
}

/** Parameters that also show the external ids. What is no list of names stays as it is, and is refused. */
export function withExternalIds({ raw, ...asked }: Asked): Asked {
  const { include } = raw
  const names = isUnsent(include) ? [] : typeof include === 'string' ? [include] : include
  return { ...asked, raw: { ...raw, include: Array.isArray(names) ? [...names, INCLUDE_EXTERNAL_IDS] : names } }
}

/** A single record, in the same form on every surface. */
type RecordDocument = {
  data: ResourceObject | undefined
  included: readonly ResourceObject[] | undefined
  meta: { truncated: string[] } | undefined
}

export function recordDocument({ data, included, truncated }: Presented): RecordDocument {
  return { data: data[0], included, meta: truncated.length > 0 ? { truncated } : undefined }
}
