import type { RelatedType, ResourceName } from '@kith/contract/resource'
import type { companies } from '@kith/contract/resources/companies'
import type { notes } from '@kith/contract/resources/notes'
import type { opportunities } from '@kith/contract/resources/opportunities'
import type { people } from '@kith/contract/resources/people'
import type { tasks } from '@kith/contract/resources/tasks'

/** The declarations of the contract, from which every type of this client follows. */
type Declarations = {
  companies: typeof companies
  people: typeof people
  opportunities: typeof opportunities
  tasks: typeof tasks
  notes: typeof notes
}

export type Declared<R extends ResourceName> = Declarations[R]

/** The attribute that names a record: `name` or `title`. */
export type Label<R extends ResourceName> = Declared<R>['label']

/** Attributes that hold the id of one member or record. */
export type ReferenceName<R extends ResourceName> = keyof Declared<R>['references'] & string

/** Lists of ids that are written with a record and read through `include`. */
export type LinkName<R extends ResourceName> = keyof Declared<R>['links'] & string

export type RelationName<R extends ResourceName> = keyof Declared<R>['relations'] & string

type RelationOf<R extends ResourceName, N> = N extends keyof Declared<R>['relations']
  ? Declared<R>['relations'][N]
  : never

/** The type of the records at the other end of a relation. */
export type RelatedTo<R extends ResourceName, N> =
  RelationOf<R, N> extends { to: infer To extends RelatedType } ? To : never

export type IsToOne<R extends ResourceName, N> = RelationOf<R, N> extends { kind: 'reference' } ? true : false

export type CountName<R extends ResourceName> = keyof Declared<R>['counts'] & string

/** The attribute that an included count is shown in: `peopleCount` → `people_count`. */
export type CountAttribute<R extends ResourceName, N = CountName<R>> = N extends keyof Declared<R>['counts']
  ? Declared<R>['counts'][N] extends { attribute: infer Attribute extends string }
    ? Attribute
    : never
  : never

/** Every name that `include` takes. */
export type IncludeName<R extends ResourceName> = RelationName<R> | CountName<R>

/** One object type instead of an intersection, so that an editor shows what is in it. */
export type Flat<T> = { [K in keyof T]: T[K] }
