import { answerParameters } from '@kith/contract/answer-options'
import { Refusal } from '@kith/contract/refusal'
import type { Sent } from '../records/ask.ts'
import type { ToolInput } from './tool.ts'
import { parametersIn } from './tool-input.ts'
import { withExternalIds } from './with-external-ids.ts'

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
