import { creator, declare, reference, requiredText, stamps } from './declare.ts'
import type { FieldDefinition } from './field-definition.ts'
import { filterablesOf } from './filterable.ts'
import type { BuiltInName, Count, Declaration, LinkList, Relation, Resource, ResourceRow, Schema } from './resource.ts'
import { camelCase } from './resource-code.ts'
import { companies } from './resources/companies.ts'
import { notes } from './resources/notes.ts'
import { opportunities } from './resources/opportunities.ts'
import { people } from './resources/people.ts'
import { tasks } from './resources/tasks.ts'

const builtIn = { companies, people, opportunities, tasks, notes } as const

/** The resources that every workspace has, with the literal types from which the client derives its own. */
export type Registry = typeof builtIn

/** Numbers of own resources begin here. */
export const OWN_FROM = 16

export function isOwn({ number }: Pick<Declaration, 'number'>): boolean {
  return number >= OWN_FROM
}

/**
 * The resources of a workspace: those that every workspace has, then its own. `rows` are in their order, and name the
 * built-in ones that have another name here. `fields` are the active ones in their order.
 */
export function schemaOf(rows: readonly ResourceRow[], fields: readonly FieldDefinition[]): Schema {
  const own = rows.filter((row) => isOwn(row) && row.archived_at === null)
  const declarations = [
    ...Object.values(builtIn).map((one) => ('assignee_ids' in one.links || one === notes ? linkedTo(one, own) : one)),
    ...own.map(declareOwn),
  ]
  const schema: Schema = Object.assign(new Map<string, Resource>(), { names: rows })
  for (const declaration of declarations) {
    const list = fields.filter(({ entity_type }) => entity_type === declaration.type)
    const set = { list, byCode: new Map(list.map((field) => [field.code, field])) }
    const filterables = filterablesOf(declaration, declarations)
    // The type of a schema is read-only for everybody else.
    const resources = schema as unknown as Map<string, Resource>
    resources.set(declaration.type, { ...declaration, fields: set, filterables, schema })
  }
  return schema
}

/** The declaration of a resource that a workspace has made. */
function declareOwn({ code, number, singular, description }: ResourceRow) {
  const relations: Record<string, Relation> = {
    creator,
    owner: { kind: 'reference', to: 'users', column: 'owner_id' },
  }
  const counts: Record<string, Count> = {
    tasksCount: { attribute: 'tasks_count', of: 'linking', from: 'tasks' },
    notesCount: { attribute: 'notes_count', of: 'linking', from: 'notes' },
  }
  return declare({
    type: code,
    number,
    one: asWord(singular),
    about: description ?? '',
    attributes: { name: requiredText(), owner_id: reference('users'), ...stamps },
    links: {},
    relations,
    counts,
    assignable: false,
  })
}

/** In the middle of a sentence: "Project" is a project, a "VIP" stays one. */
function asWord(singular: string): string {
  const [first = '', ...rest] = singular
  return rest.some((letter) => letter !== letter.toLowerCase()) ? singular : first.toLowerCase() + rest.join('')
}

/** Tasks and notes, which can be linked to records of all own resources. */
function linkedTo<D extends Declaration>(declaration: D, own: readonly ResourceRow[]): D {
  const rows = own.toSorted((one, other) => (one.code < other.code ? -1 : 1))
  const links: Record<string, LinkList> = { ...declaration.links }
  const relations: Record<string, Relation> = { ...declaration.relations }
  const counts: Record<string, Count> = { ...declaration.counts }
  for (const { code, singular_code } of rows) {
    const relation = camelCase(code)
    links[`${singular_code}_ids`] = { to: code, relation }
    relations[relation] = { kind: 'linked', to: code }
    counts[`${relation}Count`] = { attribute: `${code}_count`, of: 'relation', relation }
  }
  return { ...declaration, links, relations, counts }
}

/** The schema of a workspace that has defined nothing. */
export const generalSchema: Schema = schemaOf([], [])

// The names are those of the declarations.
export const registry = Object.fromEntries(generalSchema) as { readonly [N in BuiltInName]: Resource & { type: N } }
