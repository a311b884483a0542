import type { FieldDefinition, FieldSet } from './field-definition.ts'
import type { Operator } from './operators.ts'

/** The resources that every workspace has. Their declarations are in `resources/`. */
export const resourceNames = ['companies', 'people', 'opportunities', 'tasks', 'notes'] as const
export type BuiltInName = (typeof resourceNames)[number]

/** The code of a resource: one of the above, or one that a workspace has made. */
export type ResourceName = string
/** The type of what a relation leads to: a resource, or `users`. */
export type RelatedType = string

/** An object with one entry for each resource. */
export function perResource<T>(make: (name: BuiltInName) => T): Record<BuiltInName, T> {
  // The entries are those of the list of names.
  return Object.fromEntries(resourceNames.map((name) => [name, make(name)])) as Record<BuiltInName, T>
}

/** An attribute of a record. Custom fields come on top, under `custom_fields`. */
export type Attribute =
  /** The name or title. It is required. */
  | { kind: 'text' }
  /** Holds the id of one member or record, or null. */
  | { kind: 'reference'; to: RelatedType }
  /** Set by the system: how and when the record was created and last changed. */
  | { kind: 'source' }
  | { kind: 'time' }

export type Reference = Extract<Attribute, { kind: 'reference' }>

/** A list of ids that is written with a record and read through `include`. */
type LinkList = { to: RelatedType; relation: string }

export type Relation =
  /** This record's own column holds the related id. */
  | { kind: 'reference'; to: RelatedType; column: string }
  /** Records of the other resource hold this record's id in their column. */
  | { kind: 'referring'; to: ResourceName; column: string }
  /** Rows of `links` join this record (a task or a note) to the others. */
  | { kind: 'linked'; to: RelatedType }
  /** A reference field of this record's resource holds the related ids. */
  | { kind: 'field'; to: RelatedType; field: FieldDefinition; many: boolean }
  /** A reference field of the other resource holds this record's id. */
  | { kind: 'inverse'; to: ResourceName; field: FieldDefinition }

/**
 * The reverse of `linked`: rows of `links` join records of the other resource (tasks or notes) to this one. It follows
 * from the relations of the other resource, and can be filtered by but not included.
 */
export type LinkingRelation = { kind: 'linking'; to: ResourceName }

/** Something native that a resource can be filtered by, and the operators that it takes. */
export type Filterable =
  | { name: string; kind: 'id' | 'text' | 'time' | 'source' | 'computed'; operators: readonly Operator[] }
  /** Members: by id only. */
  | { name: string; kind: 'member'; operators: readonly Operator[]; relation: Relation }
  /** Records: by id, or by conditions on the related resource. */
  | {
      name: string
      kind: 'record'
      operators: readonly Operator[]
      relation: Relation | LinkingRelation
      to: ResourceName
    }

/** A number shown on request only. */
export type Count =
  | { attribute: string; of: 'relation'; relation: string }
  /** Tasks or notes that are linked to this record. */
  | { attribute: string; of: 'linking'; from: ResourceName }

/** The parts of a resource. Only data: nothing in here can be called. */
export type Declaration = {
  type: ResourceName
  /** By which storage refers to it. It never changes. */
  number: number
  /** One record, in a sentence: "No company with the ID … exists". */
  one: string
  about: string
  /** In the order in which a record shows them. */
  attributes: Readonly<Record<string, Attribute>>
  links: Readonly<Record<string, LinkList>>
  relations: Readonly<Record<string, Relation>>
  counts: Readonly<Record<string, Count>>
  /** Whether the filter `assigned_to_me` exists. */
  assignable: boolean
}

/** A resource as a workspace has it: its declaration, and everything that follows from it and from its fields. */
export type Resource = Declaration & {
  /** The attribute that names a record. */
  label: 'name' | 'title'
  references: Readonly<Record<string, Reference>>
  /** The active custom fields. */
  fields: FieldSet
  /** With those that are archived: their values return with them. */
  allFields: readonly FieldDefinition[]
  /** Everything native that it can be filtered by, by name. */
  filterables: ReadonlyMap<string, Filterable>
  /** What the workspace calls it. */
  row: ResourceRow
  /** The resources that it is one of. */
  schema: Schema
}

/** All resources of a workspace that are not archived by name, in their order. */
export type Schema = ReadonlyMap<string, Resource> & {
  /** The resources that are archived. */
  archived: ReadonlyMap<string, Resource>
  /** The highest number that a resource of the workspace has had, deleted ones included. */
  lastNumber: number
}

/** The schema as if nothing were archived, for work on everything that a workspace holds. */
export function withArchived(schema: Schema): Schema {
  const { archived, lastNumber } = schema
  return Object.assign(new Map([...schema, ...archived]), { archived: new Map(), lastNumber })
}

/** How a workspace calls a resource, and what it has made itself. */
export type ResourceRow = {
  number: number
  code: string
  singular_code: string
  name: string
  singular: string
  description: string | null
  icon: string | null
  color: string | null
  /** The place in the order of own resources; 0 for others. */
  position: number
  created_at: string
  updated_at: string
  archived_at: string | null
  /** Entries of the changes feed from before are of an earlier resource with the same code. */
  since: string | null
}

/** The resource that a relation or another declaration of the schema names. */
export function resourceIn(schema: Schema, name: ResourceName): Resource {
  const resource = schema.get(name)
  if (!resource) throw new Error(`The schema has no resource ${name}.`)
  return resource
}

export function attributesOf(resource: Declaration, ...kinds: readonly Attribute['kind'][]): string[] {
  return Object.entries(resource.attributes).flatMap(([name, { kind }]) => (kinds.includes(kind) ? [name] : []))
}

/** The attributes that the system sets and callers cannot write. */
export function stampNames(resource: Declaration): string[] {
  return attributesOf(resource, 'source', 'time')
}

export function relationOf(resource: Resource, name: string): Relation | undefined {
  return Object.hasOwn(resource.relations, name) ? resource.relations[name] : undefined
}

export function isToMany(relation: Relation | LinkingRelation): boolean {
  return relation.kind === 'field' ? relation.many : relation.kind !== 'reference'
}

/** Before the code of a field: the name of its value, and of the relation that a reference field makes. */
export const CUSTOM_FIELDS = 'custom_fields.'

/** The attribute with the ids that other systems have for a record, and the name by which `include` shows it. */
export const EXTERNAL_IDS = 'external_ids'
export const INCLUDE_EXTERNAL_IDS = 'externalIds'

/** Every name that `include` takes, relations first. */
export function includeNames(resource: Resource): string[] {
  return [...Object.keys(resource.relations), ...Object.keys(resource.counts), INCLUDE_EXTERNAL_IDS]
}

/** The attributes of a record in the order in which it shows them, without counts. */
export function attributeNames(resource: Resource): string[] {
  return [...Object.keys(resource.attributes), 'custom_fields']
}

/** The attributes that a record shows only if `include` asks for them. */
export function includedAttributeNames(resource: Resource): string[] {
  return [...countAttributeNames(resource), EXTERNAL_IDS]
}

export function countAttributeNames(resource: Resource): string[] {
  return Object.values(resource.counts).map((count) => count.attribute)
}

/** Numbers of own resources begin here. */
export const OWN_FROM = 16

export function isOwn({ number }: Pick<Declaration, 'number'>): boolean {
  return number >= OWN_FROM
}
