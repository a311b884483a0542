import type { Ability } from '@kith/contract/abilities'
import { type Permission, roleMay } from '@kith/contract/permissions'
import type { Actor, Scope } from '../scope/scope.ts'
import type { Annotations } from './annotations.ts'
import type { ObjectSchema } from './schema.ts'

/** Something that a model can do here. */
export type Tool = {
  name: string
  title: string
  /** Written for a model: what it does, and what goes wrong most often. */
  description: string
  annotations: Annotations
  /** What the token and the role must allow. */
  abilities: readonly Ability[]
  /** What the role must allow beside that. */
  permission?: Permission
  input: ObjectSchema
  output: ObjectSchema
  run(scope: Scope, input: ToolInput, installation: Installation): Promise<Structured>
}

/** The arguments of a call, with all required keys and no unknown ones. */
export type ToolInput = Readonly<Record<string, unknown>>

/** What a tool answers, as its output schema says. */
export type Structured = Readonly<Record<string, unknown>>

/** What tools know of where they run: the address of the application. */
export type Installation = { app_url: string }

/** Whether someone is shown the tool. Whether they may use it is said once more by the operation behind it. */
export function isAllowed({ abilities, permission }: Tool, { abilities: granted, role }: Actor): boolean {
  if (permission !== undefined && !roleMay(role, permission)) return false
  return abilities.every((ability) => granted.includes(ability) && roleMay(role, ability))
}
