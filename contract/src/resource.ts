/** The five kinds of record, and what a relation can point to besides. */
export const resourceNames = ['companies', 'people', 'opportunities', 'tasks', 'notes'] as const
export type ResourceName = (typeof resourceNames)[number]
export type RelatedType = ResourceName | 'users'

/** An attribute that holds the id of one member or record. */
export type Reference = { to: RelatedType }

/** A list of ids that is written with a record and read through `include`. */
export type LinkList = { to: RelatedType; relation: string }

export type Relation =
  /** This record's own column holds the related id. */
  | { kind: 'reference'; to: RelatedType; column: string }
  /** Records of the other resource hold this record's id in their column. */
  | { kind: 'referring'; to: ResourceName; column: string }
  /** Rows of `links` join this record (a task or a note) to the others. */
  | { kind: 'linked'; to: RelatedType }

/** A number shown on request only. */
export type Count =
  | { attribute: string; of: 'relation'; relation: string }
  /** Tasks or notes that are linked to this record. */
  | { attribute: string; of: 'linking'; from: ResourceName }

/** What a resource is made of. Nouns only: nothing in here can be called. */
export type Resource = {
  type: ResourceName
  /** One record, in a sentence: "No company with the ID … exists". */
  one: string
  /** The attribute that names a record. */
  label: 'name' | 'title'
  references: Readonly<Record<string, Reference>>
  links: Readonly<Record<string, LinkList>>
  relations: Readonly<Record<string, Relation>>
  counts: Readonly<Record<string, Count>>
  /** Whether `assigned_to_me` can be asked. */
  assignable: boolean
}

export function relationOf(resource: Resource, name: string): Relation | undefined {
  return Object.hasOwn(resource.relations, name) ? resource.relations[name] : undefined
}

export function isToMany(relation: Relation): boolean {
  return relation.kind !== 'reference'
}

/** Every name that `include` takes, relations first. */
export function includeNames(resource: Resource): string[] {
  return [...Object.keys(resource.relations), ...Object.keys(resource.counts)]
}

/** The attributes of a record in the order in which it shows them, counts aside. */
export function attributeNames(resource: Resource): string[] {
  return [
    resource.label,
    ...Object.keys(resource.references),
    'creation_source',
    'created_at',
    'updated_at',
    'custom_fields',
  ]
}

export function countAttributeNames(resource: Resource): string[] {
  return Object.values(resource.counts).map((count) => count.attribute)
}
