import type { Attribute, Declaration, Reference, RelatedType } from './resource.ts'

/** A name or title. Every resource has exactly one. */
export function requiredText(): { readonly kind: 'text' } {
  return { kind: 'text' }
}

/** The id of one member or record. */
export function reference<const To extends RelatedType>(to: To): { readonly kind: 'reference'; readonly to: To } {
  return { kind: 'reference', to }
}

/** Set by the system: how the record was created (`source`), or when something happened to it (`time`). */
function stamped<const Kind extends 'source' | 'time'>(kind: Kind): { readonly kind: Kind } {
  return { kind }
}

/** The attributes that every record has. */
export const stamps = {
  creation_source: stamped('source'),
  created_at: stamped('time'),
  updated_at: stamped('time'),
} as const

// The names are those of the object above.
export const stampColumns = Object.keys(stamps) as (keyof typeof stamps)[]

/** The relation that every record has. */
export const creator = { kind: 'reference', to: 'users', column: 'creator_id' } as const

type NamesOf<A, Kind> = { [N in keyof A]: A[N] extends { kind: Kind } ? N : never }[keyof A] & string

type CompleteDeclaration<D extends Declaration> = D & {
  readonly label: NamesOf<D['attributes'], 'text'>
  readonly references: { readonly [N in NamesOf<D['attributes'], 'reference'>]: Extract<D['attributes'][N], Reference> }
}

/** Completes a declaration with everything that its attributes imply. */
export function declare<const D extends Declaration>(declaration: D): CompleteDeclaration<D> {
  const entries = Object.entries<Attribute>(declaration.attributes)
  const label = entries.find(([, { kind }]) => kind === 'text')?.[0]
  const references = Object.fromEntries(entries.filter(([, { kind }]) => kind === 'reference'))
  // The type says the same as the lines above, name by name.
  return { ...declaration, label, references } as unknown as CompleteDeclaration<D>
}
