import type { Registry } from '@kith/contract/built-in'
import type { stamps } from '@kith/contract/declare'
import type { OwnDeclaration } from '@kith/contract/registry'
import type { BuiltInName, INCLUDE_EXTERNAL_IDS, RelatedType } from '@kith/contract/resource'

/** The declarations of the contract, from which all types of this client follow. Another code is an own resource. */
export type RegistryEntry<R extends string> = R extends BuiltInName ? Registry[R] : OwnDeclaration

/** The attributes of a resource. */
export type AttributeName<R extends string> = keyof RegistryEntry<R>['attributes'] & string

/** The kind of an attribute: `text`, `reference`, `source` or `time`. */
export type KindOf<R extends string, N> =
  N extends AttributeName<R> ? (RegistryEntry<R>['attributes'][N] extends { kind: infer Kind } ? Kind : never) : never

/** The attributes of some kinds that every record has. */
export type StampOf<Kind> = {
  [N in keyof typeof stamps]: (typeof stamps)[N] extends { kind: Kind } ? N : never
}[keyof typeof stamps]

/** The attributes of some kinds. */
export type AttributeOf<R extends string, Kind> = {
  [N in AttributeName<R>]: KindOf<R, N> extends Kind ? N : never
}[AttributeName<R>]

/** The attribute that names a record: `name` or `title`. */
export type Label<R extends string> = RegistryEntry<R>['label']

/** Attributes that hold the id of one member or record. */
export type ReferenceName<R extends string> = keyof RegistryEntry<R>['references'] & string

/** Lists of ids that are written with a record and read through `include`. */
export type LinkName<R extends string> = keyof RegistryEntry<R>['links'] & string

export type RelationName<R extends string> = keyof RegistryEntry<R>['relations'] & string

type RelationOf<R extends string, N> = N extends keyof RegistryEntry<R>['relations']
  ? RegistryEntry<R>['relations'][N]
  : never

/** The type of the records at the other end of a relation. */
export type RelatedTo<R extends string, N> = RelationOf<R, N> extends { to: infer To extends RelatedType } ? To : never

/** The resources that are linked to records of this one. They can be filtered by, but not included. */
export type LinkingName<R extends string> = R extends BuiltInName
  ? {
      [S in BuiltInName]: Extract<
        RegistryEntry<S>['relations'][RelationName<S>],
        { kind: 'linked'; to: R }
      > extends never
        ? never
        : S
    }[BuiltInName]
  : 'tasks' | 'notes'

export type IsToOne<R extends string, N> = RelationOf<R, N> extends { kind: 'reference' } ? true : false

type CountName<R extends string> = keyof RegistryEntry<R>['counts'] & string

/** The attribute that an included count is shown in: `peopleCount` → `people_count`. */
export type CountAttribute<R extends string, N = CountName<R>> = N extends keyof RegistryEntry<R>['counts']
  ? RegistryEntry<R>['counts'][N] extends { attribute: infer Attribute extends string }
    ? Attribute
    : never
  : never

/** Every name that `include` takes. */
export type IncludeName<R extends string> = RelationName<R> | CountName<R> | typeof INCLUDE_EXTERNAL_IDS

/** Any of the attributes. Like `Partial`, and with `exactOptionalPropertyTypes` they may be undefined, too. */
export type AnyOf<T> = { readonly [K in keyof T]?: T[K] | undefined }

/** One object type instead of an intersection, so that an editor shows its keys. */
export type Flat<T> = { [K in keyof T]: T[K] }
