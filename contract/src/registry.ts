import { builtIn } from './built-in.ts'
import { creator, declare, reference, requiredText, stamps } from './declare.ts'
import type { FieldDefinition, FieldSet } from './field-definition.ts'
import { targetOf } from './field-types/reference.ts'
import { fieldTypes } from './field-types.ts'
import { filterablesOf } from './filterable.ts'
import {
  type BuiltInName,
  type Count,
  CUSTOM_FIELDS,
  type Declaration,
  isOwn,
  type Relation,
  type Resource,
  type ResourceName,
  type ResourceRow,
  type Schema,
} from './resource.ts'
import { camelCase } from './resource-code.ts'

/** What a built-in resource is called as long as a workspace has not renamed it. */
function usualRow({ type, number, one }: Declaration, created_at: string): ResourceRow {
  const looks = { description: null, icon: null, color: null, position: 0, archived_at: null, since: null }
  const names = { code: type, singular_code: one, name: capital(type), singular: capital(one) }
  return { number, ...names, ...looks, created_at, updated_at: created_at }
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1)
}

/**
 * The resources of a workspace: those that every workspace has, then its own. `rows` are in their order, and name the
 * built-in ones that have another name here. `fields` are in their order, those that are archived among them.
 */
export function schemaOf(
  rows: readonly ResourceRow[],
  fields: readonly KnownField[],
  {
    created_at = '2026-01-01T00:00:00.000Z',
    lastNumber = 0,
  }: { created_at?: string | undefined; lastNumber?: number } = {},
): Schema {
  const own = rows.filter((row) => isOwn(row) && row.archived_at === null)
  const [active, archived] = [new Map<string, Resource>(), new Map<string, Resource>()]
  const schema: Schema = Object.assign(active, { archived, lastNumber })
  const declared: Declaration[] = [
    ...Object.values(builtIn).map((one) => (one === builtIn.tasks || one === builtIn.notes ? linkedTo(one, own) : one)),
    ...own.map(declareOwn),
  ]
  const referring = declared.flatMap(({ type }) =>
    activeOf(type, fields).list.filter((field) => {
      const to = fieldTypes[field.type].refersTo
      return to === 'members' || (to === 'records' && declared.some((one) => one.type === targetOf(field)))
    }),
  )
  const declarations = declared.map((one) => withReferences(one, referring))
  const complete = (declaration: Declaration): Resource => {
    return {
      ...declare(declaration),
      row: rows.find(({ number }) => number === declaration.number) ?? usualRow(declaration, created_at),
      fields: activeOf(declaration.type, fields),
      allFields: fields.filter(({ entity_type }) => entity_type === declaration.type),
      filterables: filterablesOf(declaration, declarations),
      schema,
    }
  }
  for (const declaration of declarations) active.set(declaration.type, complete(declaration))
  for (const row of rows) if (row.archived_at !== null) archived.set(row.code, complete(declareOwn(row)))
  return schema
}

/** A field of a workspace, which may be archived. */
type KnownField = FieldDefinition & { archived_at?: string | null }

function activeOf(type: ResourceName, fields: readonly KnownField[]): FieldSet {
  const list = fields.filter((field) => field.entity_type === type && !field.archived_at)
  const references = list.filter((field) => fieldTypes[field.type].refersTo === 'records')
  return { list, byCode: new Map(list.map((field) => [field.code, field])), references }
}

/** With the relations of its own reference fields, and the inverses of those that point to it. */
function withReferences(declaration: Declaration, referring: readonly FieldDefinition[]): Declaration {
  const relations: Record<string, Relation> = { ...declaration.relations }
  const counts: Record<string, Count> = { ...declaration.counts }
  for (const field of referring) {
    const { entity_type, multiple, settings, code } = field
    const to = targetOf(field)
    if (entity_type === declaration.type) {
      relations[CUSTOM_FIELDS + code] = { kind: 'field', to, field, many: multiple }
    }
    if (to !== declaration.type || !settings.inverse) continue
    const relation = camelCase(settings.inverse.code)
    relations[relation] = { kind: 'inverse', to: entity_type, field }
    counts[`${relation}Count`] = { attribute: `${settings.inverse.code}_count`, of: 'relation', relation }
  }
  return { ...declaration, relations, counts }
}

/** The declaration of a resource that a workspace has made. */
function declareOwn({ code, number, singular, description }: ResourceRow) {
  return {
    type: code,
    number,
    one: asWord(singular),
    about: description ?? '',
    attributes: { name: requiredText(), owner_id: reference('users'), ...stamps },
    links: {},
    relations: { creator, owner: { kind: 'reference', to: 'users', column: 'owner_id' } },
    counts: {
      tasksCount: { attribute: 'tasks_count', of: 'linking', from: 'tasks' },
      notesCount: { attribute: 'notes_count', of: 'linking', from: 'notes' },
    },
    assignable: false,
  } as const satisfies Declaration
}

/** What the client derives the types of own resources from. */
export type OwnDeclaration = ReturnType<typeof declare<ReturnType<typeof declareOwn>>>

/** In the middle of a sentence: "Project" is a project, a "VIP" stays one. */
export function asWord(singular: string): string {
  const [first = '', ...rest] = singular
  return rest.some((letter) => letter !== letter.toLowerCase()) ? singular : first.toLowerCase() + rest.join('')
}

/** Tasks and notes, which can be linked to records of all own resources. */
function linkedTo<D extends Declaration>(declaration: D, own: readonly ResourceRow[]): D {
  const rows = own.toSorted((one, other) => (one.code < other.code ? -1 : 1))
  const links = new Map(Object.entries(declaration.links).filter(([, { to }]) => to !== 'users'))
  const relations: Record<string, Relation> = { ...declaration.relations }
  const counts: Record<string, Count> = { ...declaration.counts }
  for (const { code, singular_code } of rows) {
    const relation = camelCase(code)
    links.set(`${singular_code}_ids`, { to: code, relation })
    relations[relation] = { kind: 'linked', to: code }
    counts[`${relation}Count`] = { attribute: `${code}_count`, of: 'relation', relation }
  }
  // Lists of members come last.
  return { ...declaration, links: { ...Object.fromEntries(links), ...declaration.links }, relations, counts }
}

/** The schema of a workspace that has defined nothing. */
export const generalSchema: Schema = schemaOf([], [])

// The names are those of the declarations.
export const registry = Object.fromEntries(generalSchema) as { readonly [N in BuiltInName]: Resource & { type: N } }
