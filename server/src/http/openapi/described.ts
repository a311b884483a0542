import type { Schema } from './schema.ts'

/** Everything that the document says about an endpoint. */
export type Described = {
  operationId: string
  summary: string
  says: string
  tag: { name: string; description: string }
  /** The names of its parameters and of its body. */
  parameters?: readonly string[]
  body?: string
  /** The answers that succeed, by status. */
  answers: Readonly<Record<number, Schema>>
  /** The refusals that not all endpoints have. */
  refusals?: Readonly<Record<number, string>>
}
