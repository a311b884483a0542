import type { Ability } from '@kith/contract/abilities'
import { type Permission, roleMay } from '@kith/contract/permissions'
import type { Actor, Scope } from '../scope/scope.ts'
import type { ObjectSchema } from './schema.ts'

/** A tool that a model can call. */
export type Tool = {
  name: string
  title: string
  /** Written for a model: what it does, and common mistakes. */
  description: string
  annotations: Annotations
  /** What the token and the role must allow. */
  abilities: readonly Ability[]
  /** Of which one is enough: the rest depends on the input. */
  anyOf?: readonly Ability[]
  /** Whether a call costs as many items as it has operations. */
  takesOperations?: true
  /** An additional permission of the role. */
  permission?: Permission
  input: ObjectSchema
  /** Only where clients need it: every schema is read by the model with each conversation. */
  output?: ObjectSchema
  run(scope: Scope, input: ToolInput, installation: Installation): Promise<Structured>
}

/** The arguments of a call, with all required keys and no unknown ones. */
export type ToolInput = Readonly<Record<string, unknown>>

/** The answer of a tool, as in its output schema. */
type Structured = Readonly<Record<string, unknown>>

/** What tools know of the installation. */
export type Installation = { app_url: string }

/** Whether the tool is listed for the actor. The operation checks the permission again. */
export function isAllowed({ abilities, anyOf, permission }: Tool, { abilities: granted, role }: Actor): boolean {
  if (permission !== undefined && !roleMay(role, permission)) return false
  const has = (ability: Ability) => granted.includes(ability) && roleMay(role, ability)
  return abilities.every(has) && (anyOf === undefined || anyOf.some(has))
}

/** Hints of the protocol that clients show to users before a tool runs. */
type Annotations = {
  readOnlyHint: boolean
  /** Whether it may change or delete existing data. */
  destructiveHint: boolean
  /** Whether repeating the call has no further effect. */
  idempotentHint: boolean
  /** Whether it reaches beyond the workspace. */
  openWorldHint: false
}

/** A tool that reads. */
export const reads = {
  annotations: annotated({ readOnlyHint: true, idempotentHint: true }),
  abilities: ['read'],
} satisfies Partial<Tool>

export const adds: Annotations = annotated({})
export const overwrites: Annotations = annotated({ destructiveHint: true, idempotentHint: true })
export const restores: Annotations = annotated({ idempotentHint: true })
export const merges: Annotations = annotated({ destructiveHint: true })

function annotated(hints: Partial<Annotations>): Annotations {
  return { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false, ...hints }
}
